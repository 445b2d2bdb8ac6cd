//! Applies the rules of the Messages API behind Converse: their error messages get a prefix.

use super::anthropic_request::{ADDITIONAL_FIELDS_KEY, AnthropicRequest};
use crate::{CheckContext, Evidence, Request, Rule};

/// Rejects the request for violations of a Messages rule at paths that `wanted` selects.
fn reject_as_anthropic(
    request: &Request<'_>,
    cx: &mut CheckContext,
    rule: &str,
    is_reported: impl Fn(&str) -> bool,
) {
    let converted = AnthropicRequest::memoized(request, cx);
    let Some(converted) = converted.as_ref() else { return };
    for (path, message) in converted.violations(request, rule) {
        if is_reported(&path) {
            cx.reject(path, format!("The model returned the following errors: {message}"));
        }
    }
}

macro_rules! anthropic_rule {
    ($name:literal, $condition:literal, $evidence:ident) => {
        anthropic_rule!($name, $condition, $evidence, |_| true)
    };
    ($name:literal, $condition:literal, $evidence:ident, $wanted:expr) => {
        Rule {
            name: $name,
            status: 400,
            condition: $condition,
            error_message: "The model returned the following errors: {words}",
            evidence: Evidence::$evidence,
            source: concat!("§6.7; worded as Anthropic's ", $name),
            check: |request, cx| reject_as_anthropic(request, cx, $name, $wanted),
        }
    };
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

pub(super) const RULES: [Rule; 49] = [
    anthropic_rule!(
        "field-required",
        "A required subfield of an additional field is missing, such as a budget.",
        Inferred,
        is_in_additional_fields
    ),
    anthropic_rule!(
        "unknown-tag",
        "Thinking has an unknown type.",
        Inferred,
        is_in_additional_fields
    ),
    anthropic_rule!("thinking-display", "The thinking display has an unknown value.", Inferred),
    anthropic_rule!(
        "wrong-type",
        "An additional field has the wrong type.",
        Inferred,
        is_in_additional_fields
    ),
    anthropic_rule!(
        "out-of-range",
        "An additional field is below its minimum.",
        Inferred,
        is_in_additional_fields
    ),
    anthropic_rule!("cached-thinking", "A cache point follows reasoning.", Inferred),
    anthropic_rule!(
        "extra-input",
        "An additional field is unknown to the Messages API, or requires a beta that the request does not have.",
        Observed,
        |path| path.starts_with(ADDITIONAL_FIELDS_KEY)
    ),
    anthropic_rule!(
        "deprecated-sampling",
        "A sampling parameter is not at its default on a model from 4.7 on.",
        Observed
    ),
    anthropic_rule!(
        "sampling-while-thinking",
        "Sampling is changed while the model thinks.",
        Observed
    ),
    anthropic_rule!(
        "temperature-and-top-p",
        "Both temperature and topP are set for a 4.5 or 4.6 model.",
        Observed
    ),
    anthropic_rule!("blank-stop-sequence", "A stop sequence has only whitespace.", Observed),
    anthropic_rule!(
        "max-tokens-above-cap",
        "maxTokens is larger than the model's maximum output.",
        Observed
    ),
    anthropic_rule!("small-budget", "The thinking budget is below 1024 tokens.", Quoted),
    anthropic_rule!("large-budget", "The thinking budget is not below maxTokens.", Observed),
    anthropic_rule!(
        "manual-thinking",
        "A thinking budget is set for a model with adaptive thinking only.",
        Documented
    ),
    anthropic_rule!(
        "adaptive-thinking",
        "Adaptive thinking is requested from a model that does not support it.",
        Documented
    ),
    anthropic_rule!(
        "disabled-thinking",
        "Thinking is disabled on a model that always thinks.",
        Documented
    ),
    anthropic_rule!(
        "thinking-between-tools",
        "Thinking is disabled on a model that has thinking between tools instead.",
        Documented
    ),
    anthropic_rule!(
        "no-thinking-between-tools",
        "Thinking between tools is requested from a model that does not support it.",
        Inferred
    ),
    anthropic_rule!(
        "effort-without-thinking",
        "One of the highest efforts is requested while thinking is off.",
        Inferred
    ),
    anthropic_rule!("no-effort", "An effort is set for a model without effort levels.", Observed),
    anthropic_rule!("unknown-effort", "The model does not support this effort level.", Inferred),
    anthropic_rule!(
        "forced-while-thinking",
        "The tool choice forces a call while thinking has a budget.",
        Observed
    ),
    anthropic_rule!(
        "forced-choice",
        "The tool choice forces a call on a model that does not support forced calls.",
        Documented
    ),
    anthropic_rule!("duplicate-tool-name", "Two tools have the same name.", Quoted),
    anthropic_rule!(
        "schema-root-choice",
        "The root of a tool's schema has oneOf, allOf or anyOf.",
        Observed
    ),
    anthropic_rule!("schema-invalid", "A tool's schema is not valid in draft 2020-12.", Observed),
    anthropic_rule!(
        "property-name",
        "A property at the root of a tool's schema has invalid characters in its name, or more than 64.",
        Observed
    ),
    anthropic_rule!("result-from-assistant", "A result is in an assistant message.", Observed),
    anthropic_rule!("call-from-user", "A call is in a user message.", Quoted),
    anthropic_rule!("thinking-from-user", "Reasoning is in a user message.", Quoted),
    anthropic_rule!(
        "prefill",
        "The conversation ends with an assistant message on a model from 4.6 on.",
        Documented
    ),
    anthropic_rule!(
        "prefill-while-thinking",
        "The conversation ends with an assistant message while the model thinks.",
        Inferred
    ),
    anthropic_rule!(
        "trailing-whitespace",
        "The final assistant message ends with whitespace.",
        Quoted
    ),
    anthropic_rule!("final-thinking", "An assistant message ends with reasoning.", Observed),
    anthropic_rule!("empty-result-text", "A text inside a result is empty.", Observed),
    anthropic_rule!(
        "failed-result-media",
        "A result with status error has content other than text.",
        Quoted
    ),
    anthropic_rule!("undecodable-image", "An image is not a PNG, JPEG, GIF or WebP.", Quoted),
    anthropic_rule!("image-dimensions", "A side of an image has more than 8000 pixels.", Observed),
    anthropic_rule!(
        "media-mismatch",
        "An image has another format than its format field.",
        Observed
    ),
    anthropic_rule!("too-many-cache-markers", "There are more than four cache points.", Observed),
    anthropic_rule!("cache-order", "A one-hour cache point follows a five-minute one.", Observed),
    anthropic_rule!(
        "call-id",
        "An id has characters that the Messages API does not allow: Converse also allows dots and colons.",
        Quoted
    ),
    anthropic_rule!("duplicate-call-id", "Two calls have the same id.", Observed),
    anthropic_rule!("unsigned-thinking", "Reasoning text has no signature.", Observed),
    anthropic_rule!("empty-thinking", "Reasoning has neither text nor signature.", Observed),
    anthropic_rule!(
        "thinking-first",
        "On models with a thinking budget, a message has reasoning, but does not begin with it.",
        Observed
    ),
    anthropic_rule!(
        "thinking-while-off",
        "Thinking is off, and the final assistant message has reasoning.",
        Observed
    ),
    anthropic_rule!(
        "thinking-expected",
        "Thinking has a budget, and the open tool loop does not begin with reasoning.",
        Observed
    ),
];

/// Rules about signatures: authentic, unmodified and in their original position.
pub(super) const SIGNATURE_RULES: [Rule; 4] = [
    anthropic_rule!(
        "invalid-signature",
        "A signature was not made by the model, or not for this text.",
        Observed
    ),
    anthropic_rule!("invalid-redacted", "Redacted reasoning was not made by the model.", Quoted),
    anthropic_rule!(
        "modified-thinking",
        "Reasoning in the open tool loop was changed, moved or removed.",
        Documented
    ),
    anthropic_rule!(
        "changed-prefix",
        "The conversation before reasoning differs from the one that it was made in (switch prefix_binding).",
        Documented
    ),
];
