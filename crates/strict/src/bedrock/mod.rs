//! What Bedrock's Converse API refuses.
//!
//! - `shape`, `converse`: the shapes of AWS's service model and what is said where they do not fit
//! - `params`, `content`, `media`, `pairing`: what Converse itself checks
//! - `underlying`, `through`: the Messages request behind it and what Anthropic refuses of it
//! - [`mint`]: signatures, the same as Anthropic's
//! - `profile`: what each vendor's models accept

mod content;
mod converse;
mod media;
pub mod mint;
mod pairing;
mod params;
mod profile;
mod shape;
mod through;
mod underlying;
mod view;

use serde_json::{Value, json};

use crate::rule::{count, everywhere, joined};
use crate::{Judge, Rule, Violation};

pub static JUDGE: Judge = Judge {
    dialect: "bedrock",
    flavors: &["bedrock"],
    rules: RULES,
    applies: everywhere,
    envelope,
    not_json,
};

/// The name of the error, as the header `x-amzn-errortype` says it.
pub fn exception(violation: &Violation) -> &str {
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

/// In the order in which they are checked: the shape, what Converse itself checks, and what
/// Anthropic does behind it.
const PARTS: &[&[Rule]] = &[
    &shape::RULES,
    &params::RULES,
    &content::RULES,
    &media::RULES,
    &pairing::RULES,
    &through::RULES,
    &through::SIGNATURES,
];
static RULES: &[Rule] = &joined::<{ count(PARTS) }>(PARTS);
