//! The dialect's name, the issuer of its signatures, and its heartbeat.

use interlingua_model::DialectId;

pub const ID: DialectId = DialectId("gemini");

/// Some clients parse an SSE comment as a chunk, and some parse one empty line as the start of the
/// next chunk. All clients skip two empty lines.
pub(super) const HEARTBEAT: &[u8] = b"\n\n";

pub(super) const ISSUER: &str = "google";
