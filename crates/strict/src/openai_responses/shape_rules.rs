//! Rules that report the errors of the shape check.

use std::rc::Rc;

use serde_json::Value;

use super::fields::PARAMETERS;
use super::shape::{ShapeError, ShapeErrorKind, ShapeValidator, quoted_list};
use super::view::{dotted_path, has_server_state};
use crate::json::JsonExt as _;
use crate::{CheckContext, Request};

/// All shape errors of a request.
struct ShapeErrors(Vec<ShapeError>);

fn shape_errors(request: &Request<'_>, cx: &mut CheckContext) -> Rc<ShapeErrors> {
    cx.memoized(|| {
        let mut validator = ShapeValidator::default();
        validator.check_object(request.body, PARAMETERS);
        ShapeErrors(validator.errors)
    })
}

fn is_top_level(error: &ShapeError) -> bool {
    !error.path.contains(['.', '['])
}

pub(super) fn model_required(request: &Request<'_>, cx: &mut CheckContext) {
    match request.body.field("model") {
        None if request.body.field("prompt").is_some() => {}
        None => {
            let message = "Missing required parameter: 'model'.";
            cx.reject_with("model", message, Some("model"), Some("missing_required_parameter"));
        }
        // The provider reports null as an object here.
        Some(Value::Null) => {
            let message = "Invalid type for 'model': expected a string, but got an object instead.";
            cx.reject_with("model", message, Some("model"), Some("invalid_type"));
        }
        Some(_) => {}
    }
}

pub(super) fn moved_parameter(request: &Request<'_>, cx: &mut CheckContext) {
    for key in request.body.as_object().into_iter().flat_map(|body| body.keys()) {
        if let Some((name, moved)) = MOVED_PARAMETERS.iter().find(|(name, _)| name == key) {
            let message = format!(
                "Unsupported parameter: '{name}'. In the Responses API, this parameter has moved to '{moved}'. {MOVED_PARAMETER_DOCS}"
            );
            cx.reject_with(*name, message, None, Some("unsupported_parameter"));
        }
    }
}

pub(super) fn unknown_parameter(request: &Request<'_>, cx: &mut CheckContext) {
    for error in &shape_errors(request, cx).0 {
        let is_moved = MOVED_PARAMETERS.iter().any(|(name, _)| *name == error.path);
        if matches!(error.kind, ShapeErrorKind::UnknownKey) && is_top_level(error) && !is_moved {
            let hint = did_you_mean(&error.path, request.body);
            let message = format!("Unknown parameter: '{}'.{hint}", error.path);
            cx.reject_with(&error.path, message, Some(&error.path), Some("unknown_parameter"));
        }
    }
}

/// Suggests unset parameters with a similar name, the most similar first.
fn did_you_mean(name: &str, body: &Value) -> String {
    let candidate =
        PARAMETERS.iter().map(|field| field.name).filter(|candidate| body.get(candidate).is_none());
    let mut similar: Vec<_> =
        candidate.map(|candidate| (edit_distance(name, candidate), candidate)).collect();
    similar.retain(|(distance, _)| *distance <= 2);
    similar.sort_unstable();
    let similar: Vec<_> = similar.into_iter().map(|(_, candidate)| candidate).collect();
    if similar.is_empty() {
        return String::new();
    }
    format!(" Did you mean {}?", quoted_list(&similar, "or"))
}

/// The Levenshtein distance of two names.
fn edit_distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (row_index, letter) in from.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], row_index + 1);
        for (column, other) in to.bytes().enumerate() {
            let substitution = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = substitution.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

pub(super) fn missing_parameter(request: &Request<'_>, cx: &mut CheckContext) {
    for ShapeError { path, kind } in &shape_errors(request, cx).0 {
        if matches!(kind, ShapeErrorKind::Missing) {
            let message = format!("Missing required parameter: '{path}'.");
            cx.reject_with(
                dotted_path(path),
                message,
                Some(path),
                Some("missing_required_parameter"),
            );
        }
    }
}

pub(super) fn null_content(request: &Request<'_>, cx: &mut CheckContext) {
    for ShapeError { path, kind } in &shape_errors(request, cx).0 {
        if matches!(kind, ShapeErrorKind::NullContent) {
            let message = format!(
                "Invalid type for '{path}': expected one of an array of objects or string, but got null instead."
            );
            cx.reject_with(dotted_path(path), message, Some(path), Some("invalid_type"));
        }
    }
}

pub(super) fn invalid_type(request: &Request<'_>, cx: &mut CheckContext) {
    if request.body.field("input").is_some_and(Value::is_null) {
        // The provider reports null as an object here.
        let error_message =
            "Invalid type for 'input': expected a string, but got an object instead.";
        cx.reject_with("input", error_message, Some("input"), Some("invalid_type"));
    }
    for ShapeError { path, kind } in &shape_errors(request, cx).0 {
        if let ShapeErrorKind::WrongType { expected, actual: found } = kind {
            let message =
                format!("Invalid type for '{path}': expected {expected}, but got {found} instead.");
            cx.reject_with(dotted_path(path), message, Some(path), Some("invalid_type"));
        }
    }
}

pub(super) fn part_type(request: &Request<'_>, cx: &mut CheckContext) {
    for ShapeError { path, kind } in &shape_errors(request, cx).0 {
        if let ShapeErrorKind::WrongPart { found, supported: known } = kind {
            reject_value(cx, path, found, known);
        }
    }
}

pub(super) fn invalid_value(request: &Request<'_>, cx: &mut CheckContext) {
    for ShapeError { path, kind } in &shape_errors(request, cx).0 {
        if let ShapeErrorKind::UnknownValue { found, supported: known } = kind {
            reject_value(cx, path, found, known);
        }
    }
}

fn reject_value(cx: &mut CheckContext, path: &str, found: &str, supported: &[&str]) {
    let supported = quoted_list(supported, "and");
    let message = format!("Invalid value: '{found}'. Supported values are: {supported}.");
    cx.reject_with(dotted_path(path), message, Some(path), Some("invalid_value"));
}

pub(super) fn unknown_field(request: &Request<'_>, cx: &mut CheckContext) {
    for error in &shape_errors(request, cx).0 {
        if matches!(error.kind, ShapeErrorKind::UnknownKey) && !is_top_level(error) {
            let path = &error.path;
            let message = format!("Unknown parameter: '{path}'.");
            cx.reject_with(dotted_path(path), message, Some(path), Some("unknown_parameter"));
        }
    }
}

pub(super) fn input_required(request: &Request<'_>, cx: &mut CheckContext) {
    let code = Some("missing_required_parameter");
    let is_empty = match request.body.field("input") {
        None if !has_server_state(request.body) => {
            let message = "Missing required parameter: 'input'.";
            return cx.reject_with("input", message, Some("input"), code);
        }
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        _ => false,
    };
    if is_empty && !has_server_state(request.body) {
        let message = "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.";
        cx.reject_with("input", message, None, code);
    }
}

/// Parameters that have another name in Chat Completions.
const MOVED_PARAMETERS: &[(&str, &str)] = &[
    ("messages", "input"),
    ("response_format", "text.format"),
    ("reasoning_effort", "reasoning.effort"),
    ("max_completion_tokens", "max_output_tokens"),
];
const MOVED_PARAMETER_DOCS: &str = "Try again with the new parameter. See the API documentation for more information: https://platform.openai.com/docs/api-reference/responses/create.";
