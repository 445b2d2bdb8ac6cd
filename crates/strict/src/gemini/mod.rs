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

use serde_json::{Value, json};

use crate::rule::{applies_to_all, concat_rules, rule_count};
use crate::{Judge, Rule, Violation};

pub static JUDGE: Judge = Judge {
    dialect: "gemini",
    flavors: &["ai-studio", "vertex"],
    rules: RULES,
    applies: applies_to_all,
    envelope,
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

/// In the order in which they are checked: shape, settings, roles and content, calls and responses,
/// signatures.
const RULE_GROUPS: &[&[Rule]] = &[
    &shape_rules::RULES,
    &params::RULES,
    &tools::RULES,
    &schema::RULES,
    &content::RULES,
    &pairing::RULES,
    &signatures::RULES,
];
static RULES: &[Rule] = &concat_rules::<{ rule_count(RULE_GROUPS) }>(RULE_GROUPS);
