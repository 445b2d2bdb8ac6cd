//! Encodes a turn for each API, as one body or as a stream of events.

mod anthropic;
mod bedrock;
pub mod error;
mod gemini;
pub mod headers;
pub mod models;
mod openai_chat;
mod openai_chat_flavor;
mod openai_responses;
mod openai_responses_stream;

use bytes::Bytes;
use interlingua_strict as strict;
use interlingua_strict::seal::SealKey;
use serde_json::Value;

use crate::api::Api;
use crate::parse::ModelInput;
use crate::seed::IdSeed;
use crate::turn::Turn;

/// The target, the request and the turn that a reply is encoded from.
#[derive(Clone, Debug)]
pub struct RenderContext<'v> {
    pub api: Api,
    pub flavor: &'v str,
    pub model: &'v str,
    pub body: &'v Value,
    /// The request in the form of the judge; seals are computed from it.
    pub request: strict::Request<'v>,
    pub input: &'v ModelInput,
    pub turn: &'v Turn,
    pub seal_key: &'v SealKey,
    pub id_seed: IdSeed,
    /// Characters per delta.
    pub delta_chars: usize,
    /// The stream is one JSON array instead of events.
    pub as_array: bool,
}

/// One event of a stream, as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub bytes: Bytes,
    pub role: FrameRole,
}

/// The position of an event in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameRole {
    Start,
    Content,
    /// Has the stop reason.
    Finish,
    /// The last event.
    End,
}

/// The reply as one body.
pub fn render_body(cx: &RenderContext<'_>) -> Value {
    match cx.api {
        Api::Anthropic => anthropic::body(cx),
        Api::Chat => openai_chat::body(cx),
        Api::Responses => openai_responses::body(cx),
        Api::Gemini => gemini::body(cx),
        Api::Bedrock => bedrock::body(cx),
    }
}

/// The id of the reply, and the messages that the provider stores for it.
pub(crate) fn stored_messages(cx: &RenderContext<'_>) -> Option<(String, Vec<Value>)> {
    match cx.api {
        Api::Anthropic => Some(anthropic::stored_messages(cx)),
        Api::Responses => Some(openai_responses::stored_items(cx)),
        Api::Chat | Api::Gemini | Api::Bedrock => None,
    }
}

/// The reply as a stream.
pub fn render_stream(cx: &RenderContext<'_>) -> Vec<Frame> {
    match cx.api {
        Api::Anthropic => anthropic::frames(cx),
        Api::Chat => openai_chat::frames(cx),
        Api::Responses => openai_responses_stream::frames(cx),
        Api::Gemini => gemini::frames(cx),
        Api::Bedrock => bedrock::frames(cx),
    }
}

impl Frame {
    pub(crate) fn new(bytes: impl Into<Bytes>, role: FrameRole) -> Self {
        Self { bytes: bytes.into(), role }
    }

    /// An SSE event with a name: the `type` of its data.
    fn named_event(data: &Value, role: FrameRole) -> Self {
        let name = data.get("type").and_then(Value::as_str).unwrap_or_default();
        Self::new(format!("event: {name}\ndata: {data}\n\n"), role)
    }

    /// An SSE event without a name.
    fn data_event(data: &Value, role: FrameRole) -> Self {
        Self::new(format!("data: {data}\n\n"), role)
    }
}

impl RenderContext<'_> {
    fn split<'t>(&self, text: &'t str) -> Vec<&'t str> {
        split_chars(text, self.delta_chars)
    }

    /// Input tokens, with the cached ones.
    fn total_input_tokens(&self) -> u64 {
        self.turn.usage.input + self.turn.usage.cached
    }

    /// Output tokens, with reasoning.
    fn total_output_tokens(&self) -> u64 {
        self.turn.usage.output + self.turn.usage.thinking
    }
}

/// Splits a text into pieces of `size` characters.
fn split_chars(text: &str, size: usize) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.char_indices().nth(size.max(1)).map_or(rest.len(), |(at, _)| at);
        let (piece, more) = rest.split_at(end);
        out.push(piece);
        rest = more;
    }
    out
}

/// The arguments as a value, for APIs without argument texts; invalid JSON becomes a string.
fn parse_arguments(arguments: &str) -> Value {
    if arguments.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    serde_json::from_str(arguments).unwrap_or_else(|_| Value::String(arguments.to_owned()))
}

/// The time in all replies, so that they do not depend on the clock.
pub(crate) const FIXED_UNIX_TIME: u64 = 1_767_225_600;
pub(crate) const FIXED_RFC3339_TIME: &str = "2026-01-01T00:00:00Z";
