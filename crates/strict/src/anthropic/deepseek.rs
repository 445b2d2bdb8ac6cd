//! Rules of `DeepSeek`'s server of the Messages API, and the vendor's rules that it shares.
//!
//! Version, betas and signatures are ignored, as are `container`, `mcp_servers`, `service_tier` and
//! `top_k`; thinking is on unless it is turned off.

use serde_json::Value;

use super::view;
use crate::json::str_field;
use crate::{CheckContext, Evidence, Request, Rule};

pub(super) const FLAVOR: &str = "deepseek";

/// Whether the flavor has a rule: `DeepSeek`'s own, and the shared ones.
pub(super) fn has_rule(rule: &Rule) -> bool {
    rule.name.starts_with(FLAVOR) || SHARED_RULES.contains(&rule.name)
}

fn is_thinking(request: &Request<'_>) -> bool {
    request.flavor == FLAVOR
        && request.body.pointer("/thinking/type").and_then(Value::as_str) != Some("disabled")
}

fn deepseek_model(request: &Request<'_>, cx: &mut CheckContext) {
    let name = request.model.to_lowercase();
    if request.flavor == FLAVOR && !MODEL_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        cx.reject("model", DEEPSEEK_MODEL_ERROR);
    }
}

fn deepseek_forced_choice(request: &Request<'_>, cx: &mut CheckContext) {
    let kind = request.body.pointer("/tool_choice/type").and_then(Value::as_str);
    if is_thinking(request) && matches!(kind, Some("any" | "tool")) {
        cx.reject("tool_choice", DEEPSEEK_FORCED_CHOICE_ERROR);
    }
}

fn deepseek_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    if !is_thinking(request) {
        return;
    }
    for run in view::merged_messages(request.body).iter().filter(|run| run.role == "assistant") {
        let has_block =
            |kind: &str| run.blocks.iter().any(|block| str_field(block.value, "type") == kind);
        if has_block("tool_use") && !has_block("thinking") {
            cx.reject(format!("messages.{}", run.last_message), DEEPSEEK_THINKING_ERROR);
        }
    }
}

/// A thinking block must have text, which may be empty; it needs no signature.
fn deepseek_thinking_text(request: &Request<'_>, cx: &mut CheckContext) {
    if request.flavor != FLAVOR {
        return;
    }
    for block in view::blocks(request.body).filter(|block| block.is_type("thinking")) {
        if !block.value.get("thinking").is_some_and(Value::is_string) {
            let path = format!("{}.thinking.thinking", block.path());
            let message = format!("{path}: Field required");
            cx.reject(path, message);
        }
    }
}

/// Calls and results are paired by id, so that an empty id identifies no call.
fn deepseek_call_id(request: &Request<'_>, cx: &mut CheckContext) {
    if request.flavor != FLAVOR {
        return;
    }
    for block in view::blocks(request.body).filter(|block| block.is_type("tool_use")) {
        if block.value.get("id").is_some_and(|id| id == "") {
            let path = format!("{}.tool_use.id", block.path());
            let message = format!("{path}: String should have at least 1 character");
            cx.reject(path, message);
        }
    }
}

const MODEL_PREFIXES: &[&str] = &["deepseek", "claude"];
const DEEPSEEK_MODEL_ERROR: &str = "Model Not Exist";
const DEEPSEEK_FORCED_CHOICE_ERROR: &str = "Thinking mode does not support this tool_choice";
const DEEPSEEK_THINKING_ERROR: &str =
    "The `content[].thinking` in the thinking mode must be passed back to the API.";

pub(super) const RULES: [Rule; 5] = [
    Rule {
        name: "deepseek-model",
        status: 400,
        condition: "Flavor `deepseek`: the model is neither one of DeepSeek's nor named like one of Anthropic's.",
        error_message: DEEPSEEK_MODEL_ERROR,
        evidence: Evidence::Quoted,
        source: "DeepSeek's guide to the Anthropic API; worded as its Chat API, public code 58617655453",
        check: deepseek_model,
    },
    Rule {
        name: "deepseek-forced-choice",
        status: 400,
        condition: "Flavor `deepseek`: a tool call is forced while the model thinks, which it does by default.",
        error_message: DEEPSEEK_FORCED_CHOICE_ERROR,
        evidence: Evidence::Observed,
        source: "row 45 of Chat; live probe 58511986516",
        check: deepseek_forced_choice,
    },
    Rule {
        name: "deepseek-thinking",
        status: 400,
        condition: "Flavor `deepseek`: the model thinks, and an assistant message with tool calls has no thinking. It may be empty.",
        error_message: DEEPSEEK_THINKING_ERROR,
        evidence: Evidence::Observed,
        source: "row 24 of Chat; live probes 71281200018, 70410573184, public logs 53758901571, 58018762036",
        check: deepseek_thinking,
    },
    Rule {
        name: "deepseek-thinking-text",
        status: 400,
        condition: "Flavor `deepseek`: a thinking block has no text.",
        error_message: "messages.{n}.content.{m}.thinking.thinking: Field required",
        evidence: Evidence::Inferred,
        source: "the form of X2: a required field is missing",
        check: deepseek_thinking_text,
    },
    Rule {
        name: "deepseek-call-id",
        status: 400,
        condition: "Flavor `deepseek`: the id of a tool call is empty.",
        error_message: "messages.{n}.content.{m}.tool_use.id: String should have at least 1 character",
        evidence: Evidence::Inferred,
        source: "its Chat API pairs calls and results by their ids; the form of X2",
        check: deepseek_call_id,
    },
];

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
