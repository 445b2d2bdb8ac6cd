//! Encodes a turn for each API, as one body or as a stream of events.

mod anthropic;
mod bedrock;
mod context;
pub mod error;
mod gemini;
pub mod headers;
pub mod models;
mod openai_chat;
mod openai_responses;

use serde_json::Value;

pub use self::context::{Frame, FrameRole, RenderContext};
use crate::route::Api;

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
        Api::Responses => openai_responses::stream::frames(cx),
        Api::Gemini => gemini::frames(cx),
        Api::Bedrock => bedrock::frames(cx),
    }
}
