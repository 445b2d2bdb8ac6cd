//! One request: the complete conversation that an agent sends to a model.

use interlingua_wire::{JsonString, RawJson};

use crate::{Block, BlockContent, DialectId, Extras, Settings, Tool, Verbatim};

/// A request in no dialect: system messages, turns, tools and settings.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// The dialect of the client's request.
    pub dialect: DialectId,
    /// The requested model, by the client's name for it.
    pub model: Option<JsonString>,
    /// System messages from the dialect's separate field for them, outside the list of turns. The
    /// outer text is the value of that field.
    pub system: Verbatim<Vec<Verbatim<Block>>>,
    /// The turns in the client's order.
    pub turns: Vec<Verbatim<Turn>>,
    /// The outer text is the list of tools.
    pub tools: Verbatim<Vec<Verbatim<Tool>>>,
    /// The text represents all settings fields together: it is present if none was edited. Boxed,
    /// because settings are large and a decoded conversation is moved often.
    pub settings: Verbatim<Box<Settings>>,
    /// All fields of the body in the order written, for encoding in the same dialect.
    pub top_level_fields: Vec<TopLevelField>,
}

/// One top-level field of the request body.
#[derive(Clone, Debug)]
pub struct TopLevelField {
    /// The field's name.
    pub key: JsonString,
    /// The field's value, as written.
    pub value: RawJson,
    /// The model represents the meaning of this field. Other fields cannot cross dialects.
    pub is_modeled: bool,
    /// The keys of an object that the model represents; `None` if it represents the whole value or
    /// nothing of it.
    pub known_subfields: Option<&'static [&'static str]>,
}

/// One element of the client's list: a message, or an item in dialects that list items. Adjacent
/// turns of one role are joined only while encoding, for dialects that require it.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Whose turn it is.
    pub role: Role,
    /// What the turn consists of.
    pub blocks: Vec<Verbatim<Block>>,
    /// Fields that the model does not represent, by dialect.
    pub extras: Extras,
}

/// The role of a turn. Tool results belong to user turns; dialects with a separate role for them
/// differ only in spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Instructions.
    System,
    /// Instructions below those of `System`, in dialects that have both.
    Developer,
    /// The user, and the results of tool calls.
    User,
    /// The model.
    Assistant,
}

impl Conversation {
    /// An empty conversation in this dialect.
    pub fn new(dialect: DialectId) -> Self {
        Self {
            dialect,
            model: None,
            system: Verbatim::default(),
            turns: Vec::new(),
            tools: Verbatim::default(),
            settings: Verbatim::default(),
            top_level_fields: Vec::new(),
        }
    }

    /// The call that a result answers: the last one with this id before `turn`.
    pub fn call_before(&self, turn: usize, id: &JsonString) -> Option<&crate::ToolCall> {
        let before = self.turns.get(..turn).unwrap_or(&self.turns);
        before.iter().rev().flat_map(|turn| turn.blocks.iter().rev()).find_map(|block| match &block
            .content
        {
            BlockContent::ToolCall(call) if call.id == *id => Some(call),
            _ => None,
        })
    }
}

impl Turn {
    /// An empty turn of this role.
    pub fn new(role: Role) -> Self {
        Self { role, blocks: Vec::new(), extras: Extras::default() }
    }

    /// Whether the turn has only reasoning and white space. Providers reject such a turn when it is
    /// sent back.
    pub fn is_blank(&self) -> bool {
        self.blocks.iter().all(|block| match &block.content {
            BlockContent::Text { text, .. } | BlockContent::Refusal(text) => text.is_blank(),
            BlockContent::Reasoning(_) => true,
            BlockContent::ToolCall(_)
            | BlockContent::ToolResult(_)
            | BlockContent::Media(_)
            | BlockContent::Json(_)
            | BlockContent::Foreign { .. } => false,
        })
    }

    /// Whether a block of the turn is sealed. Some providers also verify the position of the block.
    pub fn has_sealed_block(&self) -> bool {
        self.blocks.iter().any(|block| block.seal.is_some())
    }
}
