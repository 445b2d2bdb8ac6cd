//! How much the models behind Chat Completions and Responses read.

use serde_json::Value;

use crate::rule::Fields as _;

/// The context window of a model, in tokens. Of what is not known the largest is assumed.
pub(crate) fn context(model: &str) -> u64 {
    let name = model.rsplit('/').next().unwrap_or_default();
    WINDOWS.iter().find(|(begin, _)| name.starts_with(begin)).map_or(LARGEST, |(_, most)| *most)
}

/// A careful guess at the tokens of a prompt: real ones are rarely fewer.
pub(crate) fn estimate(body: &Value, keys: &[&str]) -> u64 {
    let size: usize = keys.iter().filter_map(|key| body.field(key)).map(said).sum();
    size as u64 / 4
}

/// The bytes of all texts, without media and opaque reasoning.
fn said(value: &Value) -> usize {
    match value {
        Value::String(text) if text.starts_with("data:") => 0,
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(said).sum(),
        Value::Object(object) => object
            .iter()
            .filter(|(key, _)| !OPAQUE.contains(&key.as_str()))
            .map(|(_, value)| said(value))
            .sum(),
        _ => 1,
    }
}

const OPAQUE: &[&str] =
    &["data", "file_data", "signature", "encrypted_content", "reasoning_details"];
/// The more special beginnings stand first.
const WINDOWS: &[(&str, u64)] = &[
    ("gpt-3.5", 16_385),
    ("gpt-4.1", LARGEST),
    ("gpt-4o", 128_000),
    ("gpt-4-turbo", 128_000),
    ("gpt-4-1", 128_000),
    ("gpt-4.5", 128_000),
    ("gpt-4", 8_192),
    ("chatgpt-4o", 128_000),
    ("gpt-5.4", LARGEST),
    ("gpt-5.5", LARGEST),
    ("gpt-5.6", LARGEST),
    ("gpt-5", 400_000),
    ("o1", 200_000),
    ("o3", 200_000),
    ("o4", 200_000),
];
const LARGEST: u64 = 1_050_000;
