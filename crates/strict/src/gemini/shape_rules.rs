//! Rules that report the errors of the protobuf JSON parser.

use super::profile::profile;
use super::proto::messages::{COUNT_TOKENS_REQUEST, GENERATE_CONTENT_REQUEST};
use super::proto::{self, ParseError, ParseErrorKind};
use super::view::{self, field, is_vertex};
use crate::{CheckContext, Evidence, Request, Rule};

/// All parse errors of a request.
struct ParseErrors(Vec<ParseError>);

fn report_parse_errors(request: &Request<'_>, cx: &mut CheckContext, kind: ParseErrorKind) {
    let errors = cx.memoized(|| {
        let message_type =
            if request.count_tokens { &COUNT_TOKENS_REQUEST } else { &GENERATE_CONTENT_REQUEST };
        ParseErrors(proto::parse_errors(message_type, request.body, request.flavor))
    });
    for error in errors.0.iter().filter(|error| error.kind == kind) {
        cx.reject(&error.path, &error.message);
    }
}

/// The backends of old models do not have ids.
fn call_id(request: &Request<'_>, cx: &mut CheckContext) {
    if !is_vertex(request.flavor) || profile(request.model).accepts_call_ids {
        return;
    }
    for content in view::contents(request) {
        for (part, value) in content.parts.iter().enumerate() {
            for name in ["function_call", "function_response"] {
                if field(value, name).and_then(|call| field(call, "id")).is_some() {
                    let path = format!("contents[{}].parts[{part}].{name}", content.index);
                    let message = format!(
                        "Invalid JSON payload received. Unknown name \"id\" at '{path}': Cannot find field."
                    );
                    cx.reject(proto::dotted_path(&path), message);
                }
            }
        }
    }
}

pub(super) const RULES: [Rule; 6] = [
    Rule {
        name: "unknown-field",
        status: 400,
        condition: "A field is unknown; names may be in camel case or snake case, and some fields exist only on AI Studio or only on Vertex.",
        error_message: "Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Cannot find field.\nInvalid JSON payload received. Unknown name \"{name}\": Cannot find field.",
        evidence: Evidence::Observed,
        source: "row 23, §7; CLIProxyAPI#97",
        check: |request, cx| report_parse_errors(request, cx, ParseErrorKind::UnknownField),
    },
    Rule {
        name: "unknown-schema-key",
        status: 400,
        condition: "A schema (except in parametersJsonSchema) has a key outside the OpenAPI subset.",
        error_message: "Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Cannot find field.",
        evidence: Evidence::Observed,
        source: "row 10; CLIProxyAPI#97, zed#44875, #53919, claude-code-router#187",
        check: |request, cx| report_parse_errors(request, cx, ParseErrorKind::UnknownSchemaKey),
    },
    Rule {
        name: "unexpected-list",
        status: 400,
        condition: "A list is sent where a single value is expected, such as several types in a schema.",
        error_message: "Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Proto field is not repeating, cannot start list.\nInvalid JSON payload received. Unknown name \"{name}\": Proto field is not repeating, cannot start list.",
        evidence: Evidence::Observed,
        source: "row 10; public code 58428696103",
        check: |request, cx| report_parse_errors(request, cx, ParseErrorKind::UnexpectedList),
    },
    Rule {
        name: "invalid-value",
        status: 400,
        condition: "A value has the wrong type: text for an object, an unknown enum name, bytes that are not base64.",
        error_message: "Invalid value at '{path}' ({type}), {value}\nInvalid JSON payload received. Unknown name \"\": Root element must be a message.",
        evidence: Evidence::Observed,
        source: "public logs 61545099710, 68357540606, 68647621564, 33498322215, 55609622271",
        check: |request, cx| report_parse_errors(request, cx, ParseErrorKind::InvalidValue),
    },
    Rule {
        name: "two-kinds-of-data",
        status: 400,
        condition: "A part has two kinds of data.",
        error_message: "Invalid value at '{path}' (oneof), oneof field 'data' is already set. Cannot set '{name}'",
        evidence: Evidence::Observed,
        source: "§2; public code 62375633940",
        check: |request, cx| report_parse_errors(request, cx, ParseErrorKind::OneOf),
    },
    Rule {
        name: "call-id",
        status: 400,
        condition: "On Vertex, with models before 2.5, a call or response has an id.",
        error_message: "Invalid JSON payload received. Unknown name \"id\" at '{path}': Cannot find field.",
        evidence: Evidence::Quoted,
        source: "row 24; vellum PR#26282, the list of old backends is ours",
        check: call_id,
    },
];
