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

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::form::ObjectFields;
use crate::rule::{NamedCheck, applies_to_all, checks};
use crate::{Judge, Rule, Violation};

pub static JUDGE: Judge = Judge {
    dialect: "bedrock",
    flavors: &["bedrock"],
    rules: LazyLock::new(|| {
        Rule::parse_all(include_str!("../../rules/bedrock.toml"), CHECKS, |_| Vec::new())
    }),
    checks: CHECKS,
    applies: applies_to_all,
    envelope,
    object_fields,
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

fn object_fields() -> ObjectFields {
    let mut out = ObjectFields::new();
    converse::CONVERSE.collect_fields("", &mut out);
    out
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

/// The checks by module; `rules/bedrock.toml` has their rules in the order in which they are checked.
static CHECKS: &[NamedCheck] = checks! {
    anthropic_rules: relayed;
    content: user_first roles_alternate empty_message blank_text failed_result_empty
        reasoning_text;
    media: document_source document_name document_alone media_from_assistant unsupported_media
        too_many_media image_too_large document_too_large;
    pairing: schema_root_type tool_input tools_without_config unanswered_call too_many_results;
    params: on_demand extraneous_field strange_field invalid_beta prompt_too_long;
    shape_rules: serialization constraint one_key;
};
