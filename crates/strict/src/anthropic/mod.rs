//! The rules of the Anthropic Messages API.
//!
//! | Modules | What they check |
//! |---|---|
//! | `shape`, `shape_rules`, `fields`, `blocks` | shapes of bodies, and their tables |
//! | `content_encoding`, `headers`, `params`, `effort`, `tool_choice`, `limits` | headers, settings |
//! | `tools`, `tool_changes`, `schema` | tool definitions |
//! | `roles`, `content`, `documents`, `media`, `cache` | messages and their blocks |
//! | `pairing`, `server_tools` | tool calls and results |
//! | `threads`, [`compaction`] | stored conversations, compaction summaries |
//! | `thinking`, `signatures` | thinking blocks and their verification |
//!
//! [`mint`] creates valid signatures, [`profile`] holds the settings and features of each model
//! generation, and `deepseek` has the rules of `DeepSeek`'s server of the same API.

mod blocks;
mod cache;
pub mod compaction;
mod content;
mod content_encoding;
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
mod tool_choice;
mod tools;
mod view;

use serde_json::{Value, json};

pub use threads::fingerprint as thread_fingerprint;

use crate::rule::{concat_rules, rule_count};
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
        deepseek::has_rule(rule)
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
        message: format!(
            "The request body is not valid JSON: {}",
            headers::json_error_message(complaint)
        ),
        param: None,
        code: None,
    }
}

/// In the order in which the API checks them: headers, shape of the body, settings, roles, content,
/// calls and results, thinking.
const RULE_GROUPS: &[&[Rule]] = &[
    &[limits::REQUEST_TOO_LARGE],
    &content_encoding::RULES,
    &headers::RULES,
    &shape_rules::RULES,
    &[headers::UNKNOWN_MODEL],
    &params::RULES,
    &effort::RULES,
    &tool_choice::RULES,
    &deepseek::RULES,
    &limits::RULES,
    &threads::RULES,
    &compaction::REQUEST_RULES,
    &tools::RULES,
    &tool_changes::RULES,
    &schema::RULES,
    &roles::RULES,
    &content::RULES,
    &documents::RULES,
    &media::RULES,
    &cache::RULES,
    &compaction::BLOCK_RULES,
    &server_tools::RULES,
    &pairing::RULES,
    &thinking::RULES,
    &signatures::RULES,
];
static RULES: &[Rule] = &concat_rules::<{ rule_count(RULE_GROUPS) }>(RULE_GROUPS);
