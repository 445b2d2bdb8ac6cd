//! What a reply is encoded from, and the events of a stream.

use bytes::Bytes;
use interlingua_strict as strict;
use interlingua_strict::seal::SealKey;
use serde_json::Value;

use crate::parse::ModelInput;
use crate::route::Api;
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

impl Frame {
    pub(crate) fn new(bytes: impl Into<Bytes>, role: FrameRole) -> Self {
        Self { bytes: bytes.into(), role }
    }

    /// An SSE event with a name: the `type` of its data.
    pub(super) fn named_event(data: &Value, role: FrameRole) -> Self {
        let name = data.get("type").and_then(Value::as_str).unwrap_or_default();
        Self::new(format!("event: {name}\ndata: {data}\n\n"), role)
    }

    /// An SSE event without a name.
    pub(super) fn data_event(data: &Value, role: FrameRole) -> Self {
        Self::new(format!("data: {data}\n\n"), role)
    }
}

impl RenderContext<'_> {
    pub(super) fn split<'t>(&self, text: &'t str) -> Vec<&'t str> {
        split_chars(text, self.delta_chars)
    }

    /// Input tokens, with the cached ones.
    pub(super) fn total_input_tokens(&self) -> u64 {
        self.turn.usage.input + self.turn.usage.cached
    }

    /// Output tokens, with reasoning.
    pub(super) fn total_output_tokens(&self) -> u64 {
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
pub(super) fn parse_arguments(arguments: &str) -> Value {
    if arguments.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    serde_json::from_str(arguments).unwrap_or_else(|_| Value::String(arguments.to_owned()))
}

/// The time in all replies, so that they do not depend on the clock.
pub(crate) const FIXED_UNIX_TIME: u64 = 1_767_225_600;
pub(crate) const FIXED_RFC3339_TIME: &str = "2026-01-01T00:00:00Z";
