//! Signatures of the Messages API, which are valid on Bedrock, too.

use serde_json::Value;

use super::anthropic_request::{self, AnthropicRequest};
use crate::Request;
use crate::anthropic::mint::SealContext;

/// The context at the end of a request's conversation, where the reply begins; `None` if the model
/// is not a Claude.
pub fn seal_context(request: &Request<'_>) -> Option<SealContext> {
    let converted = AnthropicRequest::from_converse(request)?;
    Some(converted.seal_context(request))
}

/// Whether every seal is in its original position, also in closed turns.
pub fn are_seals_in_place(request: &Request<'_>) -> bool {
    AnthropicRequest::from_converse(request)
        .is_none_or(|converted| converted.are_seals_in_place(request))
}

/// Converts a content block to the form that [`SealContext::push_block`] takes.
pub fn anthropic_block(block: &Value) -> Value {
    anthropic_request::anthropic_block(block)
}
