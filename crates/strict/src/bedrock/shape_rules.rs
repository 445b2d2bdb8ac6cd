//! Rules that report the errors of the shape check.

use std::rc::Rc;

use super::converse::CONVERSE;
use super::shape::ShapeValidator;
use crate::{CheckContext, Evidence, Request, Rule};

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

fn serialization(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, message) in &checked_shape(request, cx).type_errors {
        cx.reject_with(path, message, None, Some("SerializationException"));
    }
}

/// All violated constraints are reported in one error.
fn constraint(request: &Request<'_>, cx: &mut CheckContext) {
    let validator = checked_shape(request, cx);
    let violations = &validator.constraint_errors;
    let Some((path, _)) = violations.first() else { return };
    let message: Vec<_> = violations.iter().map(|(_, message)| message.as_str()).collect();
    let errors = if violations.len() == 1 { "error" } else { "errors" };
    let message =
        format!("{} validation {errors} detected: {}", violations.len(), message.join("; "));
    cx.reject(path.clone(), message);
}

fn one_key(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, message) in &checked_shape(request, cx).union_errors {
        cx.reject(path, message);
    }
}

pub(super) const RULES: [Rule; 3] = [
    Rule {
        name: "serialization",
        status: 400,
        condition: "A value has the wrong type, such as text instead of a list.",
        error_message: "{found} cannot be converted to {type}\nStart of structure or map found where not expected.\nStart of list found where not expected",
        evidence: Evidence::Observed,
        source: "public logs 58086220089, 56246063039, 68934429601",
        check: serialization,
    },
    Rule {
        name: "constraint",
        status: 400,
        condition: "A value is missing, too short, too long, too small or too large, or does not match a pattern or enum; all errors are reported together.",
        error_message: "{n} validation {errors} detected: Value {value} at '{path}' failed to satisfy constraint: Member must {constraint}",
        evidence: Evidence::Observed,
        source: "§6.2; litellm#24668, #19384, openclaw#12892, remote-swe-agents PR#457, public log 53854027447",
        check: constraint,
    },
    Rule {
        name: "one-key",
        status: 400,
        condition: "A content block, tool, tool choice or source has none of its keys, or several.",
        error_message: "{name} object at {path} must set one of the following keys: {keys}.",
        evidence: Evidence::Observed,
        source: "§6.2; public logs 54498327871, 59941440228",
        check: one_key,
    },
];
