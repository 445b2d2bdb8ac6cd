//! Rules of single backends: `OpenAI`'s `ChatGPT` subscription backend (Codex), and relays that only
//! support the older item types.

use serde_json::Value;

use super::view;
use crate::json::{JsonExt as _, str_field};
use crate::{CheckContext, Request};

pub(super) fn codex_input(request: &Request<'_>, cx: &mut CheckContext) {
    let input = request.body.field("input").filter(|input| !input.is_null());
    if input.is_some_and(|input| !input.is_array()) {
        cx.reject("input", cx.message());
    }
}

pub(super) fn codex_system(request: &Request<'_>, cx: &mut CheckContext) {
    let is_system =
        |item: &view::Item<'_>| item.is_type("message") && item.str_field("role") == "system";
    if let Some(item) = view::input(request.body).find(is_system) {
        cx.reject(item.path(), cx.message());
    }
}

pub(super) fn codex_store(request: &Request<'_>, cx: &mut CheckContext) {
    if request.body.field("store") != Some(&Value::Bool(false)) {
        cx.reject("store", cx.message());
    }
}

pub(super) fn codex_stream(request: &Request<'_>, cx: &mut CheckContext) {
    if request.body.field("stream") != Some(&Value::Bool(true)) {
        cx.reject("stream", cx.message());
    }
}

pub(super) fn codex_parameter(request: &Request<'_>, cx: &mut CheckContext) {
    for key in request.body.as_object().into_iter().flat_map(|body| body.keys()) {
        if CODEX_UNSUPPORTED_PARAMETERS.contains(&key.as_str()) {
            cx.reject(key.as_str(), format!("Unsupported parameter: {key}"));
        }
    }
}

pub(super) fn codex_instructions(request: &Request<'_>, cx: &mut CheckContext) {
    let has_developer_message =
        view::input(request.body).any(|item| item.str_field("role") == "developer");
    if has_developer_message {
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

pub(super) fn relay_item(request: &Request<'_>, cx: &mut CheckContext) {
    for item in
        view::input(request.body).filter(|item| !RELAY_ITEM_TYPES.contains(&item.item_type()))
    {
        cx.reject_with(item.path(), cx.message(), Some("input"), None);
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
