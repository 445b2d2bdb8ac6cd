//! The dialect's name, and the issuer of its thinking signatures.

use interlingua_model::DialectId;

pub const ID: DialectId = DialectId("anthropic");

/// Issuer of the thinking signatures in this dialect.
pub(super) const ISSUER: &str = "anthropic";
