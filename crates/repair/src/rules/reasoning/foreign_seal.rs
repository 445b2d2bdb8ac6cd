//! Removes reasoning that the target cannot read, and never sends it as plain text.
//!
//! A seal is valid only for the provider and the model that made it. Other targets reject it, or
//! have no field for reasoning; sent as text, the model would take it for a part of its reply.
//!
//! ## Why
//! > messages.1.content.0: Invalid `signature` in `thinking` block
//!
//! > The encrypted content gAAA... could not be verified.
//!
//! > 'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property
//! > 'reasoning_content' is unsupported)]
//!
//! ## Example
//! ```text
//! before   assistant: thinking sealed by another provider, "done"
//! after    assistant: "done"
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath, ReasoningForm, Role, Seal};
use interlingua_providers::profile::reasoning::{ReasoningProfile, ReasoningReplay};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::edit::remove_reasoning;
use crate::engine::Work;
use crate::values::base64;

pub(super) fn apply(work: &mut Work<'_>) {
    let reasoning_profile = &work.profile.reasoning;
    if !work.is_same_dialect() {
        remove_empty_seals(work);
    }
    if !reasoning_profile.formats_needing_seal.is_empty() && work.is_same_dialect() {
        remove_unsealed_entries(work);
    }
    if reasoning_profile.rejects_other_seals && (!work.is_same_dialect() || is_other_model(work)) {
        remove_foreign_seals(work);
    }
    if work.profile.fields.drops_foreign_dialects && !work.is_same_dialect() {
        remove_unplaceable(work);
    }
    if reasoning_profile.replay == ReasoningReplay::All {
        return;
    }
    if reasoning_profile.base64_seals {
        remove_invalid_seals(work);
    }
    let (same_dialect, model) = (work.is_same_dialect(), work.profile.model.clone());
    let all = 0..work.turns().len();
    remove_reasoning::remove_reasoning(work, all, |work, turn, at| {
        let is_assistant_turn = work.turns()[turn].role == Role::Assistant;
        let is_checked = (is_assistant_turn
            || reasoning_profile.replay != ReasoningReplay::Redacted)
            && !work.is_accepted_verbatim(turn);
        let reason = || {
            rejection_reason(work.block(turn, at), reasoning_profile, same_dialect, model.as_ref())
        };
        is_checked.then(reason).flatten()
    });
}

/// Whether another model answers than the client requested, or the requested model is not known.
fn is_other_model(work: &Work<'_>) -> bool {
    work.profile.model.as_ref().is_some_and(|to| work.conversation().model.as_ref() != Some(to))
}

/// Removes reasoning for which the target has no field: that of other roles than the assistant, and
/// reasoning without text where it is part of the content.
fn remove_unplaceable(work: &mut Work<'_>) {
    let all = 0..work.turns().len();
    let reasoning_in_content = work.profile.texts.reasoning_in_content;
    remove_reasoning::remove_reasoning(work, all, |work, turn, at| {
        let has_field = work.turns()[turn].role == Role::Assistant
            && (!reasoning_in_content || work.is_encoded(work.block(turn, at)));
        (!has_field).then(|| "left out reasoning: the target has no field for it".to_owned())
    });
}

/// Removes seals without data.
fn remove_empty_seals(work: &mut Work<'_>) {
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            if work.block(turn, at).seal.as_deref().is_some_and(|seal| seal.data.is_empty()) {
                work.record_change(LedgerPath::block(turn, at), "left out a seal without data");
                work.edit_block(turn, at).seal = None;
            }
        }
    }
}

/// Removes seals of other issuers. Reasoning text stays; a block that is only its seal is removed.
fn remove_foreign_seals(work: &mut Work<'_>) {
    let (issuers, same_dialect) = (work.profile.reasoning.seal_issuers, work.is_same_dialect());
    let is_foreign = |block: &Block| {
        let seal = block.seal.as_deref();
        seal.is_some_and(|seal| {
            // In the same dialect, a seal without a known issuer is returned to the provider that
            // it came from.
            let is_unattributed = same_dialect && seal.origin.issuer == UNKNOWN_ISSUER;
            !is_unattributed && !issuers.iter().any(|issuer| seal.origin.issuer == **issuer)
        })
    };
    let all = 0..work.turns().len();
    remove_reasoning::remove_reasoning(work, all, |work, turn, at| {
        let block = work.block(turn, at);
        let has_no_text = |reasoning: &interlingua_model::Reasoning| {
            reasoning.form == ReasoningForm::Redacted || reasoning.text.is_empty()
        };
        let is_only_seal =
            matches!(&block.content, BlockContent::Reasoning(reasoning) if has_no_text(reasoning));
        (is_only_seal && is_foreign(block))
            .then(|| "left out reasoning that only another provider can decrypt".to_owned())
    });
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            if is_foreign(work.block(turn, at)) {
                work.record_loss(
                    LedgerPath::block(turn, at),
                    "left out the seal of another provider",
                );
                work.edit_block(turn, at).seal = None;
            }
        }
    }
}

/// Removes entries of formats that must be sealed and are not.
fn remove_unsealed_entries(work: &mut Work<'_>) {
    let (dialect, formats) = (work.profile.dialect, work.profile.reasoning.formats_needing_seal);
    let must_be_sealed = |entry: JsonNode<'_>| {
        let field = |key: &str| entry.get(key).map(JsonNode::str_or_empty).unwrap_or_default();
        // Text entries of this format are not sealed; the entry next to them is.
        let is_plain_text = field("format") == UNSEALED_FORMAT && field("type") == TEXT_ENTRY;
        formats.contains(&&*field("format")) && field("type") != SUMMARY_ENTRY && !is_plain_text
    };
    let unsealed = |entry: &JsonNode<'_>| {
        let kind = entry.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
        let seal = match &*kind {
            ENCRYPTED_ENTRY => entry.get("data"),
            TEXT_ENTRY => entry.get("signature"),
            _ => return false,
        };
        must_be_sealed(*entry) && seal.is_none_or(|seal| seal.str_or_empty().is_empty())
    };
    for turn in (0..work.turns().len()).rev() {
        let extras = &work.turns()[turn].extras;
        // In messages of other roles, the list stands next to the content.
        let list_outside_content = extras.get(dialect, DETAILS).map(RawJson::to_doc);
        if list_outside_content
            .is_some_and(|list| list.root().items().any(|entry| unsealed(&entry)))
        {
            work.record_loss(LedgerPath::turn(turn), "left out reasoning that lost its seal");
            work.edit_turn(turn).extras.retain(dialect, |key, _| key != DETAILS);
        }
        work.remove_blocks_where(turn, |work, at| {
            let block = work.block(turn, at);
            let is_rejected = match &block.content {
                BlockContent::Reasoning(_) if block.seal.is_none() => block
                    .text_for(dialect)
                    .is_some_and(|entry| must_be_sealed(entry.to_doc().root())),
                BlockContent::Foreign { json, .. } => unsealed(&json.to_doc().root()),
                _ => false,
            };
            if is_rejected {
                work.record_loss(
                    LedgerPath::block(turn, at),
                    "left out reasoning that lost its seal",
                );
            }
            is_rejected
        });
    }
}

/// Removes seals that are no base64; the blocks stay without a seal.
fn remove_invalid_seals(work: &mut Work<'_>) {
    let message = "left out a seal that is no base64";
    let issuers = work.profile.reasoning.seal_issuers;
    // Reasoning that another issuer sealed is removed together with its seal.
    let is_removed_with_seal = |block: &Block| {
        let is_foreign = |seal: &Seal| !issuers.iter().any(|issuer| seal.origin.issuer == **issuer);
        matches!(block.content, BlockContent::Reasoning(_))
            && block.seal.as_deref().is_some_and(is_foreign)
    };
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            if !is_removed_with_seal(block) && has_invalid_seal(block) {
                work.record_loss(LedgerPath::block(turn, at), message);
                work.edit_block(turn, at).seal = None;
            }
        }
    }
    for at in 0..work.conversation().system.len() {
        if has_invalid_seal(&work.conversation().system[at]) {
            work.record_loss(LedgerPath::system(at), message);
            work.edit_system()[at].edit().seal = None;
        }
    }
}

fn has_invalid_seal(block: &Block) -> bool {
    block.seal.as_deref().is_some_and(|seal| !is_base64(&seal.data.unescape()))
}

/// Whether the text is base64, in either alphabet, with or without padding.
fn is_base64(data: &str) -> bool {
    let unpadded = data.trim_end_matches('=');
    let padding = data.len() - unpadded.len();
    // No early exit, so that the compiler can vectorize the loop.
    let all = |[extra_a, extra_b]: [u8; 2]| {
        let as_bit = |is_valid: bool| u8::from(is_valid);
        let is_valid = unpadded.bytes().fold(1, |is_valid, byte| {
            let letter = as_bit((byte | 0x20).wrapping_sub(b'a') < 26);
            let digit = as_bit(byte.wrapping_sub(b'0') < 10);
            is_valid & (letter | digit | as_bit(byte == extra_a) | as_bit(byte == extra_b))
        });
        is_valid == 1
    };
    let (standard, for_urls) = (all([b'+', b'/']), || all([b'-', b'_']));
    let is_length_valid = match unpadded.len() % 4 {
        0 => padding == 0,
        2 => padding == 0 || padding == 2,
        3 => padding == 0 || padding == 1,
        _ => false,
    };
    // The unused bits of the last group must be zero.
    let end = data.get(unpadded.len() / 4 * 4..).unwrap_or_default();
    is_length_valid && (standard || for_urls()) && base64::is_valid(end, true)
}

/// The ledger message if a reasoning block cannot be sent to the target.
fn rejection_reason(
    block: &Block,
    reasoning_profile: &ReasoningProfile,
    same_dialect: bool,
    model: Option<&JsonString>,
) -> Option<String> {
    let seal = block.seal.as_deref();
    match reasoning_profile.replay {
        ReasoningReplay::All => None,
        ReasoningReplay::Dropped => {
            Some("left out reasoning: the target has no field for it".to_owned())
        }
        ReasoningReplay::Redacted => {
            let is_readable = matches!(&block.content, BlockContent::Reasoning(reasoning) if reasoning.form != ReasoningForm::Redacted);
            is_readable.then(|| {
                "left out reasoning: the target accepts only redacted reasoning".to_owned()
            })
        }
        ReasoningReplay::FullText => {
            let has_full_text = matches!(
                &block.content,
                BlockContent::Reasoning(reasoning) if reasoning.form == ReasoningForm::Full && !reasoning.text.is_empty()
            );
            (!same_dialect || !has_full_text)
                .then(|| "left out reasoning without its full text".to_owned())
        }
        ReasoningReplay::Sealed
        | ReasoningReplay::SealedOrSameDialect
        | ReasoningReplay::SealedOrStored => match seal {
            Some(seal) => foreign_seal_reason(seal, reasoning_profile, model),
            None => unsealed_reason(reasoning_profile, same_dialect, block),
        },
    }
}

fn unsealed_reason(
    reasoning_profile: &ReasoningProfile,
    same_dialect: bool,
    block: &Block,
) -> Option<String> {
    let is_accepted = match reasoning_profile.replay {
        ReasoningReplay::SealedOrSameDialect => same_dialect,
        ReasoningReplay::SealedOrStored => {
            same_dialect
                && block.extras.as_parts().is_some_and(|(dialect, _)| {
                    block.extras.get(dialect, "id").is_some_and(|id| id.json_string().is_some())
                })
        }
        // `unsigned-thinking` handles unsealed reasoning.
        ReasoningReplay::Sealed
        | ReasoningReplay::Dropped
        | ReasoningReplay::Redacted
        | ReasoningReplay::FullText
        | ReasoningReplay::All => true,
    };
    (!is_accepted).then(|| "left out reasoning without a seal".to_owned())
}

fn foreign_seal_reason(
    seal: &Seal,
    reasoning_profile: &ReasoningProfile,
    model: Option<&JsonString>,
) -> Option<String> {
    let origin = &seal.origin;
    if !reasoning_profile.seal_issuers.iter().any(|issuer| origin.issuer == **issuer) {
        return Some(format!("left out reasoning sealed by {}", origin.issuer));
    }
    let (from, to) = (origin.model.as_ref()?, model?);
    (!is_same_model(&from.unescape(), &to.unescape()))
        .then(|| format!("left out reasoning of {from}: {to} cannot decrypt it"))
}

/// Whether two names mean one model; vendor, date and API version are ignored.
fn is_same_model(a: &str, b: &str) -> bool {
    let (a, b) = (model_stem(a), model_stem(b));
    a == b
}

fn model_stem(model: &str) -> String {
    let model = model.to_lowercase().replace('.', "-");
    let name = model.rsplit('/').next().unwrap_or_default();
    let name = name.find("claude").map_or(name, |at| &name[at..]);
    let parts: Vec<_> = name.split(['-', ':', '@']).collect();
    let is_suffix = |part: &&str| {
        let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        number(part) && part.len() > 3
            || part.strip_prefix('v').is_some_and(number)
            || matches!(*part, "0" | "latest" | "preview" | "exp")
    };
    let stem_parts = parts.len() - parts.iter().rev().take_while(|part| is_suffix(part)).count();
    parts[..stem_parts.max(1)].join("-")
}

/// Types and formats of entries, where reasoning is a list of entries.
const ENCRYPTED_ENTRY: &str = "reasoning.encrypted";
/// Issuer of a seal that cannot be attributed.
const UNKNOWN_ISSUER: &str = "unknown";
const SUMMARY_ENTRY: &str = "reasoning.summary";
const TEXT_ENTRY: &str = "reasoning.text";
const DETAILS: &str = "reasoning_details";
const UNSEALED_FORMAT: &str = "google-gemini-v1";
