//! The dialect's names: its own, the issuer of Claude's signatures, and the roles.

use interlingua_model::{DialectId, Role};
use interlingua_wire::JsonString;

pub const ID: DialectId = DialectId("bedrock");

pub(super) fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System | Role::Developer => "system",
    }
}

/// Claude's signatures are the same on Bedrock as in Anthropic's own API.
pub(super) const ISSUER: JsonString = JsonString::from_static("anthropic");
