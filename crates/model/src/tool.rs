//! A tool that the model may call.

use interlingua_wire::{JsonString, RawJson};

use crate::{CacheBreakpoint, DialectId, Extras};

/// A tool definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    pub name: JsonString,
    pub description: Option<JsonString>,
    pub kind: ToolKind,
    /// Whether the provider enforces the schema.
    pub strict: Option<bool>,
    /// The group of the tool, in dialects that group tools.
    pub namespace: Option<JsonString>,
    pub cache_breakpoint: Option<Box<CacheBreakpoint>>,
    pub extras: Extras,
}

/// What a tool takes as its input.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolKind {
    /// Takes a JSON object; `None` if the client sent no schema.
    Function { schema: Option<RawJson> },
    /// Takes free text, optionally of a given grammar.
    Freeform { format: Option<RawJson> },
    /// A built-in tool of one dialect, run by the client or by the provider.
    Foreign { dialect: DialectId, kind: JsonString, json: RawJson },
}

impl Tool {
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
