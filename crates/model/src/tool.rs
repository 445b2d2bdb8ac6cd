//! A tool that the model may call.

use interlingua_wire::{JsonString, RawJson};

use crate::{CacheBreakpoint, DialectId, Extras};

/// A tool definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name by which the model calls the tool.
    pub name: JsonString,
    /// What the tool does, for the model.
    pub description: Option<JsonString>,
    /// What the tool takes.
    pub kind: ToolKind,
    /// Whether the provider enforces the schema.
    pub strict: Option<bool>,
    /// The group of the tool, in dialects that group tools.
    pub namespace: Option<JsonString>,
    /// The client's cache breakpoint after this tool.
    pub cache_breakpoint: Option<Box<CacheBreakpoint>>,
    /// Fields that the model does not represent, by dialect.
    pub extras: Extras,
}

/// What a tool takes as its input.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolKind {
    /// Takes a JSON object; `None` if the client sent no schema.
    Function {
        /// The JSON Schema of the arguments, as written.
        schema: Option<RawJson>,
    },
    /// Takes free text, optionally of a given grammar.
    Freeform {
        /// The grammar of the text, as written.
        format: Option<RawJson>,
    },
    /// A built-in tool of one dialect, run by the client or by the provider.
    Foreign {
        /// The dialect that understands the tool.
        dialect: DialectId,
        /// The tool's type in that dialect.
        kind: JsonString,
        /// The whole tool.
        json: RawJson,
    },
}

impl Tool {
    /// A tool without description.
    pub fn new(name: JsonString, kind: ToolKind) -> Self {
        Self {
            name,
            description: None,
            kind,
            strict: None,
            namespace: None,
            cache_breakpoint: None,
            extras: Extras::default(),
        }
    }
}
