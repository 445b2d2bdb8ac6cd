//! The tools that a request offers, as the client wrote them.

use interlingua_model::{Conversation, ToolKind};
use interlingua_wire::{Json, Text};

#[derive(Clone, Debug, Default)]
pub struct Offer {
    pub tools: Vec<(Text, Takes)>,
    /// Tools come from elsewhere, too: a name that is not listed may be known all the same.
    pub open: bool,
}

/// What a tool takes.
#[derive(Clone, Debug)]
pub enum Takes {
    /// A JSON object, of a schema if one was given.
    Object(Option<Json>),
    /// Free text, or what only the provider knows.
    Other,
}

impl Offer {
    /// What this conversation offers. Names and schemas are copied: a slice of the request would keep
    /// all of it in memory for as long as its reply takes.
    pub fn of(conversation: &Conversation) -> Self {
        let mut offer = Self { tools: Vec::with_capacity(conversation.tools.len()), open: false };
        for tool in conversation.tools.iter() {
            let takes = match &tool.kind {
                ToolKind::Function { schema } => Takes::Object(schema.as_ref().map(Json::detached)),
                ToolKind::Freeform { .. } => Takes::Other,
                ToolKind::Foreign { .. } => {
                    offer.open = true;
                    Takes::Other
                }
            };
            offer.tools.push((tool.name.detached(), takes));
        }
        offer
    }
}
