//! Rules about thinking signatures: authentic, unmodified and in their original position.

use super::mint::{self, REDACTED_THINKING, SealContext, THINKING};
use super::profile::{ThinkingMode, families, profile, thinking_mode};
use super::view::{self, Block};
use crate::json::str_field;
use crate::seal::{SealClaims, SealError, SealKey};
use crate::{CheckContext, Request};

/// The kind of error in a thinking block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SignatureError {
    /// The signature is malformed, or belongs to another text or model.
    Invalid,
    /// The open turn differs from the model's original.
    Modified,
    /// Something before the block changed.
    PrefixChanged,
}

/// The signature errors of a request, block by block.
struct SignatureErrors(Vec<LocatedError>);

struct LocatedError {
    error: SignatureError,
    path: String,
    is_redacted: bool,
}

fn verify_request(request: &Request<'_>, key: &SealKey) -> SignatureErrors {
    let body = request.body;
    if !view::blocks(body).any(|block| block.is_thinking()) {
        return SignatureErrors(Vec::new());
    }
    let runs = view::merged_messages(body);
    let open_start = view::open_tool_loop(&runs).first().and_then(|run| run.blocks.first());
    let open_start = open_start.map_or(usize::MAX, |block| block.message_index);
    let must_keep_thinking = view::blocks(body)
        .any(|block| block.message_index >= open_start && block.is_thinking())
        && thinking_mode(request) != ThinkingMode::Off;
    let mut located = Vec::new();
    let mut seal_context = SealContext::at_start(request);
    for (at, message) in view::messages(body).iter().enumerate() {
        seal_context.enter_message(message);
        for block in view::message_blocks(message, at) {
            let error = if block.is_thinking() {
                verify_block(request, key, &seal_context, &block, at >= open_start)
            } else {
                let is_lost = block.is_type("tool_use")
                    && seal_context.call_id_mismatches(key, block.str_field("id"));
                (is_lost && must_keep_thinking && at >= open_start)
                    .then_some(SignatureError::Modified)
            };
            let is_redacted = block.is_type(REDACTED_THINKING);
            located.extend(error.map(|error| LocatedError {
                error,
                path: block.path(),
                is_redacted,
            }));
            seal_context.push_block(block.value);
        }
    }
    SignatureErrors(located)
}

fn verify_block(
    request: &Request<'_>,
    key: &SealKey,
    seal_context: &SealContext,
    block: &Block<'_>,
    is_open: bool,
) -> Option<SignatureError> {
    let digest = seal_context.prefix_digest();
    let kind = if block.is_type(REDACTED_THINKING) { REDACTED_THINKING } else { THINKING };
    let claims = seal_context.claims(kind, block.str_field("thinking"), digest.as_deref());
    let (errors, is_foreign) = seal_errors(key, mint::seal_of(block.value), &claims);
    let has_error = |seal_error| errors.contains(&seal_error);
    let profile_row = profile(request.model);
    if has_error(SealError::NotAuthentic)
        || has_error(SealError::WrongProvider)
        || is_foreign && !profile_row.drops_foreign_thinking
    {
        return Some(SignatureError::Invalid);
    }
    if has_error(SealError::ContentChanged) {
        return Some(if is_open && !is_foreign {
            SignatureError::Modified
        } else {
            SignatureError::Invalid
        });
    }
    if is_foreign {
        // A foreign block is dropped silently.
        return None;
    }
    if is_open && has_error(SealError::PositionChanged) {
        return Some(SignatureError::Modified);
    }
    let behaviour = request.body.pointer("/thinking/block_binding/prefix_mismatch_behavior");
    let is_dropped = behaviour.is_some_and(|behaviour| behaviour == "drop_block");
    ((has_error(SealError::PrefixChanged) || has_error(SealError::ChainBroken)) && !is_dropped)
        .then_some(SignatureError::PrefixChanged)
}

/// Seal errors, and whether another model made the seal.
fn seal_errors(key: &SealKey, seal: &str, claims: &SealClaims<'_>) -> (Vec<SealError>, bool) {
    let mut errors = seal_errors_ignoring_omitted(key, seal, claims);
    let is_foreign = errors.contains(&SealError::WrongModel);
    if is_foreign {
        let errors_for_model = |model| {
            seal_errors_ignoring_omitted(key, seal, &SealClaims { model, ..claims.clone() })
        };
        let family_errors = families()
            .map(errors_for_model)
            .find(|errors| !errors.contains(&SealError::WrongModel));
        errors = family_errors.unwrap_or(errors);
    }
    (errors, is_foreign)
}

/// Seal errors, ignoring text that replaces omitted thinking.
fn seal_errors_ignoring_omitted(
    key: &SealKey,
    seal: &str,
    claims: &SealClaims<'_>,
) -> Vec<SealError> {
    let errors = key.errors(seal, claims);
    if errors.contains(&SealError::ContentChanged) && !claims.content.is_empty() {
        let errors_without_text = key.errors(seal, &SealClaims { content: "", ..claims.clone() });
        if !errors_without_text.contains(&SealError::ContentChanged) {
            return errors_without_text;
        }
    }
    errors
}

fn report_errors(
    request: &Request<'_>,
    cx: &mut CheckContext,
    is_reported: impl Fn(&LocatedError) -> bool,
    describe: impl Fn(&LocatedError) -> String,
) {
    let Some(key) = request.seal_key else { return };
    let errors = cx.memoized(|| verify_request(request, key));
    for located in errors.0.iter().filter(|located| is_reported(located)) {
        cx.reject(&located.path, format!("{}: {}", located.path, describe(located)));
    }
}

fn field_description(is_redacted: bool) -> &'static str {
    if is_redacted {
        "`data` in `redacted_thinking` block"
    } else {
        "`signature` in `thinking` block"
    }
}

pub(super) fn modified_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    let is_modified = |located: &LocatedError| located.error == SignatureError::Modified;
    report_errors(request, cx, is_modified, |_| MODIFIED_THINKING_ERROR.to_owned());
}

pub(super) fn changed_prefix(request: &Request<'_>, cx: &mut CheckContext) {
    let has_beta = request.betas.iter().any(|hint| hint.starts_with("thinking-binding-controls-"));
    let hint = if has_beta { "" } else { BINDING_BETA_HINT };
    let is_prefix_changed = |located: &LocatedError| located.error == SignatureError::PrefixChanged;
    report_errors(request, cx, is_prefix_changed, |located| {
        format!("Invalid {}. {CHANGED_PREFIX_ERROR}{hint}", field_description(located.is_redacted))
    });
}

/// Without a key, only an empty signature or empty data can be detected.
fn reject_invalid(request: &Request<'_>, cx: &mut CheckContext, kind: &str) {
    if request.seal_key.is_some() {
        let is_redacted = kind == REDACTED_THINKING;
        let is_invalid = |located: &LocatedError| {
            located.error == SignatureError::Invalid && located.is_redacted == is_redacted
        };
        return report_errors(request, cx, is_invalid, |_| {
            format!("Invalid {}", field_description(is_redacted))
        });
    }
    for block in view::blocks(request.body).filter(|block| block.is_type(kind)) {
        let is_omitted = kind == THINKING && str_field(block.value, "thinking").is_empty();
        if mint::seal_of(block.value).is_empty() && !is_omitted {
            let path = block.path();
            let message =
                format!("{path}: Invalid {}", field_description(kind == REDACTED_THINKING));
            cx.reject(path, message);
        }
    }
}

const MODIFIED_THINKING_ERROR: &str = "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.";
const CHANGED_PREFIX_ERROR: &str = "The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".";
const BINDING_BETA_HINT: &str = " That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.";

pub(super) fn invalid_signature(request: &Request<'_>, cx: &mut CheckContext) {
    reject_invalid(request, cx, THINKING);
}

pub(super) fn invalid_redacted(request: &Request<'_>, cx: &mut CheckContext) {
    reject_invalid(request, cx, REDACTED_THINKING);
}
