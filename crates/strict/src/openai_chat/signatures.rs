//! Rules about opaque reasoning that is missing, changed or moved.

use std::cell::LazyCell;

use serde_json::{Value, json};

use super::error_messages::{ErrorMessages, ViolationDetails, error_messages, reject};
use super::flavor::{ROUTER_ANTHROPIC, ROUTER_GOOGLE, responder};
use super::mint::{
    CallClaims, DetailClaims, PrecedingMessages, REASONING_DETAILS, call_signature, detail_seal,
};
use super::pairing::merged_indexes;
use super::profile::{ModelFlag, Profile};
use super::view::{Message, call_name, messages, open_loop_start};
use crate::check_context::CheckContext;
use crate::json::{array_field, str_field};
use crate::seal::SealError;
use crate::{Evidence, Request, Rule};

pub(super) const OPENROUTER_DETAILS_MISSING: Rule = Rule {
    name: "openrouter-details-missing",
    status: 400,
    condition: "An assistant message after the last user message has tool calls of a Gemini 3 model without reasoning_details.",
    error_message: OPENROUTER_DETAILS_MISSING_ERRORS.all,
    evidence: Evidence::Quoted,
    source: "public code",
    check: openrouter_details_missing,
};
const OPENROUTER_DETAILS_MISSING_ERRORS: ErrorMessages = error_messages! {
    &[ROUTER_GOOGLE] => "Gemini models require OpenRouter reasoning details to be preserved in each request. Please refer to our docs: https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning-blocks. Upstream error: {error}",
};

pub(super) const OPENROUTER_SIGNATURE: Rule = Rule {
    name: "openrouter-signature",
    status: 400,
    condition: "The reasoning of a Claude model has no signature, was changed or moved, is incomplete in the open tool loop, or belongs to another model.",
    error_message: OPENROUTER_SIGNATURE_ERRORS.all,
    evidence: Evidence::Observed,
    source: "oh-my-pi#3399, OpenRouterTeam/ai-sdk-provider#423, openscience#167; Anthropic's documentation",
    check: openrouter_signature,
};
const OPENROUTER_SIGNATURE_ERRORS: ErrorMessages = error_messages! {
    &[ROUTER_ANTHROPIC] => "messages.{sent}.content.{at}: Invalid `signature` in `thinking` block",
    &["data"] => "messages.{sent}.content.{at}: Invalid `data` in `redacted_thinking` block",
    &["moved"] => "messages.{sent}.content.{at}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
    &["prefix"] => "messages.{sent}.content.{at}: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\". That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.",
};

pub(super) const OPENROUTER_THOUGHT_SIGNATURE: Rule = Rule {
    name: "openrouter-thought-signature",
    status: 400,
    condition: "The encrypted reasoning of a Gemini model was changed or moved, or belongs to another model.",
    error_message: CORRUPTED_SIGNATURE_ERRORS.all,
    evidence: Evidence::Observed,
    source: "OpenRouterTeam/ai-sdk-provider#418, MassGen#665",
    check: openrouter_thought_signature,
};
const CORRUPTED_SIGNATURE_ERRORS: ErrorMessages = error_messages! {
    &[ROUTER_GOOGLE, "gemini-compat"] => "Corrupted thought signature.",
};

pub(super) const OPENROUTER_ENCRYPTED_CONTENT: Rule = Rule {
    name: "openrouter-encrypted-content",
    status: 400,
    condition: "The encrypted reasoning of an OpenAI model was changed or moved, or belongs to another model.",
    error_message: OPENROUTER_ENCRYPTED_CONTENT_ERRORS.all,
    evidence: Evidence::Observed,
    source: "codex#8119, sub2api#2863",
    check: openrouter_encrypted_content,
};
const OPENROUTER_ENCRYPTED_CONTENT_ERRORS: ErrorMessages = error_messages! {
    &["openrouter"] => "The encrypted content {start}...{end} could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
};

pub(super) const GEMINI_COMPAT_SIGNATURE_MISSING: Rule = Rule {
    name: "gemini-compat-signature-missing",
    status: 400,
    condition: "The first call of a step after the last user message has no thought_signature.",
    error_message: GEMINI_COMPAT_SIGNATURE_MISSING_ERRORS.all,
    evidence: Evidence::Observed,
    source: "dartantic PR#86, zafiro#100, paws#103, jcode#518",
    check: gemini_compat_signature_missing,
};
const GEMINI_COMPAT_SIGNATURE_MISSING_ERRORS: ErrorMessages = error_messages! {
    &["gemini-compat", ROUTER_GOOGLE] => "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:{name}` , position {position}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
};

pub(super) const GEMINI_COMPAT_SIGNATURE: Rule = Rule {
    name: "gemini-compat-signature",
    status: 400,
    condition: "The thought_signature of a call was changed, or belongs to another model.",
    error_message: CORRUPTED_SIGNATURE_ERRORS.all,
    evidence: Evidence::Observed,
    source: "gemini-cli#13467, crush#1698",
    check: gemini_compat_signature,
};

/// The assistant messages with tool calls after the last user message.
fn open_tool_steps<'v>(messages: &[Message<'v>]) -> Vec<Message<'v>> {
    let open_loop = messages.get(open_loop_start(messages)..).unwrap_or_default();
    open_loop
        .iter()
        .filter(|message| message.has_role("assistant") && message.has_tool_calls())
        .copied()
        .collect()
}

fn openrouter_details_missing(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(template) = OPENROUTER_DETAILS_MISSING_ERRORS.for_request(request) else { return };
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
        let upstream =
            GEMINI_COMPAT_SIGNATURE_MISSING_ERRORS.for_request(request).unwrap_or_default();
        let upstream =
            super::error_messages::fill_template(upstream, &[("name", name), ("position", &at)]);
        let error =
            json!({"error": {"code": 400, "message": upstream, "status": "INVALID_ARGUMENT"}});
        let error = error.to_string();
        let details = ViolationDetails {
            path: message.field_path(REASONING_DETAILS),
            placeholders: &[("error", &error)],
            ..ViolationDetails::default()
        };
        reject(template, request, cx, &details);
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

fn openrouter_signature(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(default_template) = OPENROUTER_SIGNATURE_ERRORS.for_request(request) else { return };
    let all_messages = messages(request);
    let merged_indexes = LazyCell::new(|| merged_indexes(&all_messages));
    for RejectedDetail { message, index: at, detail, error, in_open_loop } in
        rejected_details(request, &["anthropic-claude-v1"])
    {
        let is_redacted = str_field(detail, "type") == "reasoning.encrypted";
        let template = match error {
            SealError::PositionChanged | SealError::ChainBroken if in_open_loop => {
                OPENROUTER_SIGNATURE_ERRORS.for_responder("moved")
            }
            SealError::PrefixChanged => OPENROUTER_SIGNATURE_ERRORS.for_responder("prefix"),
            _ if is_redacted => OPENROUTER_SIGNATURE_ERRORS.for_responder("data"),
            _ => None,
        };
        let (upstream_index, block_index) =
            (merged_indexes[message.index].to_string(), at.to_string());
        let details = ViolationDetails {
            path: message.field_path(&format!("{REASONING_DETAILS}.{at}")),
            placeholders: &[("sent", &upstream_index), ("at", &block_index)],
            ..ViolationDetails::default()
        };
        reject(template.unwrap_or(default_template), request, cx, &details);
    }
}

fn openrouter_thought_signature(request: &Request<'_>, cx: &mut CheckContext) {
    if responder(request) != ROUTER_GOOGLE {
        return;
    }
    for RejectedDetail { message, index: at, .. } in rejected_details(request, &[GEMINI_FORMAT]) {
        let path = message.field_path(&format!("{REASONING_DETAILS}.{at}"));
        CORRUPTED_SIGNATURE_ERRORS.reject(
            request,
            cx,
            &ViolationDetails { path, ..ViolationDetails::default() },
        );
    }
}

fn openrouter_encrypted_content(request: &Request<'_>, cx: &mut CheckContext) {
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
        OPENROUTER_ENCRYPTED_CONTENT_ERRORS.reject(request, cx, &details);
    }
}

fn gemini_compat_signature_missing(request: &Request<'_>, cx: &mut CheckContext) {
    let requires_signatures = Profile::for_request(request).has(ModelFlag::SignedCalls);
    if request.flavor != "gemini-compat" || !requires_signatures {
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
            GEMINI_COMPAT_SIGNATURE_MISSING_ERRORS.reject(request, cx, &details);
        }
    }
}

fn gemini_compat_signature(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(key) = request.seal_key.filter(|_| request.flavor == "gemini-compat") else { return };
    for message in messages(request) {
        for (at, call) in message.tool_calls().iter().enumerate() {
            let signature = call_signature(call);
            if signature.is_empty() || PLACEHOLDER_SIGNATURES.contains(&signature) {
                continue;
            }
            let claims = CallClaims::new(request.model, message.tool_calls(), at);
            if key.verify(signature, &claims.claims()).is_err() {
                let path = message.field_path(&format!("tool_calls.{at}"));
                CORRUPTED_SIGNATURE_ERRORS.reject(
                    request,
                    cx,
                    &ViolationDetails { path, ..ViolationDetails::default() },
                );
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
