//! Closed shapes, in the words of Google's JSON parser.

use super::messages::{COUNT, REQUEST};
use super::profile::profile;
use super::proto::{self, Fault, FaultKind};
use super::view::{self, field, is_vertex};
use crate::{Evidence, Findings, Request, Rule};

/// What the parser stumbles over, all of it.
struct Faults(Vec<Fault>);

fn report(request: &Request<'_>, findings: &mut Findings, kind: FaultKind) {
    let faults = findings.shared(|| {
        let message = if request.counting { &COUNT } else { &REQUEST };
        Faults(proto::faults(message, request.body, request.flavor))
    });
    for fault in faults.0.iter().filter(|fault| fault.kind == kind) {
        findings.add(&fault.path, &fault.words);
    }
}

/// Backends of old models do not know ids.
fn ids(request: &Request<'_>, findings: &mut Findings) {
    if !is_vertex(request.flavor) || profile(request.model).ids {
        return;
    }
    for content in view::contents(request) {
        for (part, value) in content.parts.iter().enumerate() {
            for name in ["function_call", "function_response"] {
                if field(value, name).and_then(|call| field(call, "id")).is_some() {
                    let path = format!("contents[{}].parts[{part}].{name}", content.index);
                    let words = format!(
                        "Invalid JSON payload received. Unknown name \"id\" at '{path}': Cannot find field."
                    );
                    findings.add(proto::dotted(&path), words);
                }
            }
        }
    }
}

pub(super) const RULES: [Rule; 6] = [
    Rule {
        name: "unknown-field",
        status: 400,
        when: "A field is unknown; camel case and snake case are both known, and some fields only to AI Studio or only to Vertex.",
        words: "Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Cannot find field.\nInvalid JSON payload received. Unknown name \"{name}\": Cannot find field.",
        evidence: Evidence::Seen,
        source: "row 23, §7; CLIProxyAPI#97",
        check: |request, findings| report(request, findings, FaultKind::Unknown),
    },
    Rule {
        name: "unknown-schema-key",
        status: 400,
        when: "A schema (not one in parametersJsonSchema) has a key that is not of the OpenAPI subset.",
        words: "Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Cannot find field.",
        evidence: Evidence::Seen,
        source: "row 10; CLIProxyAPI#97, zed#44875, #53919, claude-code-router#187",
        check: |request, findings| report(request, findings, FaultKind::SchemaKey),
    },
    Rule {
        name: "unexpected-list",
        status: 400,
        when: "A list stands where one value is expected, such as several types in a schema.",
        words: "Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Proto field is not repeating, cannot start list.\nInvalid JSON payload received. Unknown name \"{name}\": Proto field is not repeating, cannot start list.",
        evidence: Evidence::Seen,
        source: "row 10; public code 58428696103",
        check: |request, findings| report(request, findings, FaultKind::List),
    },
    Rule {
        name: "invalid-value",
        status: 400,
        when: "A value is of another type: text for an object, an unknown name of a choice, bytes that are not base64.",
        words: "Invalid value at '{path}' ({type}), {value}\nInvalid JSON payload received. Unknown name \"\": Root element must be a message.",
        evidence: Evidence::Seen,
        source: "public logs 61545099710, 68357540606, 68647621564, 33498322215, 55609622271",
        check: |request, findings| report(request, findings, FaultKind::Value),
    },
    Rule {
        name: "two-kinds-of-data",
        status: 400,
        when: "A part holds two kinds of data.",
        words: "Invalid value at '{path}' (oneof), oneof field 'data' is already set. Cannot set '{name}'",
        evidence: Evidence::Seen,
        source: "§2; public code 62375633940",
        check: |request, findings| report(request, findings, FaultKind::OneOf),
    },
    Rule {
        name: "call-id",
        status: 400,
        when: "On Vertex, with models before 2.5: a call or response has an id.",
        words: "Invalid JSON payload received. Unknown name \"id\" at '{path}': Cannot find field.",
        evidence: Evidence::Quoted,
        source: "row 24; vellum PR#26282, which backends are old is ours",
        check: ids,
    },
];
