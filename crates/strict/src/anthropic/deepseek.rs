//! Rules of `DeepSeek`'s server of the Messages API, and the vendor's rules that it shares.
//!
//! Version, betas and signatures are ignored, as are `container`, `mcp_servers`, `service_tier` and
//! `top_k`; thinking is on unless it is turned off.

use serde_json::Value;

use super::view;
use crate::json::str_field;
use crate::{CheckContext, Request, Rule};

pub(super) const FLAVOR: &str = "deepseek";

/// Whether the flavor has a rule: `DeepSeek`'s own, and the shared ones.
pub(super) fn has_rule(rule: &Rule) -> bool {
    rule.name.starts_with(FLAVOR) || SHARED_RULES.contains(&rule.name)
}

fn is_thinking(request: &Request<'_>) -> bool {
    request.flavor == FLAVOR
        && request.body.pointer("/thinking/type").and_then(Value::as_str) != Some("disabled")
}

pub(super) fn deepseek_model(request: &Request<'_>, cx: &mut CheckContext) {
    let name = request.model.to_lowercase();
    if request.flavor == FLAVOR && !MODEL_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        cx.reject("model", cx.message());
    }
}

pub(super) fn deepseek_forced_choice(request: &Request<'_>, cx: &mut CheckContext) {
    let kind = request.body.pointer("/tool_choice/type").and_then(Value::as_str);
    if is_thinking(request) && matches!(kind, Some("any" | "tool")) {
        cx.reject("tool_choice", cx.message());
    }
}

pub(super) fn deepseek_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    if !is_thinking(request) {
        return;
    }
    for run in view::merged_messages(request.body).iter().filter(|run| run.role == "assistant") {
        let has_block =
            |kind: &str| run.blocks.iter().any(|block| str_field(block.value, "type") == kind);
        if has_block("tool_use") && !has_block("thinking") {
            cx.reject(format!("messages.{}", run.last_message), cx.message());
        }
    }
}

/// A thinking block must have text, which may be empty; it needs no signature.
pub(super) fn deepseek_thinking_text(request: &Request<'_>, cx: &mut CheckContext) {
    if request.flavor != FLAVOR {
        return;
    }
    for block in view::blocks(request.body).filter(|block| block.is_type("thinking")) {
        if !block.value.get("thinking").is_some_and(Value::is_string) {
            let path = format!("{}.thinking.thinking", block.path());
            cx.reject_filled(path, &[]);
        }
    }
}

/// Calls and results are paired by id, so that an empty id identifies no call.
pub(super) fn deepseek_call_id(request: &Request<'_>, cx: &mut CheckContext) {
    if request.flavor != FLAVOR {
        return;
    }
    for block in view::blocks(request.body).filter(|block| block.is_type("tool_use")) {
        if block.value.get("id").is_some_and(|id| id == "") {
            let path = format!("{}.tool_use.id", block.path());
            cx.reject_filled(path, &[]);
        }
    }
}

const MODEL_PREFIXES: &[&str] = &["deepseek", "claude"];

/// Anthropic's rules without which a request has no meaning for any server; that `DeepSeek` has the
/// same error messages is inferred.
const SHARED_RULES: &[&str] = &[
    "field-required",
    "result-without-id",
    "tool-input",
    "schema-missing",
    "unknown-tool-choice",
    "unknown-role",
    "wrong-type",
    "unknown-tag",
    "no-messages",
    "result-from-assistant",
    "call-from-user",
    "unanswered-call",
    "unexpected-result",
    "two-results",
    "duplicate-call-id",
    "duplicate-tool-name",
];
