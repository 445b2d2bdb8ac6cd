//! Rules about thought signatures: present where required, and authentic.

use super::mint;
use super::profile::profile;
use super::view::{self, Content, flavored_message, is_vertex, str_field};
use crate::seal::SealError;
use crate::{CheckContext, Request};

/// The index of the first content after the last user content that has no function response.
fn current_turn_start(contents: &[Content<'_>]) -> usize {
    let is_turn_start = |content: &Content<'_>| {
        content.role == "user" && !content.parts.is_empty() && content.responses().next().is_none()
    };
    contents.iter().rposition(is_turn_start).map_or(0, |at| at + 1)
}

pub(super) fn missing_signature(request: &Request<'_>, cx: &mut CheckContext) {
    if !profile(request.model).requires_signed_calls {
        return;
    }
    let contents = view::contents(request);
    for content in contents
        .iter()
        .skip(current_turn_start(&contents))
        .filter(|content| content.role == "model")
    {
        let Some((part, call)) = content.calls().next() else { continue };
        let is_signed = content
            .parts
            .get(part)
            .is_some_and(|part| !str_field(part, "thought_signature").is_empty());
        if !is_signed {
            let (name, position) = (str_field(call, "name"), content.index + 1);
            let message = if is_vertex(request.flavor) {
                format!(
                    "Unable to submit request because function call `default_api:{name}` in the {position}. content block is missing a `thought_signature`. Learn more: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures"
                )
            } else {
                format!(
                    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:{name}` , position {position}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
                )
            };
            cx.reject(format!("{}.parts.{part}", content.path()), message);
        }
    }
}

pub(super) fn corrupted_signature(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(key) = request.seal_key else { return };
    let contents = view::contents(request);
    let current_turn = current_turn_start(&contents);
    for content in &contents {
        for (at, part) in content.parts.iter().enumerate() {
            if str_field(part, "thought_signature").is_empty() {
                continue;
            }
            let errors = mint::seal_errors(key, request.flavor, request.model, content.parts, at);
            let is_foreign = |error: &SealError| {
                matches!(
                    error,
                    SealError::NotAuthentic | SealError::WrongProvider | SealError::WrongModel
                )
            };
            // Only in the current turn must the signature belong to this call.
            let must_match = content.index >= current_turn
                && profile(request.model).requires_signed_calls
                && view::field(part, "function_call").is_some();
            if errors.iter().any(is_foreign) || must_match && !errors.is_empty() {
                let message = if is_vertex(request.flavor) {
                    flavored_message(request.flavor, "Thought signature is not valid.")
                } else {
                    "Corrupted thought signature.".to_owned()
                };
                cx.reject(format!("{}.parts.{at}", content.path()), message);
            }
        }
    }
}
