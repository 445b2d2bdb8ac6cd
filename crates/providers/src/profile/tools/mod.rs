//! Describes which tools and schemas each target accepts.

pub(crate) mod lists;
pub(crate) mod name_format;
pub mod shapes;

use super::TargetSelector;
use super::web_search::{self, WebSearchTool};
use crate::profile::tools::lists::{
    BEDROCK_OTHER_VENDORS, CHOICE_KEYWORDS, HOSTED_TOOLS, NOT_IN_GEMINI, NOT_IN_RESPONSES_STRICT,
    NOT_IN_STRICT, OLD_GEMINI_MODELS, REJECTED_AT_ROOT, REQUIRED_NAMES,
};
pub use crate::profile::tools::name_format::NameFormat;
use crate::profile::tools::name_format::{ANY_64, ANY_NAME, ASCII_64};
use crate::profile::tools::shapes::ToolShapes;

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of independent flags")]
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

/// Requirements on schemas.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of independent flags")]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaRoot {
    /// Not checked.
    Unchecked,
    /// Any schema.
    AnySchema,
    /// If present, its type must be object.
    ObjectIfPresent,
    /// Required, with type object.
    ObjectRequired,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaDraft {
    Unchecked,
    Draft7,
    Draft2020,
}

/// Fields of the provider's `OpenAPI` subset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenApiSubset {
    Basic,
    /// Also `additionalProperties`, `defs` and `ref`.
    Extended,
}

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostedToolMixing {
    Allowed,
    /// Only if the field of this name in the tool config permits it.
    OptIn(&'static str),
    Never,
}

pub(super) static ROWS: &[(TargetSelector, ToolProfile)] = &[
    (
        TargetSelector::flavors("anthropic", &["deepseek"]),
        ToolProfile {
            typed_tools_have_names: true,
            unique_names: true,
            shapes: &shapes::DEEPSEEK,
            ..COMPATIBLE
        },
    ),
    (TargetSelector::dialect("anthropic"), ANTHROPIC),
    (
        DOTTED_NAME_MODELS,
        ToolProfile {
            name_format: NameFormat { punctuation: Some("_-."), ..ASCII_64 },
            called_name_format: NameFormat { punctuation: Some("_-."), ..ASCII_64 },
            ..OPENAI
        },
    ),
    (
        TargetSelector {
            dialect: "openai-chat",
            flavors: FIRST_PARTY,
            model_patterns: &["chatgpt-", "-chat", "gpt-4-1-", "gpt-4-5"],
        },
        OPENAI,
    ),
    (
        TargetSelector {
            dialect: "openai-chat",
            flavors: FIRST_PARTY,
            model_patterns: &["gpt-4-1106"],
        },
        OLD_OPENAI,
    ),
    (
        TargetSelector {
            dialect: "openai-chat",
            flavors: FIRST_PARTY,
            model_patterns: &["gpt-4-1"],
        },
        OPENAI,
    ),
    (
        TargetSelector {
            dialect: "openai-chat",
            flavors: FIRST_PARTY,
            model_patterns: &["gpt-4", "gpt-3"],
        },
        OLD_OPENAI,
    ),
    (TargetSelector::flavors("openai-chat", FIRST_PARTY), OPENAI),
    (
        OPENROUTER_OTHER_VENDORS,
        ToolProfile { web_search: Some(&web_search::OPENROUTER), ..COMPATIBLE },
    ),
    (
        TargetSelector::flavors("openai-chat", &["openrouter"]),
        ToolProfile {
            max_tools: None,
            shapes: &shapes::CHAT_OPEN,
            web_search: Some(&web_search::OPENROUTER),
            ..OPENAI
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["generic"]),
        ToolProfile {
            name_format: ASCII_64,
            called_name_format: ASCII_64,
            shapes: &shapes::CHAT_CLOSED,
            accepts_empty_list: false,
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["deepseek"]),
        ToolProfile {
            name_format: ASCII_64,
            called_name_format: ASCII_64,
            unique_names: true,
            schema: SchemaProfile { root: SchemaRoot::ObjectIfPresent, ..ANY_SCHEMA },
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["mistral"]),
        ToolProfile {
            name_format: ASCII_64,
            called_name_format: ASCII_64,
            shapes: &shapes::CHAT_UNTYPED,
            schema: SchemaProfile { draft: SchemaDraft::Draft7, ..ANY_SCHEMA },
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["qwen"]),
        ToolProfile { name_format: ANY_64, called_name_format: ANY_64, ..COMPATIBLE },
    ),
    (
        TargetSelector::flavors("openai-chat", &["moonshot"]),
        ToolProfile {
            schema: SchemaProfile {
                root: SchemaRoot::ObjectIfPresent,
                references_stand_alone: true,
                ..ANY_SCHEMA
            },
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["gemini-compat"]),
        ToolProfile {
            schema: SchemaProfile {
                rejected_keywords: NOT_IN_GEMINI,
                restricted: true,
                ..ANY_SCHEMA
            },
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["cerebras"]),
        ToolProfile { strict: StrictMode::AllOrNone, ..COMPATIBLE },
    ),
    (
        TargetSelector::flavors("openai-chat", &["vllm"]),
        ToolProfile { accepts_empty_list: false, ..COMPATIBLE },
    ),
    (
        TargetSelector::flavors("openai-chat", &["ollama"]),
        ToolProfile {
            schema: SchemaProfile { properties_need_object: true, ..ANY_SCHEMA },
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["llama.cpp"]),
        ToolProfile { shapes: &shapes::ANYTHING, ..COMPATIBLE },
    ),
    (TargetSelector::dialect("openai-chat"), COMPATIBLE),
    (
        TargetSelector::flavors("openai-responses", &["llama.cpp"]),
        // "'tools' must be an array of objects"
        ToolProfile {
            shapes: &shapes::IGNORES_NON_TOOLS,
            has_namespaces: true,
            accepts_null_list: false,
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors("openai-responses", &["azure"]),
        ToolProfile { web_search: None, ..RESPONSES },
    ),
    (TargetSelector::dialect("openai-responses"), RESPONSES),
    (
        TargetSelector { dialect: "gemini", flavors: VERTEX, model_patterns: &[] },
        ToolProfile {
            shapes: &shapes::VERTEX,
            schema: SchemaProfile { openapi: Some(OpenApiSubset::Extended), ..GEMINI.schema },
            hosted_tool_mixing: HostedToolMixing::Never,
            ..GEMINI
        },
    ),
    (
        TargetSelector::models("gemini", OLD_GEMINI_MODELS),
        ToolProfile { hosted_tool_mixing: HostedToolMixing::Never, ..GEMINI },
    ),
    (TargetSelector::dialect("gemini"), GEMINI),
    (TargetSelector::models("bedrock", &["claude"]), BEDROCK_CLAUDE),
    (TargetSelector::models("bedrock", BEDROCK_OTHER_VENDORS), BEDROCK),
    (TargetSelector::dialect("bedrock"), BEDROCK_CLAUDE),
];

const ANY_SCHEMA: SchemaProfile = SchemaProfile {
    root: SchemaRoot::Unchecked,
    rejected_at_root: &[],
    property_names: None,
    accepts_null: false,
    draft: SchemaDraft::Unchecked,
    arrays_need_items: false,
    properties_need_object: false,
    references_stand_alone: false,
    rejected_keywords: &[],
    restricted: false,
    openapi: None,
    inlines_references: false,
};

const ANTHROPIC: ToolProfile = ToolProfile {
    history_needs_tools: true,
    supports_choice_none: true,
    name_format: NameFormat { max_chars: Some(128), ..ASCII_64 },
    called_name_format: ASCII_64,
    required_names: REQUIRED_NAMES,
    typed_tools_have_names: true,
    unique_names: true,
    tool_adding_kind: None,
    hosted_call_kinds: &[],
    has_namespaces: false,
    max_tools: None,
    requires_list: true,
    accepts_empty_list: true,
    accepts_null_list: true,
    max_description_chars: None,
    shapes: &shapes::ANTHROPIC,
    schema: SchemaProfile {
        root: SchemaRoot::ObjectRequired,
        rejected_at_root: CHOICE_KEYWORDS,
        property_names: Some(NameFormat { punctuation: Some("_.-"), ..ASCII_64 }),
        draft: SchemaDraft::Draft2020,
        ..ANY_SCHEMA
    },
    strict: StrictMode::Compiled { max_tools: 20, max_optional: 24 },
    deferred_loading: true,
    input_examples: true,
    hosted_tool_mixing: HostedToolMixing::Allowed,
    unmixable_tools: &[],
    web_search: Some(&web_search::MESSAGES),
};

/// Servers that check very little.
const COMPATIBLE: ToolProfile = ToolProfile {
    history_needs_tools: false,
    name_format: ANY_NAME,
    called_name_format: ANY_NAME,
    required_names: &[],
    typed_tools_have_names: false,
    unique_names: false,
    shapes: &shapes::CHAT_OPEN,
    schema: ANY_SCHEMA,
    strict: StrictMode::Unchecked,
    deferred_loading: false,
    input_examples: false,
    web_search: None,
    ..ANTHROPIC
};

const OPENAI: ToolProfile = ToolProfile {
    name_format: ASCII_64,
    called_name_format: ASCII_64,
    max_tools: Some(128),
    accepts_empty_list: false,
    shapes: &shapes::OPENAI_CHAT,
    schema: SchemaProfile {
        root: SchemaRoot::ObjectIfPresent,
        rejected_at_root: REJECTED_AT_ROOT,
        arrays_need_items: true,
        ..ANY_SCHEMA
    },
    strict: StrictMode::Closed(NOT_IN_STRICT),
    ..COMPATIBLE
};
const OLD_OPENAI: ToolProfile = ToolProfile { max_description_chars: Some(1024), ..OPENAI };

const RESPONSES: ToolProfile = ToolProfile {
    unique_names: true,
    has_namespaces: true,
    accepts_empty_list: true,
    shapes: &shapes::RESPONSES,
    schema: SchemaProfile { accepts_null: true, ..OPENAI.schema },
    tool_adding_kind: Some("additional_tools"),
    strict: StrictMode::Closed(NOT_IN_RESPONSES_STRICT),
    web_search: Some(&web_search::RESPONSES),
    ..OPENAI
};

const GEMINI: ToolProfile = ToolProfile {
    name_format: NameFormat { punctuation: Some("_.:-"), starts_with_letter: true, ..ASCII_64 },
    called_name_format: NameFormat { allows_empty: false, ..ANY_NAME },
    unique_names: true,
    max_tools: Some(512),
    shapes: &shapes::AI_STUDIO,
    schema: SchemaProfile {
        root: SchemaRoot::AnySchema,
        accepts_null: true,
        openapi: Some(OpenApiSubset::Basic),
        inlines_references: true,
        ..ANY_SCHEMA
    },
    requires_list: false,
    hosted_tool_mixing: HostedToolMixing::OptIn("includeServerSideToolInvocations"),
    unmixable_tools: HOSTED_TOOLS,
    web_search: Some(&web_search::GEMINI),
    ..COMPATIBLE
};

const BEDROCK: ToolProfile = ToolProfile {
    history_needs_tools: true,
    supports_choice_none: false,
    name_format: ASCII_64,
    called_name_format: ASCII_64,
    hosted_call_kinds: &[],
    requires_list: false,
    accepts_empty_list: false,
    shapes: &shapes::BEDROCK,
    schema: SchemaProfile { root: SchemaRoot::ObjectRequired, ..ANY_SCHEMA },
    ..COMPATIBLE
};
const BEDROCK_CLAUDE: ToolProfile =
    ToolProfile { unique_names: true, schema: ANTHROPIC.schema, ..BEDROCK };

/// Servers of `OpenAI` models.
const FIRST_PARTY: &[&str] = &["", "openai", "azure"];
const DOTTED_NAME_MODELS: TargetSelector =
    TargetSelector { dialect: "openai-chat", flavors: &["azure"], model_patterns: &["o4"] };
/// Vendors behind the relay with their own checks of tools.
const OPENROUTER_OTHER_VENDORS: TargetSelector = TargetSelector {
    dialect: "openai-chat",
    flavors: &["openrouter"],
    model_patterns: &["anthropic/", "google/"],
};
const VERTEX: &[&str] = &["vertex"];
