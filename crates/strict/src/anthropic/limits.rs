//! Rules about maximum sizes: output, prompt, body and number of messages.

use serde_json::Value;

use super::profile::profile;
use super::view;
use crate::json::JsonExt as _;
use crate::{CheckContext, Evidence, Request, Rule};

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

fn request_too_large(request: &Request<'_>, cx: &mut CheckContext) {
    if request.body_encoding.content_encoding.is_none() && exceeds_body_limit(request.body) {
        cx.reject("", REQUEST_TOO_LARGE_ERROR);
    }
}

fn requested_max_tokens(request: &Request<'_>) -> Option<u64> {
    let max_tokens = request.body.field("max_tokens").and_then(view::as_integer)?;
    u64::try_from(max_tokens).ok()
}

fn max_tokens_above_cap(request: &Request<'_>, cx: &mut CheckContext) {
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

fn prompt_too_long(request: &Request<'_>, cx: &mut CheckContext) {
    let (tokens, limit) = (estimate_tokens(request.body), context_window(request));
    if tokens > limit && !request.count_tokens {
        let message = format!("prompt is too long: {tokens} tokens > {limit} maximum");
        cx.reject("messages", message);
    }
}

fn input_and_output_too_long(request: &Request<'_>, cx: &mut CheckContext) {
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

fn too_many_messages(request: &Request<'_>, cx: &mut CheckContext) {
    let count = view::messages(request.body).len();
    if count > MAX_MESSAGES {
        let message =
            format!("messages: Array should have at most {MAX_MESSAGES} items, not {count}");
        cx.reject("messages", message);
    }
}

const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;
const MAX_MESSAGES: usize = 100_000;
const REQUEST_TOO_LARGE_ERROR: &str = "Request exceeds the maximum size";

/// Checked before the body is parsed.
pub(super) const REQUEST_TOO_LARGE: Rule = Rule {
    name: "request-too-large",
    status: 413,
    condition: "The body is larger than 32 MB.",
    error_message: REQUEST_TOO_LARGE_ERROR,
    evidence: Evidence::Inferred,
    source: "L4; documentation of errors",
    check: request_too_large,
};

pub(super) const RULES: [Rule; 4] = [
    Rule {
        name: "too-many-messages",
        status: 400,
        condition: "There are more than 100,000 messages.",
        error_message: "messages: Array should have at most {most} items, not {count}",
        evidence: Evidence::Inferred,
        source: "L10; documentation of messages",
        check: too_many_messages,
    },
    Rule {
        name: "max-tokens-above-cap",
        status: 400,
        condition: "`max_tokens` is larger than the model's maximum output.",
        error_message: "max_tokens: {asked} > {most}, which is the maximum allowed number of output tokens for {model}",
        evidence: Evidence::Observed,
        source: "L1; public code 71454021584, 62178688544",
        check: max_tokens_above_cap,
    },
    Rule {
        name: "prompt-too-long",
        status: 400,
        condition: "The prompt, conservatively estimated, exceeds the context window.",
        error_message: "prompt is too long: {tokens} tokens > {most} maximum",
        evidence: Evidence::Observed,
        source: "L2; many public logs",
        check: prompt_too_long,
    },
    Rule {
        name: "input-and-output-too-long",
        status: 400,
        condition: "On models before 4.5, the prompt and max_tokens together exceed the context window.",
        error_message: "input length and `max_tokens` exceed context limit: {tokens} + {asked} > {most}, decrease input length or `max_tokens` and try again",
        evidence: Evidence::Quoted,
        source: "L3; public code 71458167945",
        check: input_and_output_too_long,
    },
];
