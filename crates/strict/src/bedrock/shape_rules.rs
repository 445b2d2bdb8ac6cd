//! Rules that report the errors of the shape check.

use std::rc::Rc;

use super::converse::CONVERSE;
use super::shape::ShapeValidator;
use crate::{CheckContext, Request};

/// Checks the shape once for all rules.
fn checked_shape(request: &Request<'_>, cx: &mut CheckContext) -> Rc<ShapeValidator> {
    cx.memoized(|| {
        let mut validator = ShapeValidator::validate(&CONVERSE, request.body);
        // The API's model has system messages, but they are not known to work.
        if request.switches.system_messages == Some(true) {
            validator
                .constraint_errors
                .retain(|(_, message)| !message.starts_with("Value 'system' at 'messages."));
        }
        validator
    })
}

pub(super) fn serialization(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, message) in &checked_shape(request, cx).type_errors {
        cx.reject_with(path, message, None, Some("SerializationException"));
    }
}

/// All violated constraints are reported in one error.
pub(super) fn constraint(request: &Request<'_>, cx: &mut CheckContext) {
    let validator = checked_shape(request, cx);
    let violations = &validator.constraint_errors;
    let Some((path, _)) = violations.first() else { return };
    let message: Vec<_> = violations.iter().map(|(_, message)| message.as_str()).collect();
    let errors = if violations.len() == 1 { "error" } else { "errors" };
    let message =
        format!("{} validation {errors} detected: {}", violations.len(), message.join("; "));
    cx.reject(path.clone(), message);
}

pub(super) fn one_key(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, message) in &checked_shape(request, cx).union_errors {
        cx.reject(path, message);
    }
}
