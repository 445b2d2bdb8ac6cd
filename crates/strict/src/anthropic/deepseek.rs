//! What `DeepSeek` refuses behind the Messages API, and what it shares with its inventor.
//!
//! Version, betas and signatures are ignored, as are `container`, `mcp_servers`, `service_tier` and
//! `top_k`; thinking is on unless it is turned off.

use serde_json::Value;

use super::view;
use crate::rule::string;
use crate::{Evidence, Findings, Request, Rule};

pub(super) const FLAVOR: &str = "deepseek";

/// Whether the flavor has a rule: its own, and those about what a request and its calls are.
pub(super) fn has(rule: &Rule) -> bool {
    rule.name.starts_with(FLAVOR) || SHARED.contains(&rule.name)
}

fn thinks(request: &Request<'_>) -> bool {
    request.flavor == FLAVOR
        && request.body.pointer("/thinking/type").and_then(Value::as_str) != Some("disabled")
}

fn model(request: &Request<'_>, findings: &mut Findings) {
    let name = request.model.to_lowercase();
    if request.flavor == FLAVOR && !MODELS.iter().any(|start| name.starts_with(start)) {
        findings.add("model", MODEL);
    }
}

fn choice(request: &Request<'_>, findings: &mut Findings) {
    let kind = request.body.pointer("/tool_choice/type").and_then(Value::as_str);
    if thinks(request) && matches!(kind, Some("any" | "tool")) {
        findings.add("tool_choice", CHOICE);
    }
}

fn thinking(request: &Request<'_>, findings: &mut Findings) {
    if !thinks(request) {
        return;
    }
    for run in view::runs(request.body).iter().filter(|run| run.role == "assistant") {
        let has = |kind: &str| run.blocks.iter().any(|block| string(block.value, "type") == kind);
        if has("tool_use") && !has("thinking") {
            findings.add(format!("messages.{}", run.last), THINKING);
        }
    }
}

/// A block of thinking says what was thought, be it nothing; it need not be signed.
fn thought(request: &Request<'_>, findings: &mut Findings) {
    if request.flavor != FLAVOR {
        return;
    }
    for block in view::blocks(request.body).filter(|block| block.is("thinking")) {
        if !block.value.get("thinking").is_some_and(Value::is_string) {
            let path = format!("{}.thinking.thinking", block.path());
            let words = format!("{path}: Field required");
            findings.add(path, words);
        }
    }
}

/// Calls and results are paired by their ids: an empty one names no call.
fn call_id(request: &Request<'_>, findings: &mut Findings) {
    if request.flavor != FLAVOR {
        return;
    }
    for block in view::blocks(request.body).filter(|block| block.is("tool_use")) {
        if block.value.get("id").is_some_and(|id| id == "") {
            let path = format!("{}.tool_use.id", block.path());
            let words = format!("{path}: String should have at least 1 character");
            findings.add(path, words);
        }
    }
}

const MODELS: &[&str] = &["deepseek", "claude"];
const MODEL: &str = "Model Not Exist";
const CHOICE: &str = "Thinking mode does not support this tool_choice";
const THINKING: &str =
    "The `content[].thinking` in the thinking mode must be passed back to the API.";

pub(super) const RULES: [Rule; 5] = [
    Rule {
        name: "deepseek-model",
        status: 400,
        when: "Flavor `deepseek`: the model is neither its own nor named like one of the inventor's.",
        words: MODEL,
        evidence: Evidence::Quoted,
        source: "DeepSeek's guide to the Anthropic API; the words are those of its Chat API, public code 58617655453",
        check: model,
    },
    Rule {
        name: "deepseek-forced-choice",
        status: 400,
        when: "Flavor `deepseek`: a call is forced while the model thinks, as it does unless told otherwise.",
        words: CHOICE,
        evidence: Evidence::Seen,
        source: "row 45 of Chat; live probe 58511986516",
        check: choice,
    },
    Rule {
        name: "deepseek-thinking",
        status: 400,
        when: "Flavor `deepseek`: the model thinks, and an assistant's message with calls does not have its thinking. It may be empty.",
        words: THINKING,
        evidence: Evidence::Seen,
        source: "row 24 of Chat; live probes 71281200018, 70410573184, public logs 53758901571, 58018762036",
        check: thinking,
    },
    Rule {
        name: "deepseek-thinking-text",
        status: 400,
        when: "Flavor `deepseek`: a block of thinking lacks its text.",
        words: "messages.{n}.content.{m}.thinking.thinking: Field required",
        evidence: Evidence::Inferred,
        source: "the form of X2: a required field is missing",
        check: thought,
    },
    Rule {
        name: "deepseek-call-id",
        status: 400,
        when: "Flavor `deepseek`: the id of a call is empty.",
        words: "messages.{n}.content.{m}.tool_use.id: String should have at least 1 character",
        evidence: Evidence::Inferred,
        source: "its Chat API pairs calls and results by their ids; the form of X2",
        check: call_id,
    },
];

/// What any server must be told to understand a request; that it says so in the inventor's words
/// is inferred.
const SHARED: &[&str] = &[
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
