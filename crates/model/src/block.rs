//! What a turn is made of.

use interlingua_wire::{Json, Text};

use crate::{DialectId, Extras, Verbatim};

#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub body: Body,
    /// Present when only its issuer can vouch for this block: it goes back whole, or not at all.
    pub seal: Option<Box<Seal>>,
    /// The client asks for the prompt to be cached up to here.
    pub cache: Option<Box<Cache>>,
    pub extras: Extras,
}

/// A closed set: a new variant must visit every dialect, so nobody matches it with a wildcard.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    Text {
        text: Text,
        citations: Vec<Citation>,
    },
    /// The model declines, in a place of its own.
    Refusal(Text),
    Thinking(Thinking),
    Media(Box<Media>),
    /// Structured data where others would write text, such as a tool's result.
    Data(Json),
    ToolCall(ToolCall),
    ToolResult(ToolResult),
    /// A block only its own dialect understands, as written there.
    Foreign {
        dialect: DialectId,
        kind: Text,
        json: Json,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Thinking {
    pub text: Text,
    pub form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The reasoning itself.
    Full,
    /// A summary that the provider shows in its place.
    Summary,
    /// Nothing to show: the seal is all there is.
    Redacted,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    pub id: Text,
    pub name: Text,
    pub args: Args,
}

/// The arguments of a call. What cannot be read is kept, and never becomes `{}` in silence.
#[derive(Clone, Debug, PartialEq)]
pub enum Args {
    /// A JSON value, normally an object.
    Json(Json),
    /// Something that was to be JSON and is not; empty when nothing came.
    Malformed(Text),
    /// Free text for a tool that takes it.
    Freeform(Text),
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The id of the call it answers.
    pub call: Text,
    /// The tool's name, where the dialect repeats it.
    pub name: Option<Text>,
    pub content: Vec<Verbatim<Block>>,
    pub is_error: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Media {
    pub kind: MediaKind,
    pub source: Source,
    /// File name or title.
    pub name: Option<Text>,
    /// How closely to look at an image, in the words of the client.
    pub detail: Option<Text>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaKind {
    Image,
    Document,
    Audio,
    Video,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// `mime` may be missing where the client did not say.
    Base64 {
        mime: Option<Text>,
        data: Text,
    },
    Url {
        mime: Option<Text>,
        url: Text,
    },
    /// An id in the provider's own store of files.
    File {
        mime: Option<Text>,
        id: Text,
    },
    /// A document given as plain text.
    Text(Text),
    /// A document given as blocks.
    Blocks(Vec<Verbatim<Block>>),
}

/// A mark on a text that says where it comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Citation {
    pub url: Option<Text>,
    pub title: Option<Text>,
    /// The words cited.
    pub quote: Option<Text>,
    /// First character and the one after the last, in the text that carries the mark.
    pub span: Option<(u64, u64)>,
    /// The mark as its dialect wrote it.
    pub written: Option<(DialectId, Json)>,
}

/// A provider's signature.
#[derive(Clone, Debug, PartialEq)]
pub struct Seal {
    pub origin: Origin,
    pub data: Text,
    /// The provider's id of the sealed thing, where it has one.
    pub id: Option<Text>,
}

/// Who made a seal, and so who can open it.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    pub issuer: Text,
    pub model: Option<Text>,
}

/// A cache breakpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Cache {
    /// How long, in the words of the client.
    pub ttl: Option<Text>,
}

impl Block {
    pub fn new(body: Body) -> Self {
        Self { body, seal: None, cache: None, extras: Extras::default() }
    }

    pub fn text(text: Text) -> Self {
        Self::new(Body::Text { text, citations: Vec::new() })
    }

    #[must_use]
    pub fn sealed(mut self, seal: Option<Seal>) -> Self {
        self.seal = seal.map(Box::new);
        self
    }

    /// Bytes of the arguments, of a call.
    pub fn arguments(&self) -> usize {
        if let Body::ToolCall(call) = &self.body { call.args.len() } else { 0 }
    }
}

impl Body {
    pub fn as_text(&self) -> Option<&Text> {
        match self {
            Self::Text { text, .. } => Some(text),
            Self::Refusal(_)
            | Self::Thinking(_)
            | Self::Media(_)
            | Self::Data(_)
            | Self::ToolCall(_)
            | Self::ToolResult(_)
            | Self::Foreign { .. } => None,
        }
    }
}

impl Args {
    /// Arguments that come as a string which should hold JSON.
    pub fn from_text(text: &Text) -> Self {
        text.as_json().map_or_else(|_| Self::Malformed(text.clone()), Self::Json)
    }

    /// Bytes, as they are written.
    pub fn len(&self) -> usize {
        match self {
            Self::Json(json) => json.as_str().len(),
            Self::Malformed(text) | Self::Freeform(text) => text.raw().len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The arguments as text, for dialects that carry them in a string.
    pub fn to_text(&self) -> Text {
        match self {
            Self::Json(json) => Text::new(json.as_str()),
            Self::Malformed(text) | Self::Freeform(text) => text.clone(),
        }
    }
}

impl Seal {
    pub fn new(issuer: Text, data: Text) -> Self {
        Self { origin: Origin { issuer, model: None }, data, id: None }
    }
}
