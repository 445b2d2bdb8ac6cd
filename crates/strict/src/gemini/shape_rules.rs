//! Rules that report the errors of the protobuf JSON parser.

use super::profile::profile;
use super::proto::messages::{COUNT_TOKENS_REQUEST, GENERATE_CONTENT_REQUEST};
use super::proto::{self, ParseError};
use super::view::{self, field, is_vertex};
use crate::{CheckContext, Request};

/// All parse errors of a request.
struct ParseErrors(Vec<ParseError>);

/// Rejects the request for each parse error of the rule that runs.
pub(super) fn parse_error(request: &Request<'_>, cx: &mut CheckContext) {
    let errors = cx.memoized(|| {
        let message_type =
            if request.count_tokens { &COUNT_TOKENS_REQUEST } else { &GENERATE_CONTENT_REQUEST };
        ParseErrors(proto::parse_errors(message_type, request.body, request.flavor))
    });
    let rule = cx.rule_name();
    for error in errors.0.iter().filter(|error| error.kind.rule() == rule) {
        cx.reject(&error.path, &error.message);
    }
}

/// The backends of old models do not have ids.
pub(super) fn call_id(request: &Request<'_>, cx: &mut CheckContext) {
    if !is_vertex(request.flavor) || profile(request.model).accepts_call_ids {
        return;
    }
    for content in view::contents(request) {
        for (part, value) in content.parts.iter().enumerate() {
            for name in ["function_call", "function_response"] {
                if field(value, name).and_then(|call| field(call, "id")).is_some() {
                    let path = format!("contents[{}].parts[{part}].{name}", content.index);
                    cx.reject_filled(proto::dotted_path(&path), &[("path", &path)]);
                }
            }
        }
    }
}
