//! Rules about limits of parameters, and parameters that only some models support.

use serde_json::Value;

use super::profile::{ReasoningDefault, effort, is_medium_verbosity_only, is_reasoning, profile};
use super::shape::quoted_list;
use super::view;
use crate::json::{JsonExt as _, array_field, str_field};
use crate::openai_context_window;
use crate::{CheckContext, Evidence, Request, Rule};

pub(super) const RULES: [Rule; 12] = [
    Rule {
        name: "number-range",
        status: 400,
        condition: "A number is below its minimum or above its maximum, such as fewer than 16 output tokens.",
        error_message: "Invalid '{path}': {kind} below minimum value. Expected a value >= {limit}, but got {value} instead.\nInvalid '{path}': {kind} above maximum value. Expected a value <= {limit}, but got {value} instead.",
        evidence: Evidence::Observed,
        source: "live probes of 2026-08 and 2026-09",
        check: number_range,
    },
    Rule {
        name: "metadata-size",
        status: 400,
        condition: "The metadata has more than 16 pairs.",
        error_message: "Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with {count} properties instead.",
        evidence: Evidence::Observed,
        source: "live probes of 2026-08",
        check: metadata_size,
    },
    Rule {
        name: "exclusive-state",
        status: 400,
        condition: "Both previous_response_id and conversation are set.",
        error_message: "Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.",
        evidence: Evidence::Observed,
        source: "live probes of 2026-08",
        check: exclusive_state,
    },
    Rule {
        name: "previous-response",
        status: 400,
        condition: "The server does not have the previous response: it was never created, or not stored.",
        error_message: "Previous response with id '{id}' not found.",
        evidence: Evidence::Observed,
        source: "row 13; codex source, public code",
        check: previous_response,
    },
    Rule {
        name: "context-length",
        status: 400,
        condition: "The input, conservatively estimated, exceeds the model's context window, and truncation is not auto.",
        error_message: CONTEXT_LENGTH_ERROR,
        evidence: Evidence::Quoted,
        source: "row 20 of Chat, code `context_length_exceeded`; the window sizes are ours",
        check: context_length,
    },
    Rule {
        name: "effort-unsupported",
        status: 400,
        condition: "The model does not support this effort.",
        error_message: "Unsupported value: '{value}' is not supported with the '{model}' model. Supported values are: {values}.",
        evidence: Evidence::Observed,
        source: "pydantic-ai's recorded probes; live probes of 2026-08 and 2026-09",
        check: effort_unsupported,
    },
    Rule {
        name: "reasoning-unsupported",
        status: 400,
        condition: "An effort or summary is requested from a model that does not reason.",
        error_message: "Unsupported parameter: '{name}' is not supported with this model.",
        evidence: Evidence::Observed,
        source: "pydantic-ai's recorded probes",
        check: reasoning_unsupported,
    },
    Rule {
        name: "verbosity-unsupported",
        status: 400,
        condition: "Another verbosity than medium is requested from a model that only supports medium.",
        error_message: "Unsupported value: '{value}' is not supported with the '{model}' model. Supported values are: 'medium'.",
        evidence: Evidence::Observed,
        source: "openai/codex#9035, openai/codex#19188; big-AGI#947 (each model tried), big-AGI#930, llmgateway PR#2989",
        check: verbosity_unsupported,
    },
    Rule {
        name: "sampling-unsupported",
        status: 400,
        condition: "The temperature, `top_p` or a penalty of a model that reasons is not its default.",
        error_message: "Unsupported parameter: '{name}' is not supported with this model.",
        evidence: Evidence::Observed,
        source: "Cursor-Azure-GPT-5#33, eva-agent#83; pydantic-ai's recorded probes; live probes of 2026-08 and 2026-09",
        check: sampling_unsupported,
    },
    Rule {
        name: "logprobs-unsupported",
        status: 400,
        condition: "Log probabilities are requested from a model that reasons.",
        error_message: "logprobs are not supported with reasoning models.",
        evidence: Evidence::Observed,
        source: "live probes of 2026-08",
        check: logprobs_unsupported,
    },
    Rule {
        name: "encrypted-unsupported",
        status: 400,
        condition: "Encrypted reasoning is requested from a model that does not reason.",
        error_message: "Encrypted content is not supported with this model.",
        evidence: Evidence::Observed,
        source: "microsoft/agent-framework#7483; several public repositories",
        check: encrypted_unsupported,
    },
    Rule {
        name: "json-word",
        status: 400,
        condition: "A JSON object is requested, but no message of the input contains the word \"json\"; the instructions do not count.",
        error_message: "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
        evidence: Evidence::Observed,
        source: "several public repositories",
        check: json_word,
    },
];

fn number_range(request: &Request<'_>, cx: &mut CheckContext) {
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

fn metadata_size(request: &Request<'_>, cx: &mut CheckContext) {
    let pairs = request.body.field("metadata").and_then(Value::as_object);
    if let Some(count) = pairs.map(serde_json::Map::len).filter(|count| *count > 16) {
        let message = format!(
            "Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with {count} properties instead."
        );
        let code = Some("object_above_max_properties");
        cx.reject_with("metadata", message, Some("metadata"), code);
    }
}

fn exclusive_state(request: &Request<'_>, cx: &mut CheckContext) {
    let has = |key: &str| request.body.field(key).is_some_and(|value| !value.is_null());
    if has("previous_response_id") && has("conversation") {
        let message = "Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.";
        cx.reject_with("conversation", message, None, Some("mutually_exclusive_parameters"));
    }
}

fn previous_response(request: &Request<'_>, cx: &mut CheckContext) {
    let (param, id) = ("previous_response_id", str_field(request.body, "previous_response_id"));
    let Some(stored_replies) = request.stored_replies.filter(|_| !id.is_empty()) else { return };
    if stored_replies.get(id).is_none() {
        let message = format!("Previous response with id '{id}' not found.");
        cx.reject_with(param, message, Some(param), Some("previous_response_not_found"));
    }
}

fn context_length(request: &Request<'_>, cx: &mut CheckContext) {
    let is_truncated = str_field(request.body, "truncation") == "auto";
    let tokens =
        openai_context_window::estimate_tokens(request.body, &["instructions", "input", "tools"]);
    if tokens > openai_context_window::context_window(request.model)
        && !is_truncated
        && !request.count_tokens
    {
        let code = Some("context_length_exceeded");
        cx.reject_with("input", CONTEXT_LENGTH_ERROR, Some("input"), code);
    }
}

const CONTEXT_LENGTH_ERROR: &str =
    "Your input exceeds the context window of this model. Please adjust your input and try again.";

fn effort_unsupported(request: &Request<'_>, cx: &mut CheckContext) {
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

fn reasoning_unsupported(request: &Request<'_>, cx: &mut CheckContext) {
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

fn verbosity_unsupported(request: &Request<'_>, cx: &mut CheckContext) {
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

fn sampling_unsupported(request: &Request<'_>, cx: &mut CheckContext) {
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

fn logprobs_unsupported(request: &Request<'_>, cx: &mut CheckContext) {
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

fn encrypted_unsupported(request: &Request<'_>, cx: &mut CheckContext) {
    let is_unsupported = profile(request.model).reasoning == ReasoningDefault::Never;
    if is_unsupported && includes(request, "reasoning.encrypted_content") {
        let message = "Encrypted content is not supported with this model.";
        cx.reject_with("include", message, Some("include"), None);
    }
}

fn includes(request: &Request<'_>, value: &str) -> bool {
    array_field(request.body, "include").iter().any(|included| included == value)
}

fn json_word(request: &Request<'_>, cx: &mut CheckContext) {
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
