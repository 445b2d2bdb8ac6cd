//! Applies the rules of the Messages API behind Converse: their error messages get a prefix.

use super::anthropic_request::{ADDITIONAL_FIELDS_KEY, AnthropicRequest};
use crate::messages::fill_template;
use crate::{CheckContext, Request};

/// Rejects the request for violations of the Messages rule of the same name as the one that runs.
pub(super) fn relayed(request: &Request<'_>, cx: &mut CheckContext) {
    let rule = cx.rule_name();
    // The others are about the parts of the request that Converse itself checks.
    let is_reported = match rule {
        "field-required" | "unknown-tag" | "wrong-type" | "out-of-range" => is_in_additional_fields,
        "extra-input" => |path: &str| path.starts_with(ADDITIONAL_FIELDS_KEY),
        _ => |_: &str| true,
    };
    let converted = AnthropicRequest::memoized(request, cx);
    let Some(converted) = converted.as_ref() else { return };
    for (path, message) in converted.violations(request, rule) {
        if is_reported(&path) {
            let message = fill_template(cx.message(), &[("words", &message)]);
            cx.reject(path, message);
        }
    }
}

/// Whether a path is inside the additional fields for Claude.
fn is_in_additional_fields(path: &str) -> bool {
    let field = path.strip_prefix(ADDITIONAL_FIELDS_KEY).and_then(|rest| rest.strip_prefix('.'));
    let key = field.and_then(|field| field.split('.').next());
    key.is_some_and(|key| CLAUDE_ADDITIONAL_FIELDS.contains(&key))
}

/// "put `thinking`, `anthropic_beta`, `top_k`, `output_config` here"
const CLAUDE_ADDITIONAL_FIELDS: &[&str] =
    &["thinking", "reasoning_config", "top_k", "output_config", "metadata"];
