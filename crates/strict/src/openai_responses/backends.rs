//! What only some backends refuse: the one behind the inventor's own subscription, and relays that
//! know the older items only.

use serde_json::Value;

use super::view;
use crate::rule::{Fields as _, string};
use crate::{Evidence, Findings, Request, Rule};

pub(super) const CODEX_RULES: [Rule; 6] = [
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
        source: "langwatch PR#7507 (each tried), dario#1009, dario PR#1142, suna PR#5124, litellm PR#21209, CLIProxyAPI#897, CLIProxyAPI#2352",
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
    Rule {
        name: "codex-input",
        status: 400,
        when: "Flavor `codex`: the input is no list.",
        words: "Input must be a list",
        evidence: Evidence::Seen,
        source: "CLIProxyAPI#1403, sub2api#919, codex-proxy-rs#178, codex-router#862",
        check: codex_input,
    },
    Rule {
        name: "codex-system",
        status: 400,
        when: "Flavor `codex`: a message is the system's, and not the developer's.",
        words: "System messages are not allowed",
        evidence: Evidence::Seen,
        source: "CLIProxyAPI#3510, codex2api#409, codex-proxy-rs PR#172, tingly-box#1489",
        check: codex_system,
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

fn codex_input(request: &Request<'_>, findings: &mut Findings) {
    let input = request.body.field("input").filter(|input| !input.is_null());
    if is_codex(request) && input.is_some_and(|input| !input.is_array()) {
        findings.add("input", "Input must be a list");
    }
}

fn codex_system(request: &Request<'_>, findings: &mut Findings) {
    let is_systems = |item: &view::Item<'_>| item.is("message") && item.text("role") == "system";
    if is_codex(request)
        && let Some(item) = view::input(request.body).find(is_systems)
    {
        findings.add(item.path(), "System messages are not allowed");
    }
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

/// Of the service tier some say the same; the backend's own client sends it.
const NOT_CODEX: &[&str] = &[
    "background",
    "context_management",
    "frequency_penalty",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "presence_penalty",
    "previous_response_id",
    "prompt_cache_options",
    "prompt_cache_retention",
    "response_format",
    "safety_identifier",
    "temperature",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];
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
