//! Rules about opaque reasoning that is missing, changed or moved.

use std::cell::LazyCell;

use serde_json::{Value, json};

use super::error_messages::{ViolationDetails, reject, reject_as, reject_at, standard_message};
use super::mint::{
    CallClaims, DetailClaims, PrecedingMessages, REASONING_DETAILS, call_signature, detail_seal,
};
use super::pairing::merged_indexes;
use super::profile::{ModelFlag, Profile};
use super::view::{Message, call_name, messages, open_loop_start};
use crate::Request;
use crate::check_context::CheckContext;
use crate::json::{array_field, str_field};
use crate::messages::fill_template;
use crate::seal::SealError;

/// The assistant messages with tool calls after the last user message.
fn open_tool_steps<'v>(messages: &[Message<'v>]) -> Vec<Message<'v>> {
    let open_loop = messages.get(open_loop_start(messages)..).unwrap_or_default();
    open_loop
        .iter()
        .filter(|message| message.has_role("assistant") && message.has_tool_calls())
        .copied()
        .collect()
}

pub(super) fn openrouter_details_missing(request: &Request<'_>, cx: &mut CheckContext) {
    let template = standard_message(request, cx);
    if !Profile::for_request(request).has(ModelFlag::SignedCalls) {
        return;
    }
    let messages = messages(request);
    let merged_indexes = LazyCell::new(|| merged_indexes(&messages));
    for message in open_tool_steps(&messages) {
        let has_seal = array_field(message.value, REASONING_DETAILS)
            .iter()
            .any(|detail| !detail_seal(detail).is_empty());
        if has_seal {
            continue;
        }
        let name = message.tool_calls().first().map_or("", call_name);
        // Its position in the upstream `contents`, counted from 1.
        let at = (merged_indexes[message.index] + 1).to_string();
        let upstream = fill_template(cx.case("upstream"), &[("name", name), ("position", &at)]);
        let error =
            json!({"error": {"code": 400, "message": upstream, "status": "INVALID_ARGUMENT"}});
        let error = error.to_string();
        let details = ViolationDetails {
            path: message.field_path(REASONING_DETAILS),
            placeholders: &[("error", &error)],
            ..ViolationDetails::default()
        };
        reject_as(template, request, cx, &details);
    }
}

/// A rejected reasoning detail of the model's own provider.
struct RejectedDetail<'v> {
    message: Message<'v>,
    index: usize,
    detail: &'v Value,
    error: SealError,
    /// Whether the message is in the open tool loop.
    in_open_loop: bool,
}

/// Verifies all sealed details of these formats and returns the rejected ones.
fn rejected_details<'v>(request: &Request<'v>, formats: &[&str]) -> Vec<RejectedDetail<'v>> {
    let messages = messages(request);
    let start = open_loop_start(&messages);
    let binds_prefix = request.switches.prefix_binding == Some(true);
    let mut preceding = PrecedingMessages::new(request.body, binds_prefix);
    let mut rejected = Vec::new();
    for message in messages {
        let details = array_field(message.value, REASONING_DETAILS);
        preceding.is_open_loop = message.index >= start;
        for (at, detail) in details.iter().enumerate() {
            let format = str_field(detail, "format");
            if !formats.contains(&format)
                || !SEALED_DETAIL_TYPES.contains(&str_field(detail, "type"))
            {
                continue;
            }
            let seal = detail_seal(detail);
            let error = if seal.is_empty() {
                // Gemini does not sign reasoning text, only the encrypted entry next to it.
                let is_text =
                    format == GEMINI_FORMAT && str_field(detail, "type") == "reasoning.text";
                (!is_text).then_some(SealError::NotAuthentic)
            } else if PLACEHOLDER_SIGNATURES.contains(&seal) && format == GEMINI_FORMAT {
                None
            } else if let Some(key) = request.seal_key {
                let claims = DetailClaims::after(&preceding, request.model, details, at);
                key.verify(seal, &claims.claims()).err()
            } else {
                None
            };
            rejected.extend(error.map(|error| RejectedDetail {
                message,
                index: at,
                detail,
                error,
                in_open_loop: preceding.is_open_loop,
            }));
        }
        preceding.push(&message);
    }
    rejected
}

pub(super) fn openrouter_signature(request: &Request<'_>, cx: &mut CheckContext) {
    let default_template = standard_message(request, cx);
    let all_messages = messages(request);
    let merged_indexes = LazyCell::new(|| merged_indexes(&all_messages));
    for RejectedDetail { message, index: at, detail, error, in_open_loop } in
        rejected_details(request, &["anthropic-claude-v1"])
    {
        let is_redacted = str_field(detail, "type") == "reasoning.encrypted";
        let case = match error {
            SealError::PositionChanged | SealError::ChainBroken if in_open_loop => Some("moved"),
            SealError::PrefixChanged => Some("prefix"),
            _ if is_redacted => Some("data"),
            _ => None,
        };
        let (upstream_index, block_index) =
            (merged_indexes[message.index].to_string(), at.to_string());
        let details = ViolationDetails {
            path: message.field_path(&format!("{REASONING_DETAILS}.{at}")),
            placeholders: &[("sent", &upstream_index), ("at", &block_index)],
            ..ViolationDetails::default()
        };
        reject_as(case.map_or(default_template, |case| cx.case(case)), request, cx, &details);
    }
}

pub(super) fn openrouter_thought_signature(request: &Request<'_>, cx: &mut CheckContext) {
    for RejectedDetail { message, index: at, .. } in rejected_details(request, &[GEMINI_FORMAT]) {
        let path = message.field_path(&format!("{REASONING_DETAILS}.{at}"));
        reject_at(request, cx, path);
    }
}

pub(super) fn openrouter_encrypted_content(request: &Request<'_>, cx: &mut CheckContext) {
    for RejectedDetail { message, index: at, detail, .. } in
        rejected_details(request, OPENAI_FORMATS)
    {
        let seal = detail_seal(detail);
        let start: String = seal.chars().take(4).collect();
        let end: String = seal.chars().skip(seal.chars().count().saturating_sub(4)).collect();
        let details = ViolationDetails {
            path: message.field_path(&format!("{REASONING_DETAILS}.{at}")),
            placeholders: &[("start", &start), ("end", &end)],
            ..ViolationDetails::default()
        };
        reject(request, cx, &details);
    }
}

pub(super) fn gemini_compat_signature_missing(request: &Request<'_>, cx: &mut CheckContext) {
    let requires_signatures = Profile::for_request(request).has(ModelFlag::SignedCalls);
    if !requires_signatures {
        return;
    }
    let messages = messages(request);
    let merged_indexes = LazyCell::new(|| merged_indexes(&messages));
    for message in open_tool_steps(&messages) {
        let Some(first) = message.tool_calls().first() else { continue };
        if call_signature(first).is_empty() {
            let at = (merged_indexes[message.index] + 1).to_string();
            let details = ViolationDetails {
                path: message.field_path("tool_calls.0"),
                placeholders: &[("name", call_name(first)), ("position", &at)],
                ..ViolationDetails::default()
            };
            reject(request, cx, &details);
        }
    }
}

pub(super) fn gemini_compat_signature(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(key) = request.seal_key else { return };
    for message in messages(request) {
        for (at, call) in message.tool_calls().iter().enumerate() {
            let signature = call_signature(call);
            if signature.is_empty() || PLACEHOLDER_SIGNATURES.contains(&signature) {
                continue;
            }
            let claims = CallClaims::new(request.model, message.tool_calls(), at);
            if key.verify(signature, &claims.claims()).is_err() {
                let path = message.field_path(&format!("tool_calls.{at}"));
                reject_at(request, cx, path);
            }
        }
    }
}

/// Types of details with a seal.
const SEALED_DETAIL_TYPES: &[&str] = &["reasoning.text", "reasoning.encrypted"];
const GEMINI_FORMAT: &str = "google-gemini-v1";
const OPENAI_FORMATS: &[&str] =
    &["openai-responses-v1", "azure-openai-responses-v1", "bedrock-openai-responses-v1"];
/// Gemini accepts these instead of a lost signature.
const PLACEHOLDER_SIGNATURES: &[&str] =
    &["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];
