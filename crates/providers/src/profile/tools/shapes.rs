//! Describes the fields of each kind of tool.

use crate::facts::facts;
use crate::shape::Shape;

facts! {
/// Kinds of tools that a target accepts, with their fields.
#[derive(Clone, Copy, Debug)]
pub struct ToolShapes {
    pub function: Shape,
    pub freeform: Shape,
    /// Tools with a provider's own type.
    pub by_type: &'static [TypedTool],
    /// Tools of any other type; `None` if they are rejected.
    pub other_types: Option<Shape>,
    /// Path of the schema within a function.
    pub schema_path: &'static [&'static str],
    /// Fields with `OpenAPI` schemas, each with the sister field for a JSON Schema; only one of
    /// both may be set.
    pub openapi_fields: &'static [(&'static str, &'static str)],
}
}

facts! {
/// A tool of one type.
#[derive(Clone, Copy, Debug)]
pub struct TypedTool {
    pub type_name: &'static str,
    pub shape: Shape,
    /// Prefix of the beta header value that enables the type; empty if none is needed.
    pub beta: &'static str,
}
}
