//! Context windows of `OpenAI`'s models and an estimate of a request's tokens.

use serde_json::Value;

use crate::json::JsonExt as _;

/// The context window of a model in tokens; unknown models get the largest.
pub(crate) fn context_window(model: &str) -> u64 {
    let name = model.rsplit('/').next().unwrap_or_default();
    CONTEXT_WINDOWS
        .iter()
        .find(|(prefix, _)| name.starts_with(prefix))
        .map_or(MAX_CONTEXT_WINDOW, |(_, window)| *window)
}

/// A conservative estimate of a prompt's tokens: the real number is rarely smaller.
pub(crate) fn estimate_tokens(body: &Value, keys: &[&str]) -> u64 {
    let size: usize = keys.iter().filter_map(|key| body.field(key)).map(text_bytes).sum();
    size as u64 / 4
}

/// Bytes of all strings, without media and encrypted reasoning.
fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) if text.starts_with("data:") => 0,
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(text_bytes).sum(),
        Value::Object(object) => object
            .iter()
            .filter(|(key, _)| !OPAQUE_KEYS.contains(&key.as_str()))
            .map(|(_, value)| text_bytes(value))
            .sum(),
        _ => 1,
    }
}

const OPAQUE_KEYS: &[&str] =
    &["data", "file_data", "signature", "encrypted_content", "reasoning_details"];
/// The first matching prefix wins, so that longer prefixes come first.
const CONTEXT_WINDOWS: &[(&str, u64)] = &[
    ("gpt-3.5", 16_385),
    ("gpt-4.1", MAX_CONTEXT_WINDOW),
    ("gpt-4o", 128_000),
    ("gpt-4-turbo", 128_000),
    ("gpt-4-1", 128_000),
    ("gpt-4.5", 128_000),
    ("gpt-4", 8_192),
    ("chatgpt-4o", 128_000),
    ("gpt-5.4", MAX_CONTEXT_WINDOW),
    ("gpt-5.5", MAX_CONTEXT_WINDOW),
    ("gpt-5.6", MAX_CONTEXT_WINDOW),
    ("gpt-5", 400_000),
    ("o1", 200_000),
    ("o3", 200_000),
    ("o4", 200_000),
];
const MAX_CONTEXT_WINDOW: u64 = 1_050_000;
