//! Rules that report the errors of the shape check.

use super::fields;
use super::shape::{ShapeError, shape_errors};
use crate::json::str_field;
use crate::{CheckContext, Request};

/// All shape errors of a request.
struct ShapeErrors(Vec<ShapeError>);

/// Rejects the request for each shape error of the rule that runs.
pub(super) fn shape_fault(request: &Request<'_>, cx: &mut CheckContext) {
    let rule = cx.rule_name();
    let errors = cx.memoized(|| {
        let shape = if request.count_tokens { &fields::COUNT_TOKENS_BODY } else { &fields::BODY };
        ShapeErrors(shape_errors(request.body, shape, request.betas))
    });
    for error in errors.0.iter().filter(|error| error.rule == rule) {
        let message = match &*error.path {
            "" => error.message.clone(),
            path => format!("{path}: {}", error.message),
        };
        cx.reject(&error.path, message);
    }
}

/// The display `updates` requires a beta.
pub(super) fn thinking_display(request: &Request<'_>, cx: &mut CheckContext) {
    shape_fault(request, cx);
    let has_beta = request.betas.iter().any(|beta| beta.starts_with("thinking-display-updates-"));
    let thinking = &request.body["thinking"];
    if !has_beta && str_field(thinking, "display") == "updates" {
        let path = format!("thinking.{}.display", str_field(thinking, "type"));
        let message = format!("{path}: Input should be 'summarized' or 'omitted'");
        cx.reject(path, message);
    }
}
