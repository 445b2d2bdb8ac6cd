//! Rules of single backends: `OpenAI`'s `ChatGPT` subscription backend (Codex), and relays that only
//! support the older item types.

use serde_json::Value;

use super::view;
use crate::json::{JsonExt as _, str_field};
use crate::{CheckContext, Evidence, Request, Rule};

pub(super) const CODEX_RULES: [Rule; 6] = [
    Rule {
        name: "codex-store",
        status: 400,
        condition: "Flavor `codex`: `store` is not false.",
        error_message: "Store must be set to false",
        evidence: Evidence::Observed,
        source: "openai/codex#26173, openai/codex#3202",
        check: codex_store,
    },
    Rule {
        name: "codex-stream",
        status: 400,
        condition: "Flavor `codex`: `stream` is not true.",
        error_message: "Stream must be set to true",
        evidence: Evidence::Observed,
        source: "openai/codex#26173, CLIProxyAPI PR#41",
        check: codex_stream,
    },
    Rule {
        name: "codex-parameter",
        status: 400,
        condition: "Flavor `codex`: there is a parameter that only the public API supports.",
        error_message: "Unsupported parameter: {name}",
        evidence: Evidence::Observed,
        source: "langwatch PR#7507 (each tried), dario#1009, dario PR#1142, suna PR#5124, litellm PR#21209, CLIProxyAPI#897, CLIProxyAPI#2352",
        check: codex_parameter,
    },
    Rule {
        name: "codex-instructions",
        status: 400,
        condition: "Flavor `codex`: there are neither `instructions` nor a developer message.",
        error_message: "Instructions are required\nInstructions are not valid",
        evidence: Evidence::Quoted,
        source: "openai/codex#26173, CLIProxyAPI PR#41",
        check: codex_instructions,
    },
    Rule {
        name: "codex-input",
        status: 400,
        condition: "Flavor `codex`: the input is not a list.",
        error_message: "Input must be a list",
        evidence: Evidence::Observed,
        source: "CLIProxyAPI#1403, sub2api#919, codex-proxy-rs#178, codex-router#862",
        check: codex_input,
    },
    Rule {
        name: "codex-system",
        status: 400,
        condition: "Flavor `codex`: a message has the role system instead of developer.",
        error_message: "System messages are not allowed",
        evidence: Evidence::Observed,
        source: "CLIProxyAPI#3510, codex2api#409, codex-proxy-rs PR#172, tingly-box#1489",
        check: codex_system,
    },
];

pub(super) const RELAY_RULES: [Rule; 1] = [Rule {
    name: "relay-item",
    status: 400,
    condition: "Flavor `relay`: there is an item of a newer type.",
    error_message: "Invalid input",
    evidence: Evidence::Observed,
    source: "command-code#893",
    check: relay_item,
}];

fn is_codex(request: &Request<'_>) -> bool {
    request.flavor == "codex"
}

fn codex_input(request: &Request<'_>, cx: &mut CheckContext) {
    let input = request.body.field("input").filter(|input| !input.is_null());
    if is_codex(request) && input.is_some_and(|input| !input.is_array()) {
        cx.reject("input", "Input must be a list");
    }
}

fn codex_system(request: &Request<'_>, cx: &mut CheckContext) {
    let is_system =
        |item: &view::Item<'_>| item.is_type("message") && item.str_field("role") == "system";
    if is_codex(request)
        && let Some(item) = view::input(request.body).find(is_system)
    {
        cx.reject(item.path(), "System messages are not allowed");
    }
}

fn codex_store(request: &Request<'_>, cx: &mut CheckContext) {
    if is_codex(request) && request.body.field("store") != Some(&Value::Bool(false)) {
        cx.reject("store", "Store must be set to false");
    }
}

fn codex_stream(request: &Request<'_>, cx: &mut CheckContext) {
    if is_codex(request) && request.body.field("stream") != Some(&Value::Bool(true)) {
        cx.reject("stream", "Stream must be set to true");
    }
}

fn codex_parameter(request: &Request<'_>, cx: &mut CheckContext) {
    if !is_codex(request) {
        return;
    }
    for key in request.body.as_object().into_iter().flat_map(|body| body.keys()) {
        if CODEX_UNSUPPORTED_PARAMETERS.contains(&key.as_str()) {
            cx.reject(key.as_str(), format!("Unsupported parameter: {key}"));
        }
    }
}

fn codex_instructions(request: &Request<'_>, cx: &mut CheckContext) {
    let has_developer_message =
        view::input(request.body).any(|item| item.str_field("role") == "developer");
    if !is_codex(request) || has_developer_message {
        return;
    }
    match request.body.field("instructions") {
        None | Some(Value::Null) => cx.reject("instructions", "Instructions are required"),
        Some(_) if str_field(request.body, "instructions").trim().is_empty() => {
            cx.reject("instructions", "Instructions are not valid");
        }
        Some(_) => {}
    }
}

fn relay_item(request: &Request<'_>, cx: &mut CheckContext) {
    if request.flavor != "relay" {
        return;
    }
    for item in
        view::input(request.body).filter(|item| !RELAY_ITEM_TYPES.contains(&item.item_type()))
    {
        cx.reject_with(item.path(), "Invalid input", Some("input"), None);
    }
}

/// Without `service_tier`, which some report as rejected: the backend's own client sends it.
const CODEX_UNSUPPORTED_PARAMETERS: &[&str] = &[
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
const RELAY_ITEM_TYPES: &[&str] = &[
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
