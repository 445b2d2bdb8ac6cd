//! What a model may call.

use interlingua_wire::{Json, Text};

use crate::{Cache, DialectId, Extras};

#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    pub name: Text,
    pub description: Option<Text>,
    pub kind: ToolKind,
    /// The provider shall hold the model to the schema.
    pub strict: Option<bool>,
    /// The group the tool belongs to, where the dialect groups tools.
    pub namespace: Option<Text>,
    pub cache: Option<Box<Cache>>,
    pub extras: Extras,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ToolKind {
    /// Takes a JSON object; `None` where no schema was given.
    Function { schema: Option<Json> },
    /// Takes free text, perhaps of a given grammar.
    Freeform { format: Option<Json> },
    /// Known to one provider by its type alone, run by the client or by the provider.
    Foreign { dialect: DialectId, kind: Text, json: Json },
}

impl Tool {
    pub fn new(name: Text, kind: ToolKind) -> Self {
        Self {
            name,
            description: None,
            kind,
            strict: None,
            namespace: None,
            cache: None,
            extras: Extras::default(),
        }
    }
}
