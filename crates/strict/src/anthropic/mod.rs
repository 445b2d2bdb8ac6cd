//! What the Anthropic Messages API refuses.
//!
//! - `shape`, `shape_rules`, `fields`, `blocks`: closed shapes and their tables
//! - `carriage`, `headers`, `params`, `effort`, `choice`, `limits`: what stands around the conversation
//! - `tools`, `tool_changes`, `schema`: tool definitions
//! - `roles`, `content`, `placement`, `documents`, `media`, `cache`: the messages and their blocks
//! - `pairing`, `server_tools`: calls and results
//! - `threads`, [`compaction`]: what the server holds, and summaries
//! - `thinking`, `signatures`: thinking and whether it is what the model said
//! - [`mint`]: the same signatures, made
//! - [`profile`]: what each generation of models accepts
//! - `deepseek`: another server of the same API

mod blocks;
mod cache;
mod carriage;
mod choice;
pub mod compaction;
mod content;
mod deepseek;
mod documents;
mod effort;
mod fields;
mod headers;
pub mod limits;
mod media;
pub mod mint;
mod pairing;
mod params;
mod placement;
pub mod profile;
mod roles;
mod schema;
mod server_tools;
mod shape;
mod shape_rules;
mod signatures;
mod thinking;
mod threads;
mod tool_changes;
mod tools;
mod view;

use serde_json::{Value, json};

pub use threads::fingerprint as thread_fingerprint;

use crate::rule::{count, joined};
use crate::{Judge, Rule, Violation};

pub static JUDGE: Judge = Judge {
    dialect: "anthropic",
    flavors: &["anthropic", deepseek::FLAVOR],
    rules: RULES,
    applies,
    envelope,
    not_json,
};

fn applies(rule: &Rule, flavor: &str) -> bool {
    if flavor == deepseek::FLAVOR {
        deepseek::has(rule)
    } else {
        !rule.name.starts_with("deepseek-")
    }
}

fn envelope(violation: &Violation, flavor: &str) -> Value {
    if flavor == deepseek::FLAVOR {
        let kind = "invalid_request_error";
        return json!({"error": {
            "message": violation.message, "type": kind, "param": null, "code": kind,
        }});
    }
    let kind = match violation.status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        409 => "conflict_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        504 => "timeout_error",
        500..=599 => "api_error",
        _ => "invalid_request_error",
    };
    let mut error = json!({"type": kind, "message": violation.message});
    if let Some(code) = &violation.code {
        error["details"] = json!({"error_code": code});
    }
    json!({"type": "error", "error": error})
}

fn not_json(complaint: &str) -> Violation {
    Violation {
        rule: "not-json",
        status: 400,
        path: String::new(),
        message: format!("The request body is not valid JSON: {}", headers::said(complaint)),
        param: None,
        code: None,
    }
}

/// In the order in which they are checked: what stands before the body, its shape, what stands
/// around the conversation, who speaks, what is said, calls and results, and thinking.
const PARTS: &[&[Rule]] = &[
    &[limits::LARGE],
    &carriage::RULES,
    &headers::RULES,
    &shape_rules::RULES,
    &[headers::MODEL],
    &params::RULES,
    &effort::RULES,
    &choice::RULES,
    &deepseek::RULES,
    &limits::RULES,
    &threads::RULES,
    &compaction::ASKED,
    &tools::RULES,
    &tool_changes::RULES,
    &schema::RULES,
    &roles::RULES,
    &placement::RULES,
    &content::RULES,
    &documents::RULES,
    &media::RULES,
    &cache::RULES,
    &compaction::RULES,
    &server_tools::RULES,
    &pairing::RULES,
    &thinking::RULES,
    &signatures::RULES,
];
static RULES: &[Rule] = &joined::<{ count(PARTS) }>(PARTS);
