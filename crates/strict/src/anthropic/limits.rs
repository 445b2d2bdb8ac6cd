//! Rules about maximum sizes: output, prompt, body and number of messages.

use serde_json::Value;

use super::profile::profile;
use super::view;
use crate::json::JsonExt as _;
use crate::{CheckContext, Request};

/// A conservative estimate of a prompt's tokens: the real number is rarely smaller.
pub fn estimate_tokens(body: &Value) -> u64 {
    let keys = ["system", "tools", "messages"];
    let size: usize = keys.iter().filter_map(|key| body.field(key)).map(text_bytes).sum();
    size as u64 / 4
}

/// Bytes of all strings, without media and encrypted reasoning.
fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(text_bytes).sum(),
        Value::Object(object) => object
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "data" | "signature" | "encrypted_content"))
            .map(|(_, value)| text_bytes(value))
            .sum(),
        _ => 1,
    }
}

/// Approximate bytes of the body: all strings, keys and punctuation, without whitespace.
fn json_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(list) => list.iter().map(|value| json_bytes(value) + 1).sum(),
        Value::Object(object) => {
            object.iter().map(|(key, value)| key.len() + 4 + json_bytes(value)).sum()
        }
        _ => 1,
    }
}

/// Whether a body exceeds the size limit.
pub(super) fn exceeds_body_limit(body: &Value) -> bool {
    json_bytes(body) > MAX_BODY_BYTES
}

pub(super) fn request_too_large(request: &Request<'_>, cx: &mut CheckContext) {
    if request.body_encoding.content_encoding.is_none() && exceeds_body_limit(request.body) {
        cx.reject("", cx.message());
    }
}

fn requested_max_tokens(request: &Request<'_>) -> Option<u64> {
    let max_tokens = request.body.field("max_tokens").and_then(view::as_integer)?;
    u64::try_from(max_tokens).ok()
}

pub(super) fn max_tokens_above_cap(request: &Request<'_>, cx: &mut CheckContext) {
    let limit = profile(request.model).max_output_tokens;
    let has_long_output = request.betas.iter().any(|beta| beta.starts_with("output-"));
    if let Some(requested) = requested_max_tokens(request)
        && requested > limit
        && !has_long_output
    {
        cx.reject(
            "max_tokens",
            format!(
                "max_tokens: {requested} > {limit}, which is the maximum allowed number of output tokens for {}",
                request.model
            ),
        );
    }
}

/// The context window in tokens; a beta enlarges it.
fn context_window(request: &Request<'_>) -> u64 {
    let has_large_context = request.betas.iter().any(|beta| beta.starts_with("context-1m-"));
    if has_large_context { 1_000_000 } else { profile(request.model).context_window }
}

pub(super) fn prompt_too_long(request: &Request<'_>, cx: &mut CheckContext) {
    let (tokens, limit) = (estimate_tokens(request.body), context_window(request));
    if tokens > limit && !request.count_tokens {
        cx.reject_filled("messages", &[("tokens", &tokens), ("most", &limit)]);
    }
}

pub(super) fn input_and_output_too_long(request: &Request<'_>, cx: &mut CheckContext) {
    let (tokens, limit) = (estimate_tokens(request.body), context_window(request));
    let requested = requested_max_tokens(request).unwrap_or_default();
    if profile(request.model).context_includes_output
        && tokens <= limit
        && tokens + requested > limit
    {
        cx.reject(
            "max_tokens",
            format!(
                "input length and `max_tokens` exceed context limit: {tokens} + {requested} > {limit}, decrease input length or `max_tokens` and try again"
            ),
        );
    }
}

pub(super) fn too_many_messages(request: &Request<'_>, cx: &mut CheckContext) {
    let count = view::messages(request.body).len();
    if count > MAX_MESSAGES {
        cx.reject_filled("messages", &[("most", &MAX_MESSAGES), ("count", &count)]);
    }
}

const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;
const MAX_MESSAGES: usize = 100_000;
