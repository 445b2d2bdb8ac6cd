//! The dialect's name, and the issuers of its encrypted reasoning.

use interlingua_model::DialectId;
use interlingua_wire::JsonString;

pub const ID: DialectId = DialectId("openai-responses");

/// Issuer of `OpenAI`'s encrypted reasoning.
pub(super) const OPENAI_ISSUER: JsonString = JsonString::from_static("openai");
/// Issuer of xAI's encrypted reasoning, which uses the same field.
pub(super) const XAI_ISSUER: JsonString = JsonString::from_static("xai");
