//! Finds instructions that a local server accepts, and that its chat template does not read whole.

use serde_json::Value;

use crate::targets::Destination;

/// Whether a message has several plain instruction texts. The templates of Mistral Small 3.2 and
/// Devstral render `content[0]["text"]` of such a list, and the server reports nothing.
pub(super) fn loses_instructions(body: &Value, destination: &Destination) -> bool {
    has_instructions_in_parts(body, destination, |message| {
        // An item of an unknown type is no message.
        message.get("type").is_none_or(|item_type| item_type == "message")
    })
}

/// As [`loses_instructions`], also for items that only look like messages.
pub(super) fn may_lose_instructions(body: &Value, destination: &Destination) -> bool {
    has_instructions_in_parts(body, destination, |_| true)
}

fn has_instructions_in_parts(
    body: &Value,
    destination: &Destination,
    is_message: impl Fn(&Value) -> bool,
) -> bool {
    let provider = &destination.provider;
    LOCAL_SERVERS.contains(&(provider.judge.dialect, provider.flavor))
        && ["messages", "input"]
            .iter()
            .filter_map(|field| body.get(*field)?.as_array())
            .flatten()
            .any(|message| is_message(message) && has_separate_instructions(message))
}

fn has_separate_instructions(message: &Value) -> bool {
    let is_plain_text = |part: &Value| {
        let part_type = part.get("type").and_then(Value::as_str).unwrap_or_default();
        part.get("text").is_some_and(Value::is_string)
            && ["", "text", "input_text"].contains(&part_type)
            && !CACHE_FIELDS.iter().any(|field| part.get(*field).is_some_and(Value::is_object))
    };
    matches!(message.get("role").and_then(Value::as_str), Some("system" | "developer"))
        && message
            .get("content")
            .and_then(Value::as_array)
            .is_some_and(|parts| parts.len() > 1 && parts.iter().all(is_plain_text))
}

const CACHE_FIELDS: &[&str] = &["cache_control", "prompt_cache_breakpoint"];

const LOCAL_SERVERS: &[(&str, &str)] = &[
    ("openai-chat", "llama.cpp"),
    ("openai-chat", "vllm"),
    ("openai-chat", "lm-studio"),
    ("openai-chat", "ollama"),
    ("openai-responses", "llama.cpp"),
];
