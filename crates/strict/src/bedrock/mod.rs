//! The rules of Bedrock's Converse API.
//!
//! - `shape`, `converse`, `shape_rules`: shapes of AWS's service model and the errors of its validation
//! - `params`, `content`, `media`, `pairing`: Converse's own checks
//! - `anthropic_request`, `anthropic_rules`: the Messages request behind it and Anthropic's checks
//! - [`mint`]: signatures, the same as Anthropic's
//! - `profile`: fields and features of each vendor's models

mod anthropic_request;
mod anthropic_rules;
mod content;
mod converse;
mod media;
pub mod mint;
mod pairing;
mod params;
mod profile;
mod shape;
mod shape_rules;
mod view;

use serde_json::{Value, json};

use crate::rule::{applies_to_all, concat_rules, rule_count};
use crate::{Judge, Rule, Violation};

pub static JUDGE: Judge = Judge {
    dialect: "bedrock",
    flavors: &["bedrock"],
    rules: RULES,
    applies: applies_to_all,
    envelope,
    not_json,
};

/// The name of the error in the header `x-amzn-errortype`.
pub fn exception_name(violation: &Violation) -> &str {
    match &violation.code {
        Some(code) => code,
        None => match violation.status {
            403 => "AccessDeniedException",
            404 => "ResourceNotFoundException",
            408 => "ModelTimeoutException",
            424 => "ModelErrorException",
            429 => "ThrottlingException",
            500 => "InternalServerException",
            503 => "ServiceUnavailableException",
            _ => "ValidationException",
        },
    }
}

fn envelope(violation: &Violation, _flavor: &str) -> Value {
    json!({"message": violation.message})
}

fn not_json(_complaint: &str) -> Violation {
    Violation {
        rule: "not-json",
        status: 400,
        path: String::new(),
        message: "The request body is not valid JSON.".to_owned(),
        param: None,
        code: Some("SerializationException".to_owned()),
    }
}

/// In the order in which they are checked: the shape, Converse's own checks, and Anthropic's
/// behind it.
const RULE_GROUPS: &[&[Rule]] = &[
    &shape_rules::RULES,
    &params::RULES,
    &content::RULES,
    &media::RULES,
    &pairing::RULES,
    &anthropic_rules::RULES,
    &anthropic_rules::SIGNATURE_RULES,
];
static RULES: &[Rule] = &concat_rules::<{ rule_count(RULE_GROUPS) }>(RULE_GROUPS);
