//! A conversation in no dialect: what an agent, its user and its tools say, and what went wrong.

use serde_json::Value;

#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    pub(super) system: Vec<Block>,
    pub(super) turns: Vec<Turn>,
    pub(super) tools: Vec<Tool>,
}

#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) role: Role,
    pub(super) blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
    System,
    /// A role that does not exist.
    Odd(&'static str),
}

#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) part: Part,
    /// A cache marker, as the Messages API writes it.
    pub(super) cache: Option<Value>,
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(String),
    Refusal(String),
    Thinking {
        text: String,
        seal: Option<String>,
    },
    /// Thinking that nobody may read.
    Redacted(String),
    Call {
        id: String,
        name: String,
        args: Args,
    },
    Result {
        id: Option<String>,
        name: String,
        content: Vec<Block>,
        error: bool,
    },
    Media(Media),
    /// Something that is no block, or one that nobody knows.
    Odd(Value),
}

#[derive(Clone, Debug)]
pub(super) enum Args {
    /// An object, as it should be.
    Json(Value),
    /// Text where JSON belongs: cut off, doubly encoded, empty.
    Text(String),
}

#[derive(Clone, Debug)]
pub(super) struct Media {
    /// `image`, `document`, `audio`, `video`.
    pub(super) kind: &'static str,
    pub(super) mime: &'static str,
    pub(super) source: Source,
    pub(super) name: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub(super) enum Source {
    Base64(String),
    Url(String),
    File(String),
    Plain(String),
}

#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) about: Option<String>,
    pub(super) schema: Option<Value>,
    /// Further fields, known or not.
    pub(super) extra: Option<(&'static str, Value)>,
}

impl Block {
    pub(super) fn new(part: Part) -> Self {
        Self { part, cache: None }
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::new(Part::Text(text.into()))
    }

    pub(super) fn is_result(&self) -> bool {
        matches!(self.part, Part::Result { .. })
    }

    pub(super) fn is_call(&self) -> bool {
        matches!(self.part, Part::Call { .. })
    }

    pub(super) fn is_thinking(&self) -> bool {
        matches!(self.part, Part::Thinking { .. } | Part::Redacted(_))
    }
}

impl Turn {
    pub(super) fn new(role: Role, blocks: Vec<Block>) -> Self {
        Self { role, blocks }
    }
}
