//! Rules about limits of parameters, and parameters that only some models support.

use serde_json::Value;

use super::profile::{ReasoningDefault, effort, is_medium_verbosity_only, is_reasoning, profile};
use super::shape::quoted_list;
use super::view;
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Request, openai_context_window};

pub(super) fn number_range(request: &Request<'_>, cx: &mut CheckContext) {
    for (name, kind, min, max) in PARAM_RANGES {
        let Some(number) = request.body.field(name).filter(|value| value.is_number()) else {
            continue;
        };
        let value = number.as_f64().unwrap_or_default();
        let (relation, sign, limit, code) = if value < *min {
            ("below minimum", ">=", min, "below_min_value")
        } else if max.is_some_and(|max| value > max) {
            ("above maximum", "<=", max.as_ref().unwrap_or(min), "above_max_value")
        } else {
            continue;
        };
        let message = format!(
            "Invalid '{name}': {kind} {relation} value. Expected a value {sign} {limit}, but got {number} instead."
        );
        cx.reject_with(*name, message, Some(name), Some(&format!("{kind}_{code}")));
    }
}

pub(super) fn metadata_size(request: &Request<'_>, cx: &mut CheckContext) {
    let pairs = request.body.field("metadata").and_then(Value::as_object);
    if let Some(count) = pairs.map(serde_json::Map::len).filter(|count| *count > 16) {
        let message = format!(
            "Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with {count} properties instead."
        );
        let code = Some("object_above_max_properties");
        cx.reject_with("metadata", message, Some("metadata"), code);
    }
}

pub(super) fn exclusive_state(request: &Request<'_>, cx: &mut CheckContext) {
    let has = |key: &str| request.body.field(key).is_some_and(|value| !value.is_null());
    if has("previous_response_id") && has("conversation") {
        let message = "Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.";
        cx.reject_with("conversation", message, None, Some("mutually_exclusive_parameters"));
    }
}

pub(super) fn previous_response(request: &Request<'_>, cx: &mut CheckContext) {
    let (param, id) = ("previous_response_id", str_field(request.body, "previous_response_id"));
    let Some(stored_replies) = request.stored_replies.filter(|_| !id.is_empty()) else { return };
    if stored_replies.get(id).is_none() {
        let message = format!("Previous response with id '{id}' not found.");
        cx.reject_with(param, message, Some(param), Some("previous_response_not_found"));
    }
}

pub(super) fn context_length(request: &Request<'_>, cx: &mut CheckContext) {
    let is_truncated = str_field(request.body, "truncation") == "auto";
    let tokens =
        openai_context_window::estimate_tokens(request.body, &["instructions", "input", "tools"]);
    if tokens > openai_context_window::context_window(request.model)
        && !is_truncated
        && !request.count_tokens
    {
        let code = Some("context_length_exceeded");
        cx.reject_with("input", cx.message(), Some("input"), code);
    }
}

pub(super) fn effort_unsupported(request: &Request<'_>, cx: &mut CheckContext) {
    let (model, param) = (request.model, "reasoning.effort");
    let (Some(supported), Some(effort)) = (profile(model).efforts, effort(request.body)) else {
        return;
    };
    if !supported.contains(&effort) && super::fields::EFFORTS.contains(&effort) {
        let supported = quoted_list(supported, "and");
        let message = format!(
            "Unsupported value: '{effort}' is not supported with the '{model}' model. Supported values are: {supported}."
        );
        cx.reject_with(param, message, Some(param), Some("unsupported_value"));
    }
}

pub(super) fn reasoning_unsupported(request: &Request<'_>, cx: &mut CheckContext) {
    if profile(request.model).reasoning != ReasoningDefault::Never {
        return;
    }
    for key in ["effort", "summary"] {
        let setting = request.body.field("reasoning").and_then(|reasoning| reasoning.field(key));
        if setting.is_some_and(Value::is_string) {
            let name = format!("reasoning.{key}");
            let message =
                format!("Unsupported parameter: '{name}' is not supported with this model.");
            cx.reject_with(name.clone(), message, Some(&name), Some("unsupported_parameter"));
        }
    }
}

pub(super) fn verbosity_unsupported(request: &Request<'_>, cx: &mut CheckContext) {
    let (model, param) = (request.model, "text.verbosity");
    let verbosity = request.body.pointer("/text/verbosity").and_then(Value::as_str);
    let Some(value) = verbosity.filter(|value| ["low", "high"].contains(value)) else { return };
    if is_medium_verbosity_only(model) {
        let message = format!(
            "Unsupported value: '{value}' is not supported with the '{model}' model. Supported values are: 'medium'."
        );
        cx.reject_with(param, message, Some(param), Some("unsupported_value"));
    }
}

pub(super) fn sampling_unsupported(request: &Request<'_>, cx: &mut CheckContext) {
    if !is_reasoning(request) {
        return;
    }
    for (name, default) in SAMPLING_DEFAULTS {
        let value = request.body.field(name).and_then(Value::as_f64);
        if value.is_some_and(|value| (value - default).abs() > f64::EPSILON) {
            let message =
                format!("Unsupported parameter: '{name}' is not supported with this model.");
            cx.reject_with(*name, message, Some(name), None);
        }
    }
}

pub(super) fn logprobs_unsupported(request: &Request<'_>, cx: &mut CheckContext) {
    if !is_reasoning(request) {
        return;
    }
    let (message, code) =
        ("logprobs are not supported with reasoning models.", Some("unsupported_parameter"));
    if includes(request, "message.output_text.logprobs") {
        cx.reject_with("include", message, Some("include"), code);
    }
    let top = request.body.field("top_logprobs").and_then(Value::as_u64);
    if top.is_some_and(|top| top > 0) {
        cx.reject_with("top_logprobs", message, Some("top_logprobs"), code);
    }
}

pub(super) fn encrypted_unsupported(request: &Request<'_>, cx: &mut CheckContext) {
    let is_unsupported = profile(request.model).reasoning == ReasoningDefault::Never;
    if is_unsupported && includes(request, "reasoning.encrypted_content") {
        let message = "Encrypted content is not supported with this model.";
        cx.reject_with("include", message, Some("include"), None);
    }
}

fn includes(request: &Request<'_>, value: &str) -> bool {
    array_field(request.body, "include").iter().any(|included| included == value)
}

pub(super) fn json_word(request: &Request<'_>, cx: &mut CheckContext) {
    let body = request.body;
    let format = body.pointer("/text/format/type").and_then(Value::as_str);
    if format != Some("json_object") || view::has_server_state(body) {
        return;
    }
    let has_word = |text: &str| text.to_lowercase().contains("json");
    let in_text = has_word(str_field(body, "input"));
    let in_message = |message: &Value| {
        let parts = array_field(message, "content").iter();
        has_word(str_field(message, "content"))
            || parts.into_iter().any(|part| has_word(str_field(part, "text")))
    };
    let messages = view::input(body).filter(|item| item.is_type("message"));
    if !in_text && !messages.into_iter().any(|message| in_message(message.value)) {
        let error_message = "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.";
        cx.reject_with("text.format", error_message, Some("text.format"), None);
    }
}

/// Minimum and maximum of numeric parameters.
const PARAM_RANGES: &[(&str, &str, f64, Option<f64>)] = &[
    ("temperature", "decimal", 0.0, Some(2.0)),
    ("top_p", "decimal", 0.0, Some(1.0)),
    ("presence_penalty", "decimal", -2.0, Some(2.0)),
    ("frequency_penalty", "decimal", -2.0, Some(2.0)),
    ("max_output_tokens", "integer", 16.0, None),
    ("max_tool_calls", "integer", 1.0, None),
    ("top_logprobs", "integer", 0.0, Some(20.0)),
];
const SAMPLING_DEFAULTS: &[(&str, f64)] =
    &[("temperature", 1.0), ("top_p", 1.0), ("presence_penalty", 0.0), ("frequency_penalty", 0.0)];
