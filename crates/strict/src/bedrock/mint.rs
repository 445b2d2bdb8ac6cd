//! What a signature is bound to: the same as in the Messages API, so that a signature made there is
//! accepted here and the other way round.

use serde_json::Value;

use super::underlying::{self, Underlying};
use crate::Request;
use crate::anthropic::mint::Trail;

/// The end of a request's conversation, where the reply begins; none if the model is not a Claude.
pub fn trail(request: &Request<'_>) -> Option<Trail> {
    let underlying = Underlying::of(request)?;
    Some(underlying.trail(request))
}

/// Whether every seal stands where it was made, also in turns that are closed.
pub fn is_in_place(request: &Request<'_>) -> bool {
    Underlying::of(request).is_none_or(|underlying| underlying.is_in_place(request))
}

/// A content block as it passes on a trail.
pub fn block(block: &Value) -> Value {
    underlying::block(block)
}
