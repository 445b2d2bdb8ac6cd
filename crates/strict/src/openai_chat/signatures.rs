//! Opaque reasoning that comes back changed, or does not come back.

use serde_json::{Value, json};

use super::flavor::{ROUTED_ANTHROPIC, ROUTED_GOOGLE, voice};
use super::pairing::sent;
use super::profile::{Profile, Trait};
use super::sealed::{DETAILS, Detail, SignedCall, seal_of, signature_of};
use super::view::{Message, call_name, messages, open_loop};
use super::words::{Refusal, Words, refuse, words};
use crate::rule::{Findings, items, string};
use crate::seal::Broken;
use crate::{Evidence, Request, Rule};

pub(super) const OPENROUTER_DETAILS_MISSING: Rule = Rule {
    name: "openrouter-details-missing",
    status: 400,
    when: "A Gemini 3 model called tools since the user last spoke, and the message does not have its reasoning_details.",
    words: GONE.lines,
    evidence: Evidence::Quoted,
    source: "public code",
    check: openrouter_details_missing,
};
const GONE: Words = words! {
    &[ROUTED_GOOGLE] => "Gemini models require OpenRouter reasoning details to be preserved in each request. Please refer to our docs: https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning-blocks. Upstream error: {error}",
};

pub(super) const OPENROUTER_SIGNATURE: Rule = Rule {
    name: "openrouter-signature",
    status: 400,
    when: "Reasoning of a Claude model comes back without its signature, or changed, moved, or with a part of it lost in the open tool loop; or it is another model's.",
    words: SIGNED.lines,
    evidence: Evidence::Seen,
    source: "oh-my-pi#3399, OpenRouterTeam/ai-sdk-provider#423, openscience#167; Anthropic's documentation",
    check: openrouter_signature,
};
const SIGNED: Words = words! {
    &[ROUTED_ANTHROPIC] => "messages.{sent}.content.{at}: Invalid `signature` in `thinking` block",
    &["data"] => "messages.{sent}.content.{at}: Invalid `data` in `redacted_thinking` block",
    &["moved"] => "messages.{sent}.content.{at}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
    &["prefix"] => "messages.{sent}.content.{at}: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\". That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.",
};

pub(super) const OPENROUTER_THOUGHT_SIGNATURE: Rule = Rule {
    name: "openrouter-thought-signature",
    status: 400,
    when: "The encrypted reasoning of a Gemini model comes back changed or moved, or is another model's.",
    words: CORRUPTED.lines,
    evidence: Evidence::Seen,
    source: "OpenRouterTeam/ai-sdk-provider#418, MassGen#665",
    check: openrouter_thought_signature,
};
const CORRUPTED: Words = words! {
    &[ROUTED_GOOGLE, "gemini-compat"] => "Corrupted thought signature.",
};

pub(super) const OPENROUTER_ENCRYPTED_CONTENT: Rule = Rule {
    name: "openrouter-encrypted-content",
    status: 400,
    when: "The encrypted reasoning of an OpenAI model comes back changed or moved, or is another model's.",
    words: ENCRYPTED.lines,
    evidence: Evidence::Seen,
    source: "codex#8119, sub2api#2863",
    check: openrouter_encrypted_content,
};
const ENCRYPTED: Words = words! {
    &["openrouter"] => "The encrypted content {start}...{end} could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
};

pub(super) const GEMINI_COMPAT_SIGNATURE_MISSING: Rule = Rule {
    name: "gemini-compat-signature-missing",
    status: 400,
    when: "The first call of a step since the user last spoke does not have its thought_signature.",
    words: UNSIGNED.lines,
    evidence: Evidence::Seen,
    source: "dartantic PR#86, zafiro#100, paws#103, jcode#518",
    check: gemini_compat_signature_missing,
};
const UNSIGNED: Words = words! {
    &["gemini-compat", ROUTED_GOOGLE] => "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:{name}` , position {position}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
};

pub(super) const GEMINI_COMPAT_SIGNATURE: Rule = Rule {
    name: "gemini-compat-signature",
    status: 400,
    when: "The thought_signature of a call is not the one it was given, or is another model's.",
    words: CORRUPTED.lines,
    evidence: Evidence::Seen,
    source: "gemini-cli#13467, crush#1698",
    check: gemini_compat_signature,
};

/// The steps since the user last spoke that called tools.
fn open_steps<'v>(messages: &[Message<'v>]) -> Vec<Message<'v>> {
    let open = messages.get(open_loop(messages)..).unwrap_or_default();
    open.iter().filter(|message| message.is("assistant") && message.has_calls()).copied().collect()
}

/// The message's place among the contents that Gemini reads, counted from 1.
fn position(messages: &[Message<'_>], message: &Message<'_>) -> String {
    (sent(messages, message.index) + 1).to_string()
}

fn openrouter_details_missing(request: &Request<'_>, findings: &mut Findings) {
    let Some(words) = GONE.of(request) else { return };
    if !Profile::of(request).has(Trait::SignedCalls) {
        return;
    }
    let messages = messages(request);
    for message in open_steps(&messages) {
        let sealed = items(message.value, DETAILS).iter().any(|detail| !seal_of(detail).is_empty());
        if sealed {
            continue;
        }
        let name = message.calls().first().map_or("", call_name);
        let at = position(&messages, &message);
        let upstream = UNSIGNED.of(request).unwrap_or_default();
        let upstream = super::words::fill(upstream, &[("name", name), ("position", &at)]);
        let error =
            json!({"error": {"code": 400, "message": upstream, "status": "INVALID_ARGUMENT"}});
        let error = error.to_string();
        let refusal = Refusal {
            path: message.at(DETAILS),
            fills: &[("error", &error)],
            ..Refusal::default()
        };
        refuse(words, request, findings, &refusal);
    }
}

/// A detail of the model's own family that is not accepted, and why.
struct Refused<'v> {
    message: Message<'v>,
    at: usize,
    detail: &'v Value,
    broken: Broken,
    /// Whether the loop in which it stands is still open.
    open: bool,
}

/// Every sealed detail in a format that the model's provider reads, checked.
fn refused<'v>(request: &Request<'v>, formats: &[&str]) -> Vec<Refused<'v>> {
    let messages = messages(request);
    let start = open_loop(&messages);
    let whole = request.switches.prefix_binding == Some(true);
    let mut refused = Vec::new();
    for message in messages {
        let details = items(message.value, DETAILS);
        let open = message.index >= start;
        for (at, detail) in details.iter().enumerate() {
            let format = string(detail, "format");
            if !formats.contains(&format) || !SEALED.contains(&string(detail, "type")) {
                continue;
            }
            let seal = seal_of(detail);
            let broken = if seal.is_empty() {
                Some(Broken::Foreign)
            } else if DUMMIES.contains(&seal) && format == GEMINI {
                None
            } else if let Some(key) = request.key {
                let bound =
                    Detail::new(request.model, details, at, request.body, message.index, whole);
                let bound = if open { bound } else { bound.closed() };
                key.verify(seal, &bound.bound()).err()
            } else {
                None
            };
            refused.extend(broken.map(|broken| Refused { message, at, detail, broken, open }));
        }
    }
    refused
}

fn openrouter_signature(request: &Request<'_>, findings: &mut Findings) {
    let Some(changed) = SIGNED.of(request) else { return };
    let all = messages(request);
    for Refused { message, at, detail, broken, open } in refused(request, &["anthropic-claude-v1"])
    {
        let redacted = string(detail, "type") == "reasoning.encrypted";
        let special = match broken {
            Broken::Place | Broken::Chain if open => SIGNED.by("moved"),
            Broken::Prefix => SIGNED.by("prefix"),
            _ if redacted => SIGNED.by("data"),
            _ => None,
        };
        let (sent, block) = (sent(&all, message.index).to_string(), at.to_string());
        let refusal = Refusal {
            path: message.at(&format!("{DETAILS}.{at}")),
            fills: &[("sent", &sent), ("at", &block)],
            ..Refusal::default()
        };
        refuse(special.unwrap_or(changed), request, findings, &refusal);
    }
}

fn openrouter_thought_signature(request: &Request<'_>, findings: &mut Findings) {
    if voice(request) != ROUTED_GOOGLE {
        return;
    }
    for Refused { message, at, .. } in refused(request, &[GEMINI]) {
        let path = message.at(&format!("{DETAILS}.{at}"));
        CORRUPTED.refuse(request, findings, &Refusal { path, ..Refusal::default() });
    }
}

fn openrouter_encrypted_content(request: &Request<'_>, findings: &mut Findings) {
    for Refused { message, at, detail, .. } in refused(request, OPENAI) {
        let seal = seal_of(detail);
        let start: String = seal.chars().take(4).collect();
        let end: String = seal.chars().skip(seal.chars().count().saturating_sub(4)).collect();
        let refusal = Refusal {
            path: message.at(&format!("{DETAILS}.{at}")),
            fills: &[("start", &start), ("end", &end)],
            ..Refusal::default()
        };
        ENCRYPTED.refuse(request, findings, &refusal);
    }
}

fn gemini_compat_signature_missing(request: &Request<'_>, findings: &mut Findings) {
    let signs = Profile::of(request).has(Trait::SignedCalls);
    if request.flavor != "gemini-compat" || !signs {
        return;
    }
    let messages = messages(request);
    for message in open_steps(&messages) {
        let Some(first) = message.calls().first() else { continue };
        if signature_of(first).is_empty() {
            let at = position(&messages, &message);
            let refusal = Refusal {
                path: message.at("tool_calls.0"),
                fills: &[("name", call_name(first)), ("position", &at)],
                ..Refusal::default()
            };
            UNSIGNED.refuse(request, findings, &refusal);
        }
    }
}

fn gemini_compat_signature(request: &Request<'_>, findings: &mut Findings) {
    let Some(key) = request.key.filter(|_| request.flavor == "gemini-compat") else { return };
    for message in messages(request) {
        for (at, call) in message.calls().iter().enumerate() {
            let signature = signature_of(call);
            if signature.is_empty() || DUMMIES.contains(&signature) {
                continue;
            }
            let signed = SignedCall::new(request.model, message.calls(), at);
            if key.verify(signature, &signed.bound()).is_err() {
                let path = message.at(&format!("tool_calls.{at}"));
                CORRUPTED.refuse(request, findings, &Refusal { path, ..Refusal::default() });
            }
        }
    }
}

/// The kinds of details that carry a seal.
const SEALED: &[&str] = &["reasoning.text", "reasoning.encrypted"];
const GEMINI: &str = "google-gemini-v1";
const OPENAI: &[&str] =
    &["openai-responses-v1", "azure-openai-responses-v1", "bedrock-openai-responses-v1"];
/// Accepted in place of a lost signature.
const DUMMIES: &[&str] =
    &["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];
