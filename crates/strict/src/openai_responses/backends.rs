//! What only some backends refuse: the one behind the inventor's own subscription, and relays that
//! know the older items only.

use serde_json::Value;

use super::view;
use crate::rule::{Fields as _, string};
use crate::{Evidence, Findings, Request, Rule};

pub(super) const CODEX_RULES: [Rule; 4] = [
    Rule {
        name: "codex-store",
        status: 400,
        when: "Flavor `codex`: the server is not told to keep nothing.",
        words: "Store must be set to false",
        evidence: Evidence::Seen,
        source: "openai/codex#26173, openai/codex#3202",
        check: codex_store,
    },
    Rule {
        name: "codex-stream",
        status: 400,
        when: "Flavor `codex`: the answer is not to be streamed.",
        words: "Stream must be set to true",
        evidence: Evidence::Seen,
        source: "openai/codex#26173, CLIProxyAPI PR#41",
        check: codex_stream,
    },
    Rule {
        name: "codex-parameter",
        status: 400,
        when: "Flavor `codex`: there is a parameter that only the public API takes.",
        words: "Unsupported parameter: {name}",
        evidence: Evidence::Seen,
        source: "suna PR#5124, dario PR#1142, CLIProxyAPI#2352; public code",
        check: codex_parameter,
    },
    Rule {
        name: "codex-instructions",
        status: 400,
        when: "Flavor `codex`: there are no instructions, neither as such nor in a developer's message.",
        words: "Instructions are required\nInstructions are not valid",
        evidence: Evidence::Quoted,
        source: "openai/codex#26173, CLIProxyAPI PR#41",
        check: codex_instructions,
    },
];

pub(super) const RELAY_RULES: [Rule; 1] = [Rule {
    name: "relay-item",
    status: 400,
    when: "Flavor `relay`: there is an item of a newer kind.",
    words: "Invalid input",
    evidence: Evidence::Seen,
    source: "command-code#893",
    check: relay_item,
}];

fn is_codex(request: &Request<'_>) -> bool {
    request.flavor == "codex"
}

fn codex_store(request: &Request<'_>, findings: &mut Findings) {
    if is_codex(request) && request.body.field("store") != Some(&Value::Bool(false)) {
        findings.add("store", "Store must be set to false");
    }
}

fn codex_stream(request: &Request<'_>, findings: &mut Findings) {
    if is_codex(request) && request.body.field("stream") != Some(&Value::Bool(true)) {
        findings.add("stream", "Stream must be set to true");
    }
}

fn codex_parameter(request: &Request<'_>, findings: &mut Findings) {
    if !is_codex(request) {
        return;
    }
    for key in request.body.as_object().into_iter().flat_map(|body| body.keys()) {
        if NOT_CODEX.contains(&key.as_str()) {
            findings.add(key.as_str(), format!("Unsupported parameter: {key}"));
        }
    }
}

fn codex_instructions(request: &Request<'_>, findings: &mut Findings) {
    let told = view::input(request.body).any(|item| item.text("role") == "developer");
    if !is_codex(request) || told {
        return;
    }
    match request.body.field("instructions") {
        None | Some(Value::Null) => findings.add("instructions", "Instructions are required"),
        Some(_) if string(request.body, "instructions").trim().is_empty() => {
            findings.add("instructions", "Instructions are not valid");
        }
        Some(_) => {}
    }
}

fn relay_item(request: &Request<'_>, findings: &mut Findings) {
    if request.flavor != "relay" {
        return;
    }
    for item in view::input(request.body).filter(|item| !KNOWN_TO_RELAYS.contains(&item.kind())) {
        findings.add_with(item.path(), "Invalid input", Some("input"), None);
    }
}

const NOT_CODEX: &[&str] = &["max_output_tokens", "temperature", "top_p", "response_format"];
const KNOWN_TO_RELAYS: &[&str] = &[
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "web_search_call",
    "file_search_call",
    "computer_call",
    "computer_call_output",
    "code_interpreter_call",
    "image_generation_call",
    "local_shell_call",
    "local_shell_call_output",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "item_reference",
];
