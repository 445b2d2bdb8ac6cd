//! Rules about reasoning that must or must not be sent back, and settings that conflict with
//! thinking.

use serde_json::Value;

use super::error_messages::{ViolationDetails, reject, reject_as, reject_at, standard_message};
use super::profile::{ModelFlag, Profile, ReasoningDefault};
use super::view::{Message, messages};
use crate::Request;
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, str_field};

/// Whether the model thinks in this request.
pub(super) fn is_thinking(request: &Request<'_>) -> bool {
    let mode = request.body.field("thinking").map(|thinking| str_field(thinking, "type"));
    let enabled = request.body.field("enable_thinking").and_then(Value::as_bool);
    match Profile::for_request(request).thinking {
        ReasoningDefault::Never => false,
        ReasoningDefault::OptIn => enabled == Some(true) || mode == Some("enabled"),
        ReasoningDefault::OptOut => enabled != Some(false) && mode != Some("disabled"),
    }
}

pub(super) fn moonshot_thinking_type(request: &Request<'_>, cx: &mut CheckContext) {
    let kind = match request.body.field("thinking") {
        None | Some(Value::Null | Value::Object(_)) => return,
        Some(Value::Bool(_)) => "bool",
        Some(Value::String(_)) => "string",
        Some(Value::Number(_)) => "number",
        Some(Value::Array(_)) => "array",
    };
    let details = ViolationDetails {
        path: "thinking".into(),
        placeholders: &[("kind", kind)],
        ..ViolationDetails::default()
    };
    reject(request, cx, &details);
}

pub(super) fn forced_choice(request: &Request<'_>, cx: &mut CheckContext) {
    let choice = request.body.field("tool_choice");
    let is_forced = choice.is_some_and(|choice| choice.is_object() || choice == "required");
    if is_forced && is_thinking(request) {
        reject_at(request, cx, "tool_choice");
    }
}

pub(super) fn qwen_not_streamed(request: &Request<'_>, cx: &mut CheckContext) {
    if request.body.field("stream") != Some(&Value::Bool(true)) && is_thinking(request) {
        reject_at(request, cx, "enable_thinking");
    }
}

pub(super) fn qwen_json(request: &Request<'_>, cx: &mut CheckContext) {
    let format =
        request.body.field("response_format").map_or("", |format| str_field(format, "type"));
    if format == "json_object" && is_thinking(request) {
        reject_at(request, cx, "response_format");
    }
}

pub(super) fn deepseek_reasoning(request: &Request<'_>, cx: &mut CheckContext) {
    if !is_thinking(request) {
        return;
    }
    let template = standard_message(request, cx);
    let is_legacy = Profile::for_request(request).has(ModelFlag::LegacyMissingReasoningError);
    let template = if is_legacy { cx.case("old") } else { template };
    let messages = messages(request);
    for turn in messages.split(|message| message.has_role("user")) {
        if !turn.iter().any(Message::has_tool_calls) {
            continue;
        }
        for message in turn.iter().filter(|message| message.has_role("assistant")) {
            let has_reasoning =
                message.value.field("reasoning_content").is_some_and(Value::is_string);
            if !has_reasoning {
                reject_missing_reasoning(template, request, cx, message);
            }
        }
    }
}

pub(super) fn moonshot_reasoning(request: &Request<'_>, cx: &mut CheckContext) {
    if !is_thinking(request) {
        return;
    }
    let template = standard_message(request, cx);
    for message in messages(request).iter().filter(|message| message.has_tool_calls()) {
        if message.str_field("reasoning_content").is_empty() {
            reject_missing_reasoning(template, request, cx, message);
        }
    }
}

fn reject_missing_reasoning(
    template: &str,
    request: &Request<'_>,
    cx: &mut CheckContext,
    message: &Message<'_>,
) {
    let index = message.index.to_string();
    let details = ViolationDetails {
        path: message.field_path("reasoning_content"),
        placeholders: &[("index", &index)],
        ..ViolationDetails::default()
    };
    reject_as(template, request, cx, &details);
}

pub(super) fn groq_reasoning(request: &Request<'_>, cx: &mut CheckContext) {
    if !Profile::for_request(request).has(ModelFlag::NoReasoningInput) {
        return;
    }
    for message in messages(request) {
        if message.value.field("reasoning").is_some_and(|reasoning| !reasoning.is_null()) {
            let index = message.index.to_string();
            let details = ViolationDetails {
                path: message.field_path("reasoning"),
                placeholders: &[("index", &index)],
                ..ViolationDetails::default()
            };
            reject(request, cx, &details);
        }
    }
}
