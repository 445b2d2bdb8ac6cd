//! One request: everything an agent sends to a model each turn.

use interlingua_wire::{Json, Text};

use crate::{Block, Body, DialectId, Extras, Settings, Tool, Verbatim};

#[derive(Clone, Debug)]
pub struct Conversation {
    /// The dialect the client wrote in.
    pub source: DialectId,
    pub model: Option<Text>,
    /// Instructions from the dialect's own place for them, outside the list of turns. The text of
    /// the whole is the value of that field.
    pub system: Verbatim<Vec<Verbatim<Block>>>,
    pub turns: Vec<Verbatim<Turn>>,
    /// The text of the whole is the list as written.
    pub tools: Verbatim<Vec<Verbatim<Tool>>>,
    /// The text stands for all settings fields together: present means none was edited. Apart: they are large, and
    /// what is decoded goes from hand to hand.
    pub settings: Verbatim<Box<Settings>>,
    /// The fields of the body in the order written, for leaving in the same dialect.
    pub fields: Vec<TopField>,
}

/// A field of the body.
#[derive(Clone, Debug)]
pub struct TopField {
    pub key: Text,
    pub value: Json,
    /// The model holds its meaning; otherwise it cannot cross to another dialect.
    pub known: bool,
}

/// One element of the client's list: a message, or an item where the dialect lists items.
/// Neighbours of one role are joined only when encoded for a dialect that wants it.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    pub role: Role,
    pub blocks: Vec<Verbatim<Block>>,
    pub extras: Extras,
}

/// Tool results are the user's: where a dialect has a role of its own for them, that is spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    System,
    Developer,
    User,
    Assistant,
}

impl Conversation {
    pub fn new(source: DialectId) -> Self {
        Self {
            source,
            model: None,
            system: Verbatim::default(),
            turns: Vec::new(),
            tools: Verbatim::default(),
            settings: Verbatim::default(),
            fields: Vec::new(),
        }
    }

    /// The call that a result answers: the last one with its id before `turn`.
    pub fn call_of(&self, turn: usize, id: &Text) -> Option<&crate::ToolCall> {
        let before = self.turns.get(..turn).unwrap_or(&self.turns);
        before.iter().rev().flat_map(|turn| turn.blocks.iter().rev()).find_map(|block| match &block
            .body
        {
            Body::ToolCall(call) if call.id == *id => Some(call),
            _ => None,
        })
    }
}

impl Turn {
    pub fn new(role: Role) -> Self {
        Self { role, blocks: Vec::new(), extras: Extras::default() }
    }

    /// It says nothing that could be sent back: thoughts alone are no answer, and blank words are refused.
    pub fn is_silent(&self) -> bool {
        self.blocks.iter().all(|block| match &block.body {
            Body::Text { text, .. } | Body::Refusal(text) => text.is_blank(),
            Body::Thinking(_) => true,
            Body::ToolCall(_)
            | Body::ToolResult(_)
            | Body::Media(_)
            | Body::Data(_)
            | Body::Foreign { .. } => false,
        })
    }

    /// Some provider vouches for a block of this turn, and perhaps for its place.
    pub fn is_sealed(&self) -> bool {
        self.blocks.iter().any(|block| block.seal.is_some())
    }
}
