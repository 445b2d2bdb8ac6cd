//! Describes which tools and schemas each target accepts.

mod name_format;
mod shapes;

use crate::facts::{facts, words};
pub use name_format::NameFormat;
pub use shapes::{ToolShapes, TypedTool};

use super::web_search::WebSearchTool;

facts! {
#[derive(Clone, Copy, Debug)]
pub struct ToolProfile {
    /// Calls in the history require tools in the request.
    pub history_needs_tools: bool,
    /// Tool choice `none` is supported.
    pub supports_choice_none: bool,
    /// Format of tool names.
    pub name_format: NameFormat,
    /// Format of tool names in calls of the history.
    pub called_name_format: NameFormat,
    /// Required names of typed tools, by prefix of the type.
    pub required_names: &'static [(&'static str, &'static str)],
    /// Typed tools have names like functions.
    pub typed_tools_have_names: bool,
    /// Tool names must be unique.
    pub unique_names: bool,
    /// Kind of blocks that add tools.
    pub tool_adding_kind: Option<&'static str>,
    /// Kinds of blocks that are calls and results of the provider's own tools.
    pub hosted_call_kinds: &'static [&'static str],
    /// Tools are grouped in namespaces.
    pub has_namespaces: bool,
    /// Maximum number of tools.
    pub max_tools: Option<usize>,
    /// Tools are always a list, even a single one.
    pub requires_list: bool,
    /// An empty list is accepted.
    pub accepts_empty_list: bool,
    /// Null is accepted instead of an empty list.
    pub accepts_null_list: bool,
    /// Maximum length of a description.
    pub max_description_chars: Option<usize>,
    pub shapes: &'static ToolShapes,
    pub schema: SchemaProfile,
    /// Requirements on strict tools.
    pub strict: StrictMode,
    /// Supports tools that are loaded on demand.
    pub deferred_loading: bool,
    /// Has a field for examples of a tool's input.
    pub input_examples: bool,
    /// Whether the provider's own tools can be combined with functions.
    pub hosted_tool_mixing: HostedToolMixing,
    /// The provider's own tools that need permission to be combined with functions.
    pub unmixable_tools: &'static [&'static str],
    /// The provider's web search, if it has one.
    pub web_search: Option<&'static WebSearchTool>,
}
}

facts! {
/// Requirements on schemas.
#[derive(Clone, Copy, Debug)]
pub struct SchemaProfile {
    pub root: SchemaRoot,
    /// Keywords that are rejected at the root.
    pub rejected_at_root: &'static [&'static str],
    /// Format of property names at the root, if checked.
    pub property_names: Option<NameFormat>,
    /// Null is accepted instead of a schema.
    pub accepts_null: bool,
    /// The draft of JSON Schema against which schemas are validated.
    pub draft: SchemaDraft,
    /// An array type requires `items`.
    pub arrays_need_items: bool,
    /// `properties` must be an object.
    pub properties_need_object: bool,
    /// `$ref` must have no siblings, and `items` must not be a list.
    pub references_stand_alone: bool,
    /// Keywords that are rejected at any depth.
    pub rejected_keywords: &'static [&'static str],
    /// A restricted schema language: no `$ref`, no list of types, no `allOf`.
    pub restricted: bool,
    /// The provider's `OpenAPI` subset, if it has one.
    pub openapi: Option<OpenApiSubset>,
    /// References are inlined and `$schema` is removed when a schema comes from another dialect.
    pub inlines_references: bool,
}
}

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaRoot {
    /// Not checked.
    Unchecked,
    /// Any schema.
    AnySchema,
    /// Required; any object is one.
    Required,
    /// If present, its type must be object.
    ObjectIfPresent,
    /// Required, with type object.
    ObjectRequired,
}
}

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaDraft {
    Unchecked,
    Draft7,
    Draft2020,
}
}

words! {
/// Fields of the provider's `OpenAPI` subset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenApiSubset {
    Basic,
    /// Also `additionalProperties`, `defs` and `ref`.
    Extended,
}
}

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrictMode {
    /// Not checked.
    Unchecked,
    /// Objects must be closed and list all properties as required; these keywords are rejected.
    Closed(&'static [&'static str]),
    /// Objects must be closed and patterns regular; strict tools and their optional properties are
    /// limited.
    Compiled { max_tools: usize, max_optional: usize },
    /// Either all tools are strict, or none.
    AllOrNone,
}
}

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostedToolMixing {
    Allowed,
    /// Only if the field of this name in the tool config permits it.
    OptIn(&'static str),
    Never,
}
}
