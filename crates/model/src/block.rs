//! Content blocks of a turn: text, reasoning, media, tool calls and tool results.

use interlingua_wire::{JsonString, RawJson};

use crate::{DialectId, Extras, Verbatim};

/// A content block with its seal, cache breakpoint and extra fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What the block holds.
    pub content: BlockContent,
    /// The provider's signature. The provider verifies a sealed block, so it is sent back unchanged
    /// or not at all.
    pub seal: Option<Box<Seal>>,
    /// The client's cache breakpoint after this block.
    pub cache_breakpoint: Option<Box<CacheBreakpoint>>,
    /// Fields that the model does not represent, by dialect.
    pub extras: Extras,
}

/// What a block holds. The enum is closed and matched without wildcards, so that a new variant does
/// not compile until every dialect handles it.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockContent {
    /// Text, with the sources of its passages.
    Text {
        /// The text.
        text: JsonString,
        /// The sources of its passages.
        citations: Vec<Citation>,
    },
    /// The model's refusal, in a field separate from the text.
    Refusal(JsonString),
    /// The model's reasoning, or a summary of it.
    Reasoning(Reasoning),
    /// An image, document, audio or video.
    Media(Box<Media>),
    /// Structured JSON, such as a tool result.
    Json(RawJson),
    /// A tool call by the model.
    ToolCall(ToolCall),
    /// The result of a tool call.
    ToolResult(ToolResult),
    /// A block that only one dialect understands, as JSON of that dialect.
    Foreign {
        /// The dialect that understands the block.
        dialect: DialectId,
        /// The block's type in that dialect.
        kind: JsonString,
        /// The whole block.
        json: RawJson,
    },
}

/// The text of a reasoning block and its form.
#[derive(Clone, Debug, PartialEq)]
pub struct Reasoning {
    /// The reasoning; empty if it is redacted.
    pub text: JsonString,
    /// Whether the text is complete, a summary or redacted.
    pub form: ReasoningForm,
}

/// Whether reasoning is complete, summarized or redacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningForm {
    /// The complete reasoning.
    Full,
    /// A summary that the provider shows instead of the reasoning.
    Summary,
    /// No text; only the seal.
    Redacted,
}

/// A tool call by the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The id that the result refers to.
    pub id: JsonString,
    /// The name of the tool.
    pub name: JsonString,
    /// The arguments.
    pub args: ToolArgs,
}

/// The arguments of a tool call. Arguments that cannot be parsed are kept as text instead of
/// becoming `{}`.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolArgs {
    /// A JSON value, normally an object.
    Json(RawJson),
    /// Text that should be JSON and is not; empty if no arguments were received.
    Malformed(JsonString),
    /// Free text, for a tool that accepts it.
    Freeform(JsonString),
}

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The id of the tool call that this result answers.
    pub call_id: JsonString,
    /// The tool's name, if the dialect repeats it in the result.
    pub name: Option<JsonString>,
    /// What the tool returned.
    pub content: Vec<Verbatim<Block>>,
    /// Whether the call failed.
    pub is_error: bool,
}

/// An image, document, audio or video.
#[derive(Clone, Debug, PartialEq)]
pub struct Media {
    /// Whether it is an image, a document, audio or video.
    pub kind: MediaKind,
    /// Where its data is.
    pub source: MediaSource,
    /// File name or title.
    pub name: Option<JsonString>,
    /// The resolution at which the model examines an image, as the client wrote it (`low`, `high`).
    pub detail: Option<JsonString>,
}

/// The kind of a media block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaKind {
    /// An image.
    Image,
    /// A document, such as a PDF file or plain text.
    Document,
    /// An audio recording.
    Audio,
    /// A video.
    Video,
}

/// Where the data of a media block is.
#[derive(Clone, Debug, PartialEq)]
pub enum MediaSource {
    /// `mime` is missing if the client did not send it.
    Base64 {
        /// The media type, such as `image/png`.
        mime: Option<JsonString>,
        /// The data in Base64.
        data: JsonString,
    },
    /// An address from which the provider loads the data.
    Url {
        /// The media type, if the client sent it.
        mime: Option<JsonString>,
        /// The address.
        url: JsonString,
    },
    /// An id in the provider's file storage.
    File {
        /// The media type, if the client sent it.
        mime: Option<JsonString>,
        /// The id of the file.
        id: JsonString,
    },
    /// A document as plain text.
    Text(JsonString),
    /// A document as content blocks.
    Blocks(Vec<Verbatim<Block>>),
}

/// The source of a passage of text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Citation {
    /// Address of the source.
    pub url: Option<JsonString>,
    /// Title of the source.
    pub title: Option<JsonString>,
    /// The cited text.
    pub quote: Option<JsonString>,
    /// Offset of the first character and of the one after the last, in the text of the block.
    pub span: Option<(u64, u64)>,
    /// The citation as JSON of the dialect that encoded it.
    pub original: Option<(DialectId, RawJson)>,
}

/// A provider's signature of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Seal {
    /// Who issued the seal.
    pub origin: SealOrigin,
    /// The signature, opaque to everyone but its issuer.
    pub data: JsonString,
    /// The provider's id of the sealed item, if it has one.
    pub id: Option<JsonString>,
}

/// The issuer and model of a seal, which are able to open it.
#[derive(Clone, Debug, PartialEq)]
pub struct SealOrigin {
    /// The issuer's name.
    pub issuer: JsonString,
    /// The model that produced the sealed block, if it is known.
    pub model: Option<JsonString>,
}

/// A prompt cache breakpoint (`cache_control`).
#[derive(Clone, Debug, PartialEq)]
pub struct CacheBreakpoint {
    /// Lifetime of the cache entry, as the client wrote it (`5m`, `1h`).
    pub ttl: Option<JsonString>,
}

impl Block {
    /// A block with this content and nothing else.
    pub fn new(content: BlockContent) -> Self {
        Self { content, seal: None, cache_breakpoint: None, extras: Extras::default() }
    }

    /// A block of text.
    pub fn text(text: JsonString) -> Self {
        Self::new(BlockContent::Text { text, citations: Vec::new() })
    }

    /// The same block with this seal.
    #[must_use]
    pub fn with_seal(mut self, seal: Option<Seal>) -> Self {
        self.seal = seal.map(Box::new);
        self
    }

    /// Size of the arguments of a tool call in bytes; 0 for other blocks.
    pub fn args_len(&self) -> usize {
        if let BlockContent::ToolCall(call) = &self.content { call.args.len() } else { 0 }
    }
}

impl BlockContent {
    /// The text of a text block.
    pub fn as_text(&self) -> Option<&JsonString> {
        match self {
            Self::Text { text, .. } => Some(text),
            Self::Refusal(_)
            | Self::Reasoning(_)
            | Self::Media(_)
            | Self::Json(_)
            | Self::ToolCall(_)
            | Self::ToolResult(_)
            | Self::Foreign { .. } => None,
        }
    }
}

impl ToolArgs {
    /// Parses arguments that a dialect encodes as a JSON string.
    pub fn from_json_string(text: &JsonString) -> Self {
        text.parse_json().map_or_else(|_| Self::Malformed(text.clone()), Self::Json)
    }

    /// Size of the encoded arguments in bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::Json(json) => json.as_str().len(),
            Self::Malformed(text) | Self::Freeform(text) => text.raw().len(),
        }
    }

    /// Whether no arguments were received.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The arguments as text, for dialects that encode them as a string.
    pub fn to_json_string(&self) -> JsonString {
        match self {
            Self::Json(json) => JsonString::new(json.as_str()),
            Self::Malformed(text) | Self::Freeform(text) => text.clone(),
        }
    }
}

impl Seal {
    /// A seal of this issuer, with an unknown model.
    pub fn new(issuer: JsonString, data: JsonString) -> Self {
        Self { origin: SealOrigin { issuer, model: None }, data, id: None }
    }
}
