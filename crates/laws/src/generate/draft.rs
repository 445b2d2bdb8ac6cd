//! The dialect-neutral draft of a conversation, before it is encoded in a dialect.

use serde_json::Value;

#[derive(Clone, Debug, Default)]
pub(super) struct ConversationDraft {
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
    Unknown(&'static str),
}

#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) content: DraftContent,
    /// A cache breakpoint in the form of the Messages API.
    pub(super) cache: Option<Value>,
}

#[derive(Clone, Debug)]
pub(super) enum DraftContent {
    Text(String),
    Refusal(String),
    Thinking {
        text: String,
        seal: Option<String>,
    },
    /// Thinking without readable text.
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
    /// A value that is not a block, or a block of an unknown type.
    Unknown(Value),
}

#[derive(Clone, Debug)]
pub(super) enum Args {
    /// Mostly an object.
    Json(Value),
    /// Text in place of JSON: truncated, doubly encoded, empty.
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
    Text(String),
}

#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) schema: Option<Value>,
    /// One further field, known or unknown.
    pub(super) extra_field: Option<(&'static str, Value)>,
}

impl Block {
    pub(super) fn new(content: DraftContent) -> Self {
        Self { content, cache: None }
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::new(DraftContent::Text(text.into()))
    }

    pub(super) fn is_result(&self) -> bool {
        matches!(self.content, DraftContent::Result { .. })
    }

    pub(super) fn is_call(&self) -> bool {
        matches!(self.content, DraftContent::Call { .. })
    }

    pub(super) fn is_thinking(&self) -> bool {
        matches!(self.content, DraftContent::Thinking { .. } | DraftContent::Redacted(_))
    }
}

impl Turn {
    pub(super) fn new(role: Role, blocks: Vec<Block>) -> Self {
        Self { role, blocks }
    }
}
