//! How each provider spells a turn: whole, and as a stream of events.

mod anthropic;
mod bedrock;
pub mod error;
mod gemini;
pub mod head;
pub mod models;
mod openai_chat;
mod openai_chat_flavor;
mod openai_responses;
mod openai_responses_stream;

use bytes::Bytes;
use interlingua_strict as strict;
use interlingua_strict::seal::Key;
use serde_json::Value;

use crate::api::Api;
use crate::hear::Heard;
use crate::seed::Seed;
use crate::turn::Turn;

/// Who speaks, to which request, and what.
#[derive(Clone, Debug)]
pub struct Voice<'v> {
    pub api: Api,
    pub flavor: &'v str,
    pub model: &'v str,
    pub body: &'v Value,
    /// The request as the judge sees it: seals follow from it.
    pub request: strict::Request<'v>,
    pub heard: &'v Heard,
    pub turn: &'v Turn,
    pub key: &'v Key,
    pub seed: Seed,
    /// How many characters are one delta.
    pub pieces: usize,
    /// The stream is one JSON array instead of events.
    pub array: bool,
}

/// One event of a stream, as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub bytes: Bytes,
    pub place: Place,
}

/// What an event is to the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Start,
    Content,
    /// Says why the model stopped.
    Finish,
    /// Comes last.
    End,
}

/// The reply as one body.
pub fn whole(voice: &Voice<'_>) -> Value {
    match voice.api {
        Api::Anthropic => anthropic::whole(voice),
        Api::Chat => openai_chat::whole(voice),
        Api::Responses => openai_responses::whole(voice),
        Api::Gemini => gemini::whole(voice),
        Api::Bedrock => bedrock::whole(voice),
    }
}

/// The id of the reply, and what it adds to a conversation that the provider holds.
pub(crate) fn kept(voice: &Voice<'_>) -> Option<(String, Vec<Value>)> {
    match voice.api {
        Api::Anthropic => Some(anthropic::kept(voice)),
        Api::Responses => Some(openai_responses::kept(voice)),
        Api::Chat | Api::Gemini | Api::Bedrock => None,
    }
}

/// The reply as a stream.
pub fn stream(voice: &Voice<'_>) -> Vec<Frame> {
    match voice.api {
        Api::Anthropic => anthropic::stream(voice),
        Api::Chat => openai_chat::stream(voice),
        Api::Responses => openai_responses_stream::stream(voice),
        Api::Gemini => gemini::stream(voice),
        Api::Bedrock => bedrock::stream(voice),
    }
}

impl Frame {
    pub(crate) fn new(bytes: impl Into<Bytes>, place: Place) -> Self {
        Self { bytes: bytes.into(), place }
    }

    /// An event with a name, which is also the type of its data.
    fn named(data: &Value, place: Place) -> Self {
        let name = data.get("type").and_then(Value::as_str).unwrap_or_default();
        Self::new(format!("event: {name}\ndata: {data}\n\n"), place)
    }

    /// An event without a name.
    fn data(data: &Value, place: Place) -> Self {
        Self::new(format!("data: {data}\n\n"), place)
    }
}

impl Voice<'_> {
    fn pieces<'t>(&self, text: &'t str) -> Vec<&'t str> {
        pieces(text, self.pieces)
    }

    /// Everything that was read.
    fn all_input(&self) -> u64 {
        self.turn.usage.input + self.turn.usage.cached
    }

    /// Everything that was written, thoughts included.
    fn all_output(&self) -> u64 {
        self.turn.usage.output + self.turn.usage.thinking
    }
}

/// Cuts a text into runs of so many characters.
fn pieces(text: &str, size: usize) -> Vec<&str> {
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

/// The arguments as a value, where an API has no place for text: what is no JSON stays a string.
fn parsed(arguments: &str) -> Value {
    if arguments.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    serde_json::from_str(arguments).unwrap_or_else(|_| Value::String(arguments.to_owned()))
}

/// When everything is said to happen: nothing depends on the clock.
pub(crate) const NOW: u64 = 1_767_225_600;
pub(crate) const NOW_RFC3339: &str = "2026-01-01T00:00:00Z";
