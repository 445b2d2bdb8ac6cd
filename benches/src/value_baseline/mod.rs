//! The baseline for requests, and in `stream` for streams: parse into a `Value`, convert the tree, write it.
//!
//! Values are moved from the parsed tree into the written one, without avoidable copies. Reasoning
//! is dropped, which is less work than a translation.

mod read;
pub(crate) mod stream;
mod tree;
mod write;

use serde_json::Value;

/// Parses and writes a body: the minimum cost of work through a tree.
pub fn parse_and_write(body: &[u8]) -> Vec<u8> {
    serde_json::from_slice::<Value>(body)
        .and_then(|value| serde_json::to_vec(&value))
        .unwrap_or_default()
}

/// Converts a request between dialects: texts, calls, results, instructions and tools.
pub fn convert(from: &str, to: &str, body: &[u8]) -> Vec<u8> {
    let Ok(mut body) = serde_json::from_slice::<Value>(body) else { return Vec::new() };
    let history = match from {
        "anthropic" => read::anthropic(&mut body),
        "openai-chat" => read::chat(&mut body),
        "openai-responses" => read::responses(&mut body),
        "gemini" => read::gemini(&mut body),
        _ => read::bedrock(&mut body),
    };
    let body = match to {
        "anthropic" => write::anthropic(history),
        "openai-chat" => write::chat(history),
        "openai-responses" => write::responses(history),
        "gemini" => write::gemini(history),
        _ => write::bedrock(history),
    };
    serde_json::to_vec(&body).unwrap_or_default()
}
