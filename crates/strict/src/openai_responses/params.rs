//! Limits of parameters, and what only some models take.

use serde_json::Value;

use super::profile::{Reasons, effort, only_medium, profile, reasons};
use super::shape::listed;
use super::view;
use crate::openai_context;
use crate::rule::{Fields as _, items, string};
use crate::{Evidence, Findings, Request, Rule};

pub(super) const RULES: [Rule; 12] = [
    Rule {
        name: "number-range",
        status: 400,
        when: "A number is too small or too large, such as fewer than 16 output tokens.",
        words: "Invalid '{path}': {kind} below minimum value. Expected a value >= {limit}, but got {value} instead.\nInvalid '{path}': {kind} above maximum value. Expected a value <= {limit}, but got {value} instead.",
        evidence: Evidence::Seen,
        source: "live probes of 2026-08 and 2026-09",
        check: number_range,
    },
    Rule {
        name: "metadata-size",
        status: 400,
        when: "There are more than 16 pairs of metadata.",
        words: "Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with {count} properties instead.",
        evidence: Evidence::Seen,
        source: "live probes of 2026-08",
        check: metadata_size,
    },
    Rule {
        name: "exclusive-state",
        status: 400,
        when: "The conversation goes on both from a response and from a stored conversation.",
        words: "Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.",
        evidence: Evidence::Seen,
        source: "live probes of 2026-08",
        check: exclusive_state,
    },
    Rule {
        name: "previous-response",
        status: 400,
        when: "The conversation goes on from a response that the server does not have: never given, or not to be kept.",
        words: "Previous response with id '{id}' not found.",
        evidence: Evidence::Seen,
        source: "row 13; codex source, public code",
        check: previous_response,
    },
    Rule {
        name: "context-length",
        status: 400,
        when: "The input, carefully estimated, does not fit the model's context window, and is not to be cut.",
        words: CONTEXT,
        evidence: Evidence::Quoted,
        source: "row 20 of Chat, code `context_length_exceeded`; how large the windows are is ours",
        check: context_length,
    },
    Rule {
        name: "effort-unsupported",
        status: 400,
        when: "The model does not know this effort.",
        words: "Unsupported value: '{value}' is not supported with the '{model}' model. Supported values are: {values}.",
        evidence: Evidence::Seen,
        source: "pydantic-ai's recorded probes; live probes of 2026-08 and 2026-09",
        check: effort_unsupported,
    },
    Rule {
        name: "reasoning-unsupported",
        status: 400,
        when: "A model that does not reason is asked for an effort or a summary.",
        words: "Unsupported parameter: '{name}' is not supported with this model.",
        evidence: Evidence::Seen,
        source: "pydantic-ai's recorded probes",
        check: reasoning_unsupported,
    },
    Rule {
        name: "verbosity-unsupported",
        status: 400,
        when: "A model that knows one verbosity only is asked for another.",
        words: "Unsupported value: '{value}' is not supported with the '{model}' model. Supported values are: 'medium'.",
        evidence: Evidence::Seen,
        source: "openai/codex#9035, openai/codex#19188; big-AGI#947 (each model tried), big-AGI#930, llmgateway PR#2989",
        check: verbosity_unsupported,
    },
    Rule {
        name: "sampling-unsupported",
        status: 400,
        when: "A model that reasons is given a temperature, `top_p` or penalty that is not the default.",
        words: "Unsupported parameter: '{name}' is not supported with this model.",
        evidence: Evidence::Seen,
        source: "Cursor-Azure-GPT-5#33, eva-agent#83; pydantic-ai's recorded probes; live probes of 2026-08 and 2026-09",
        check: sampling_unsupported,
    },
    Rule {
        name: "logprobs-unsupported",
        status: 400,
        when: "A model that reasons is asked for log probabilities.",
        words: "logprobs are not supported with reasoning models.",
        evidence: Evidence::Seen,
        source: "live probes of 2026-08",
        check: logprobs_unsupported,
    },
    Rule {
        name: "encrypted-unsupported",
        status: 400,
        when: "A model that does not reason is asked for encrypted reasoning.",
        words: "Encrypted content is not supported with this model.",
        evidence: Evidence::Seen,
        source: "microsoft/agent-framework#7483; several public repositories",
        check: encrypted_unsupported,
    },
    Rule {
        name: "json-word",
        status: 400,
        when: "The answer is to be a JSON object, but no message of the input has the word; the instructions do not count.",
        words: "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
        evidence: Evidence::Seen,
        source: "several public repositories",
        check: json_word,
    },
];

fn number_range(request: &Request<'_>, findings: &mut Findings) {
    for (name, kind, least, most) in RANGES {
        let Some(number) = request.body.field(name).filter(|value| value.is_number()) else {
            continue;
        };
        let value = number.as_f64().unwrap_or_default();
        let (end, sign, limit, code) = if value < *least {
            ("below minimum", ">=", least, "below_min_value")
        } else if most.is_some_and(|most| value > most) {
            ("above maximum", "<=", most.as_ref().unwrap_or(least), "above_max_value")
        } else {
            continue;
        };
        let message = format!(
            "Invalid '{name}': {kind} {end} value. Expected a value {sign} {limit}, but got {number} instead."
        );
        findings.add_with(*name, message, Some(name), Some(&format!("{kind}_{code}")));
    }
}

fn metadata_size(request: &Request<'_>, findings: &mut Findings) {
    let pairs = request.body.field("metadata").and_then(Value::as_object);
    if let Some(count) = pairs.map(serde_json::Map::len).filter(|count| *count > 16) {
        let message = format!(
            "Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with {count} properties instead."
        );
        let code = Some("object_above_max_properties");
        findings.add_with("metadata", message, Some("metadata"), code);
    }
}

fn exclusive_state(request: &Request<'_>, findings: &mut Findings) {
    let has = |key: &str| request.body.field(key).is_some_and(|value| !value.is_null());
    if has("previous_response_id") && has("conversation") {
        let words = "Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.";
        findings.add_with("conversation", words, None, Some("mutually_exclusive_parameters"));
    }
}

fn previous_response(request: &Request<'_>, findings: &mut Findings) {
    let (param, id) = ("previous_response_id", string(request.body, "previous_response_id"));
    let Some(known) = request.known.filter(|_| !id.is_empty()) else { return };
    if known.find(id).is_none() {
        let words = format!("Previous response with id '{id}' not found.");
        findings.add_with(param, words, Some(param), Some("previous_response_not_found"));
    }
}

fn context_length(request: &Request<'_>, findings: &mut Findings) {
    let cut = string(request.body, "truncation") == "auto";
    let tokens = openai_context::estimate(request.body, &["instructions", "input", "tools"]);
    if tokens > openai_context::context(request.model) && !cut && !request.counting {
        let code = Some("context_length_exceeded");
        findings.add_with("input", CONTEXT, Some("input"), code);
    }
}

const CONTEXT: &str =
    "Your input exceeds the context window of this model. Please adjust your input and try again.";

fn effort_unsupported(request: &Request<'_>, findings: &mut Findings) {
    let (model, param) = (request.model, "reasoning.effort");
    let (Some(known), Some(effort)) = (profile(model).efforts, effort(request.body)) else {
        return;
    };
    if !known.contains(&effort) && super::fields::EFFORTS.contains(&effort) {
        let known = listed(known, "and");
        let message = format!(
            "Unsupported value: '{effort}' is not supported with the '{model}' model. Supported values are: {known}."
        );
        findings.add_with(param, message, Some(param), Some("unsupported_value"));
    }
}

fn reasoning_unsupported(request: &Request<'_>, findings: &mut Findings) {
    if profile(request.model).reasons != Reasons::Never {
        return;
    }
    for key in ["effort", "summary"] {
        let asked = request.body.field("reasoning").and_then(|reasoning| reasoning.field(key));
        if asked.is_some_and(Value::is_string) {
            let name = format!("reasoning.{key}");
            let message =
                format!("Unsupported parameter: '{name}' is not supported with this model.");
            findings.add_with(name.clone(), message, Some(&name), Some("unsupported_parameter"));
        }
    }
}

fn verbosity_unsupported(request: &Request<'_>, findings: &mut Findings) {
    let (model, param) = (request.model, "text.verbosity");
    let verbosity = request.body.pointer("/text/verbosity").and_then(Value::as_str);
    let Some(value) = verbosity.filter(|value| ["low", "high"].contains(value)) else { return };
    if only_medium(model) {
        let message = format!(
            "Unsupported value: '{value}' is not supported with the '{model}' model. Supported values are: 'medium'."
        );
        findings.add_with(param, message, Some(param), Some("unsupported_value"));
    }
}

fn sampling_unsupported(request: &Request<'_>, findings: &mut Findings) {
    if !reasons(request) {
        return;
    }
    for (name, default) in SAMPLING {
        let value = request.body.field(name).and_then(Value::as_f64);
        if value.is_some_and(|value| (value - default).abs() > f64::EPSILON) {
            let message =
                format!("Unsupported parameter: '{name}' is not supported with this model.");
            findings.add_with(*name, message, Some(name), None);
        }
    }
}

fn logprobs_unsupported(request: &Request<'_>, findings: &mut Findings) {
    if !reasons(request) {
        return;
    }
    let (words, code) =
        ("logprobs are not supported with reasoning models.", Some("unsupported_parameter"));
    if includes(request, "message.output_text.logprobs") {
        findings.add_with("include", words, Some("include"), code);
    }
    let top = request.body.field("top_logprobs").and_then(Value::as_u64);
    if top.is_some_and(|top| top > 0) {
        findings.add_with("top_logprobs", words, Some("top_logprobs"), code);
    }
}

fn encrypted_unsupported(request: &Request<'_>, findings: &mut Findings) {
    let never = profile(request.model).reasons == Reasons::Never;
    if never && includes(request, "reasoning.encrypted_content") {
        let words = "Encrypted content is not supported with this model.";
        findings.add_with("include", words, Some("include"), None);
    }
}

fn includes(request: &Request<'_>, what: &str) -> bool {
    items(request.body, "include").iter().any(|one| one == what)
}

fn json_word(request: &Request<'_>, findings: &mut Findings) {
    let body = request.body;
    let format = body.pointer("/text/format/type").and_then(Value::as_str);
    if format != Some("json_object") || view::has_state(body) {
        return;
    }
    let said = |text: &str| text.to_lowercase().contains("json");
    let in_text = said(string(body, "input"));
    let in_message = |message: &Value| {
        let parts = items(message, "content").iter();
        said(string(message, "content")) || parts.into_iter().any(|part| said(string(part, "text")))
    };
    let messages = view::input(body).filter(|item| item.is("message"));
    if !in_text && !messages.into_iter().any(|message| in_message(message.value)) {
        let words = "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.";
        findings.add_with("text.format", words, Some("text.format"), None);
    }
}

/// The least and the most of each number.
const RANGES: &[(&str, &str, f64, Option<f64>)] = &[
    ("temperature", "decimal", 0.0, Some(2.0)),
    ("top_p", "decimal", 0.0, Some(1.0)),
    ("presence_penalty", "decimal", -2.0, Some(2.0)),
    ("frequency_penalty", "decimal", -2.0, Some(2.0)),
    ("max_output_tokens", "integer", 16.0, None),
    ("max_tool_calls", "integer", 1.0, None),
    ("top_logprobs", "integer", 0.0, Some(20.0)),
];
const SAMPLING: &[(&str, f64)] =
    &[("temperature", 1.0), ("top_p", 1.0), ("presence_penalty", 0.0), ("frequency_penalty", 0.0)];
