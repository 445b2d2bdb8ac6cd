//! The rules about the shape of a request.

use std::rc::Rc;

use serde_json::Value;

use super::fields::PARAMETERS;
use super::shape::{Fault, Walk, What, listed};
use super::view::{dotted, has_state};
use crate::rule::Fields as _;
use crate::{Evidence, Findings, Request, Rule};

pub(super) const RULES: [Rule; 10] = [
    Rule {
        name: "model-required",
        status: 400,
        when: "There is no `model`, and no stored prompt that names one.",
        words: "Missing required parameter: 'model'.\nInvalid type for 'model': expected a string, but got {type} instead.",
        evidence: Evidence::Seen,
        source: "live probes of 2026-08",
        check: model_required,
    },
    Rule {
        name: "moved-parameter",
        status: 400,
        when: "A parameter of Chat Completions stands where the Responses API has another.",
        words: "Unsupported parameter: '{name}'. In the Responses API, this parameter has moved to '{moved}'. Try again with the new parameter. See the API documentation for more information: https://platform.openai.com/docs/api-reference/responses/create.",
        evidence: Evidence::Seen,
        source: "live probes of 2026-08 and 2026-09",
        check: moved_parameter,
    },
    Rule {
        name: "unknown-parameter",
        status: 400,
        when: "The request has a parameter that the API does not know.",
        words: "Unknown parameter: '{name}'.\nUnknown parameter: '{name}'. Did you mean {known}?",
        evidence: Evidence::Seen,
        source: "live probes of 2026-08",
        check: unknown_parameter,
    },
    Rule {
        name: "missing-parameter",
        status: 400,
        when: "An item, part, tool, tool choice or text format lacks what its kind must have.",
        words: "Missing required parameter: '{path}'.",
        evidence: Evidence::Seen,
        source: "live probes of 2026-08; public code",
        check: missing_parameter,
    },
    Rule {
        name: "null-content",
        status: 400,
        when: "A message has `null` for its content.",
        words: "Invalid type for '{path}': expected one of an array of objects or string, but got null instead.",
        evidence: Evidence::Seen,
        source: "new-api#4776",
        check: null_content,
    },
    Rule {
        name: "invalid-type",
        status: 400,
        when: "A value is of another type than its parameter.",
        words: "Invalid type for '{path}': expected {type}, but got {found} instead.",
        evidence: Evidence::Seen,
        source: "live probes of 2026-08; public code",
        check: invalid_type,
    },
    Rule {
        name: "part-type",
        status: 400,
        when: "A part of a content is of a kind that does not go there: what the assistant said is `output_text` or `refusal`, all else is `input_…`.",
        words: "Invalid value: '{value}'. Supported values are: {values}.",
        evidence: Evidence::Seen,
        source: "rust-genai PR#119, ace-tool-rs#11, nagobot#27; live probes of 2026-08",
        check: part_type,
    },
    Rule {
        name: "invalid-value",
        status: 400,
        when: "A role, a kind of item or tool, or a setting is none of the words that are known.",
        words: "Invalid value: '{value}'. Supported values are: {values}.",
        evidence: Evidence::Seen,
        source: "live probes of 2026-08; public code",
        check: invalid_value,
    },
    Rule {
        name: "unknown-field",
        status: 400,
        when: "An item, part, tool or setting has a key that its kind does not have.",
        words: "Unknown parameter: '{path}'.",
        evidence: Evidence::Seen,
        source: "public code; live probes of 2026-08",
        check: unknown_field,
    },
    Rule {
        name: "input-required",
        status: 400,
        when: "There is no input, and nothing stored to go on from.",
        words: "Missing required parameter: 'input'.\nOne of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.",
        evidence: Evidence::Seen,
        source: "live probes of 2026-08",
        check: input_required,
    },
];

/// What does not fit, all of it.
struct Faults(Vec<Fault>);

/// What does not fit below the parameters themselves.
fn faults(request: &Request<'_>, findings: &mut Findings) -> Rc<Faults> {
    findings.shared(|| {
        let mut walk = Walk::default();
        walk.object(request.body, PARAMETERS);
        Faults(walk.faults)
    })
}

fn is_parameter(fault: &Fault) -> bool {
    !fault.path.contains(['.', '['])
}

fn model_required(request: &Request<'_>, findings: &mut Findings) {
    match request.body.field("model") {
        None if request.body.field("prompt").is_some() => {}
        None => {
            let words = "Missing required parameter: 'model'.";
            findings.add_with("model", words, Some("model"), Some("missing_required_parameter"));
        }
        // The provider takes null for an object here.
        Some(Value::Null) => {
            let words = "Invalid type for 'model': expected a string, but got an object instead.";
            findings.add_with("model", words, Some("model"), Some("invalid_type"));
        }
        Some(_) => {}
    }
}

fn moved_parameter(request: &Request<'_>, findings: &mut Findings) {
    for key in request.body.as_object().into_iter().flat_map(|body| body.keys()) {
        if let Some((name, moved)) = MOVED.iter().find(|(name, _)| name == key) {
            let message = format!(
                "Unsupported parameter: '{name}'. In the Responses API, this parameter has moved to '{moved}'. {SEE}"
            );
            findings.add_with(*name, message, None, Some("unsupported_parameter"));
        }
    }
}

fn unknown_parameter(request: &Request<'_>, findings: &mut Findings) {
    for fault in &faults(request, findings).0 {
        let moved = MOVED.iter().any(|(name, _)| *name == fault.path);
        if matches!(fault.what, What::Unknown) && is_parameter(fault) && !moved {
            let hint = hint(&fault.path, request.body);
            let message = format!("Unknown parameter: '{}'.{hint}", fault.path);
            findings.add_with(&fault.path, message, Some(&fault.path), Some("unknown_parameter"));
        }
    }
}

/// The parameters that are spelled almost like this one and are not there yet, the nearest first.
fn hint(name: &str, body: &Value) -> String {
    let known = PARAMETERS.iter().map(|field| field.name).filter(|known| body.get(known).is_none());
    let mut near: Vec<_> = known.map(|known| (distance(name, known), known)).collect();
    near.retain(|(distance, _)| *distance <= 2);
    near.sort_unstable();
    let near: Vec<_> = near.into_iter().map(|(_, known)| known).collect();
    if near.is_empty() {
        return String::new();
    }
    format!(" Did you mean {}?", listed(&near, "or"))
}

/// How many letters must be put in, left out or changed.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (down, letter) in from.bytes().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], down + 1);
        for (across, other) in to.bytes().enumerate() {
            let change = corner + usize::from(letter != other);
            corner = row[across + 1];
            row[across + 1] = change.min(corner + 1).min(row[across] + 1);
        }
    }
    row[to.len()]
}

fn missing_parameter(request: &Request<'_>, findings: &mut Findings) {
    for Fault { path, what } in &faults(request, findings).0 {
        if matches!(what, What::Missing) {
            let message = format!("Missing required parameter: '{path}'.");
            findings.add_with(
                dotted(path),
                message,
                Some(path),
                Some("missing_required_parameter"),
            );
        }
    }
}

fn null_content(request: &Request<'_>, findings: &mut Findings) {
    for Fault { path, what } in &faults(request, findings).0 {
        if matches!(what, What::NullContent) {
            let message = format!(
                "Invalid type for '{path}': expected one of an array of objects or string, but got null instead."
            );
            findings.add_with(dotted(path), message, Some(path), Some("invalid_type"));
        }
    }
}

fn invalid_type(request: &Request<'_>, findings: &mut Findings) {
    if request.body.field("input").is_some_and(Value::is_null) {
        // The provider takes null for an object here.
        let words = "Invalid type for 'input': expected a string, but got an object instead.";
        findings.add_with("input", words, Some("input"), Some("invalid_type"));
    }
    for Fault { path, what } in &faults(request, findings).0 {
        if let What::Type { expected, found } = what {
            let message =
                format!("Invalid type for '{path}': expected {expected}, but got {found} instead.");
            findings.add_with(dotted(path), message, Some(path), Some("invalid_type"));
        }
    }
}

fn part_type(request: &Request<'_>, findings: &mut Findings) {
    for Fault { path, what } in &faults(request, findings).0 {
        if let What::Part { found, known } = what {
            wrong_word(findings, path, found, known);
        }
    }
}

fn invalid_value(request: &Request<'_>, findings: &mut Findings) {
    for Fault { path, what } in &faults(request, findings).0 {
        if let What::Word { found, known } = what {
            wrong_word(findings, path, found, known);
        }
    }
}

fn wrong_word(findings: &mut Findings, path: &str, found: &str, known: &[&str]) {
    let known = listed(known, "and");
    let message = format!("Invalid value: '{found}'. Supported values are: {known}.");
    findings.add_with(dotted(path), message, Some(path), Some("invalid_value"));
}

fn unknown_field(request: &Request<'_>, findings: &mut Findings) {
    for fault in &faults(request, findings).0 {
        if matches!(fault.what, What::Unknown) && !is_parameter(fault) {
            let path = &fault.path;
            let message = format!("Unknown parameter: '{path}'.");
            findings.add_with(dotted(path), message, Some(path), Some("unknown_parameter"));
        }
    }
}

fn input_required(request: &Request<'_>, findings: &mut Findings) {
    let code = Some("missing_required_parameter");
    let empty = match request.body.field("input") {
        None if !has_state(request.body) => {
            let words = "Missing required parameter: 'input'.";
            return findings.add_with("input", words, Some("input"), code);
        }
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        _ => false,
    };
    if empty && !has_state(request.body) {
        let words = "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.";
        findings.add_with("input", words, None, code);
    }
}

/// What is spelled otherwise than in the older API.
const MOVED: &[(&str, &str)] = &[
    ("messages", "input"),
    ("response_format", "text.format"),
    ("reasoning_effort", "reasoning.effort"),
    ("max_completion_tokens", "max_output_tokens"),
];
const SEE: &str = "Try again with the new parameter. See the API documentation for more information: https://platform.openai.com/docs/api-reference/responses/create.";
