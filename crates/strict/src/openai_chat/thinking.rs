//! Rules about reasoning that must or must not be sent back, and settings that conflict with
//! thinking.

use serde_json::Value;

use super::error_messages::{ErrorMessages, ViolationDetails, error_messages, reject};
use super::profile::{ModelFlag, Profile, ReasoningDefault};
use super::view::{Message, messages};
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, str_field};
use crate::{Evidence, Request, Rule};

pub(super) const MOONSHOT_THINKING_TYPE: Rule = Rule {
    name: "moonshot-thinking-type",
    status: 400,
    condition: "`thinking` is not an object.",
    error_message: MOONSHOT_THINKING_TYPE_ERRORS.all,
    evidence: Evidence::Observed,
    source: "TeXRA PR#1905",
    check: moonshot_thinking_type,
};
const MOONSHOT_THINKING_TYPE_ERRORS: ErrorMessages = error_messages! {
    &["moonshot"] => "the thinking field in the request (expected type object) is illegal, and {kind} is not acceptable",
};

pub(super) const FORCED_CHOICE: Rule = Rule {
    name: "forced-choice",
    status: 400,
    condition: "A tool call is forced while the model thinks.",
    error_message: FORCED_CHOICE_ERRORS.all,
    evidence: Evidence::Observed,
    source: "eino#994 (DashScope), MiMo-Code#2068 (DeepSeek)",
    check: forced_choice,
};
const FORCED_CHOICE_ERRORS: ErrorMessages = error_messages! {
    &["deepseek"] => "Thinking mode does not support this tool_choice",
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode",
};

pub(super) const QWEN_NOT_STREAMED: Rule = Rule {
    name: "qwen-not-streamed",
    status: 400,
    condition: "The model thinks and the reply is not streamed.",
    error_message: QWEN_NOT_STREAMED_ERRORS.all,
    evidence: Evidence::Observed,
    source: "langchain4j#3974",
    check: qwen_not_streamed,
};
const QWEN_NOT_STREAMED_ERRORS: ErrorMessages = error_messages! {
    &["qwen"] => "parameter.enable_thinking must be set to false for non-streaming calls",
};

pub(super) const QWEN_JSON: Rule = Rule {
    name: "qwen-json",
    status: 400,
    condition: "A json_object is requested while the model thinks.",
    error_message: QWEN_JSON_ERRORS.all,
    evidence: Evidence::Observed,
    source: "DashScope issues",
    check: qwen_json,
};
const QWEN_JSON_ERRORS: ErrorMessages = error_messages! {
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: Json mode response is not supported when enable_thinking is true",
};

pub(super) const DEEPSEEK_REASONING: Rule = Rule {
    name: "deepseek-reasoning",
    status: 400,
    condition: "The thinking model called tools between two user messages, and an assistant message there has no `reasoning_content`. It may be empty.",
    error_message: DEEPSEEK_REASONING_ERRORS.all,
    evidence: Evidence::Observed,
    source: "opencode#24083, pi#3636, 9router#2397; opencode#9397 (older models)",
    check: deepseek_reasoning,
};
const DEEPSEEK_REASONING_ERRORS: ErrorMessages = error_messages! {
    &["deepseek"] => "The `reasoning_content` in the thinking mode must be passed back to the API.",
    &["old"] => "Missing `reasoning_content` field in the assistant message at message index {index}. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
};

pub(super) const MOONSHOT_REASONING: Rule = Rule {
    name: "moonshot-reasoning",
    status: 400,
    condition: "The model thinks, and an assistant message with tool calls has a missing or empty `reasoning_content`.",
    error_message: MOONSHOT_REASONING_ERRORS.all,
    evidence: Evidence::Observed,
    source: "mastra#12592, continue#11600",
    check: moonshot_reasoning,
};
const MOONSHOT_REASONING_ERRORS: ErrorMessages = error_messages! {
    &["moonshot"] => "thinking is enabled but reasoning_content is missing in assistant tool call message at index {index}",
};

pub(super) const GROQ_REASONING: Rule = Rule {
    name: "groq-reasoning",
    status: 400,
    condition: "A message to a model that does not reason has `reasoning`.",
    error_message: GROQ_REASONING_ERRORS.all,
    evidence: Evidence::Observed,
    source: "vercel/ai PR#8057",
    check: groq_reasoning,
};
const GROQ_REASONING_ERRORS: ErrorMessages = error_messages! {
    &["groq"] => "messages[{index}].reasoning: reasoning is not supported with this model",
};

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

fn moonshot_thinking_type(request: &Request<'_>, cx: &mut CheckContext) {
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
    MOONSHOT_THINKING_TYPE_ERRORS.reject(request, cx, &details);
}

fn forced_choice(request: &Request<'_>, cx: &mut CheckContext) {
    let choice = request.body.field("tool_choice");
    let is_forced = choice.is_some_and(|choice| choice.is_object() || choice == "required");
    if is_forced && is_thinking(request) {
        let details =
            ViolationDetails { path: "tool_choice".into(), ..ViolationDetails::default() };
        FORCED_CHOICE_ERRORS.reject(request, cx, &details);
    }
}

fn qwen_not_streamed(request: &Request<'_>, cx: &mut CheckContext) {
    if request.body.field("stream") != Some(&Value::Bool(true)) && is_thinking(request) {
        let details =
            ViolationDetails { path: "enable_thinking".into(), ..ViolationDetails::default() };
        QWEN_NOT_STREAMED_ERRORS.reject(request, cx, &details);
    }
}

fn qwen_json(request: &Request<'_>, cx: &mut CheckContext) {
    let format =
        request.body.field("response_format").map_or("", |format| str_field(format, "type"));
    if format == "json_object" && is_thinking(request) {
        let details =
            ViolationDetails { path: "response_format".into(), ..ViolationDetails::default() };
        QWEN_JSON_ERRORS.reject(request, cx, &details);
    }
}

fn deepseek_reasoning(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(template) =
        DEEPSEEK_REASONING_ERRORS.for_request(request).filter(|_| is_thinking(request))
    else {
        return;
    };
    let is_legacy = Profile::for_request(request).has(ModelFlag::LegacyMissingReasoningError);
    let template = if is_legacy {
        DEEPSEEK_REASONING_ERRORS.for_responder("old").unwrap_or(template)
    } else {
        template
    };
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

fn moonshot_reasoning(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(template) =
        MOONSHOT_REASONING_ERRORS.for_request(request).filter(|_| is_thinking(request))
    else {
        return;
    };
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
    reject(template, request, cx, &details);
}

fn groq_reasoning(request: &Request<'_>, cx: &mut CheckContext) {
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
            GROQ_REASONING_ERRORS.reject(request, cx, &details);
        }
    }
}
