//! The rules of the Gemini API, on AI Studio and on Vertex.
//!
//! - `proto`, `shape_rules`: message types and the parser's errors
//! - `params`, `tools`, `schema`: settings and tools
//! - `content`, `pairing`: contents and their parts, calls and responses
//! - `signatures`: verification of thought signatures
//! - [`mint`]: creates thought signatures
//! - `profile`: settings and features of each model generation

mod content;
pub mod mint;
mod pairing;
mod params;
mod profile;
mod proto;
mod schema;
mod shape_rules;
mod signatures;
mod tools;
mod view;

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::form::ObjectFields;
use crate::rule::{NamedCheck, applies_to_all, checks};
use crate::{Judge, Rule, Violation};

pub static JUDGE: Judge = Judge {
    dialect: "gemini",
    flavors: &["ai-studio", "vertex"],
    rules: LazyLock::new(|| {
        Rule::parse_all(include_str!("../../rules/gemini.toml"), CHECKS, |_| Vec::new())
    }),
    checks: CHECKS,
    applies: applies_to_all,
    envelope,
    object_fields,
    not_json,
};

fn envelope(violation: &Violation, _flavor: &str) -> Value {
    let status = match violation.status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        409 => "ABORTED",
        429 => "RESOURCE_EXHAUSTED",
        500 => "INTERNAL",
        503 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        _ => "INVALID_ARGUMENT",
    };
    let message = &violation.message;
    let mut error = json!({"code": violation.status, "message": message, "status": status});
    if ["Invalid value at ", "Invalid JSON payload received. Unknown name "]
        .iter()
        .any(|prefix| message.starts_with(prefix))
    {
        let mut field = json!({});
        if let Some(path) = message.split(" at '").nth(1).and_then(|rest| rest.split('\'').next()) {
            field["field"] = path.into();
        }
        field["description"] = message.as_str().into();
        error["details"] = json!([{
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [field],
        }]);
    }
    json!({"error": error})
}

fn object_fields() -> ObjectFields {
    let mut out = ObjectFields::new();
    proto::messages::GENERATE_CONTENT_REQUEST.collect_fields(&mut out);
    out
}

fn not_json(parser_error: &str) -> Violation {
    let description = if parser_error.contains("EOF") {
        "Unexpected end of string."
    } else {
        "Unexpected token."
    };
    Violation {
        rule: "not-json",
        status: 400,
        path: String::new(),
        message: format!("Invalid JSON payload received. {description}"),
        param: None,
        code: None,
    }
}

/// The checks by module; `rules/gemini.toml` has their rules in the order in which they are checked.
static CHECKS: &[NamedCheck] = checks! {
    content: no_contents role roles_alternate no_parts empty_part empty_text empty_name image_type
        document_type ends_with_model;
    pairing: misplaced_call orphan_response response_count response_name media_in_response;
    params: max_output_tokens stop_sequences temperature budget_and_level no_thinking
        thinking_level no_thinking_level thinking_only thinking_budget json_and_tools
        cached_content prompt_too_long;
    schema: schema_error;
    shape_rules: call_id parse_error;
    signatures: missing_signature corrupted_signature;
    tools: too_many_functions function_name duplicate_function two_schemas json_schema_root
        calling_without_functions built_in_and_functions;
};
