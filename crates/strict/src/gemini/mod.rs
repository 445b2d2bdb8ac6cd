//! What the Gemini API refuses, on AI Studio and on Vertex.
//!
//! - `proto`, `messages`, `shape`: closed shapes, as Google's JSON parser sees them
//! - `params`, `tools`, `schema`: what stands around the conversation
//! - `content`, `pairing`: the contents and their parts, calls and responses
//! - `signatures`: thought signatures
//! - [`mint`]: the same signatures, made
//! - `profile`: what each generation of models accepts

mod content;
mod messages;
pub mod mint;
mod pairing;
mod params;
mod profile;
mod proto;
mod schema;
mod shape;
mod signatures;
mod tools;
mod view;

use serde_json::{Value, json};

use crate::rule::{count, everywhere, joined};
use crate::{Judge, Rule, Violation};

pub static JUDGE: Judge = Judge {
    dialect: "gemini",
    flavors: &["ai-studio", "vertex"],
    rules: RULES,
    applies: everywhere,
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
        .any(|start| message.starts_with(start))
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

fn not_json(complaint: &str) -> Violation {
    let what =
        if complaint.contains("EOF") { "Unexpected end of string." } else { "Unexpected token." };
    Violation {
        rule: "not-json",
        status: 400,
        path: String::new(),
        message: format!("Invalid JSON payload received. {what}"),
        param: None,
        code: None,
    }
}

/// In the order in which they are checked: the shape, what stands around the conversation, who
/// speaks and what is said, calls and responses, and signatures.
const PARTS: &[&[Rule]] = &[
    &shape::RULES,
    &params::RULES,
    &tools::RULES,
    &schema::RULES,
    &content::RULES,
    &pairing::RULES,
    &signatures::RULES,
];
static RULES: &[Rule] = &joined::<{ count(PARTS) }>(PARTS);
