//! Reads the requests of every API into one input for the simulated model.

mod anthropic;
mod bedrock;
mod gemini;
mod input;
mod openai_chat;
mod openai_responses;

use serde_json::Value;

pub use self::input::{ModelInput, ThinkingVisibility, Tool, ToolChoice, ToolResult};
use crate::route::Api;

/// Reads a request of an API, for this flavor and model.
pub fn parse_request(api: Api, flavor: &str, model: &str, body: &Value) -> ModelInput {
    match api {
        Api::Anthropic => anthropic::parse(model, body),
        Api::Chat => openai_chat::parse(flavor, model, body),
        Api::Responses => openai_responses::parse(model, body),
        Api::Gemini => gemini::parse(model, body),
        Api::Bedrock => bedrock::parse(model, body),
    }
}
