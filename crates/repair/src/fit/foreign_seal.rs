//! Reasoning that the target cannot read is left out, and never shown as text.
//!
//! A seal belongs to the provider that made it, and to the model. Elsewhere it is refused, or the reasoning
//! has no place at all; shown as text it would be taken for something said.
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

use interlingua_model::{Block, Body, Form, Place, Role, Seal};
use interlingua_wire::{Json, Node, Text};

use crate::media::base64;
use crate::profile::thinking::{Replay, Thinking};
use crate::{Work, thoughts};

pub fn apply(work: &mut Work<'_>) {
    let row = &work.profile.thinking;
    if !work.is_own() {
        empty(work);
    }
    if !row.sealed_formats.is_empty() && work.is_own() {
        unsealed_entries(work);
    }
    if row.refuses_strangers && (!work.is_own() || is_rerouted(work)) {
        strangers(work);
    }
    if work.profile.fields.own_blocks_only && !work.is_own() {
        untold(work);
    }
    if row.replay == Replay::All {
        return;
    }
    if row.base64_seals {
        unreadable(work);
    }
    let (own, model) = (work.is_own(), work.profile.model.clone());
    let all = 0..work.turns().len();
    thoughts::leave_out(work, all, |work, turn, at| {
        let said = work.turns()[turn].role == Role::Assistant;
        let looked_at = (said || row.replay != Replay::Redacted) && !work.stands_as_written(turn);
        let refusal = || refusal(work.block(turn, at), row, own, model.as_ref());
        looked_at.then(refusal).flatten()
    });
}

/// Whether another model answers than the client asked for, or nobody knows which that is.
fn is_rerouted(work: &Work<'_>) -> bool {
    work.profile.model.as_ref().is_some_and(|to| work.conversation().model.as_ref() != Some(to))
}

/// Leaves out reasoning of somebody else than the model, and where it is part of the content reasoning
/// without a text: there is no place for it.
fn untold(work: &mut Work<'_>) {
    let all = 0..work.turns().len();
    let placed = work.profile.texts.reasoning_in_content;
    thoughts::leave_out(work, all, |work, turn, at| {
        let told = work.turns()[turn].role == Role::Assistant
            && (!placed || work.is_said(work.block(turn, at)));
        (!told).then(|| "left out reasoning: there is no place for it".to_owned())
    });
}

/// Takes away seals that hold nothing.
fn empty(work: &mut Work<'_>) {
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            if work.block(turn, at).seal.as_deref().is_some_and(|seal| seal.data.is_empty()) {
                work.change(Place::block(turn, at), "a seal that holds nothing is none");
                work.edit(turn, at).seal = None;
            }
        }
    }
}

/// Takes away seals of other houses. What was thought aloud stays; what is nothing but its seal goes.
fn strangers(work: &mut Work<'_>) {
    let (issuers, own) = (work.profile.thinking.issuers, work.is_own());
    let is_strange = |block: &Block| {
        let seal = block.seal.as_deref();
        seal.is_some_and(|seal| {
            // In its own dialect, what does not say whose it is goes back to who it is from.
            let untold = own && seal.origin.issuer == UNKNOWN;
            !untold && !issuers.iter().any(|issuer| seal.origin.issuer == **issuer)
        })
    };
    let all = 0..work.turns().len();
    thoughts::leave_out(work, all, |work, turn, at| {
        let block = work.block(turn, at);
        let silent =
            |one: &interlingua_model::Thinking| one.form == Form::Redacted || one.text.is_empty();
        let sealed = matches!(&block.body, Body::Thinking(one) if silent(one));
        (sealed && is_strange(block))
            .then(|| "left out reasoning that only another provider can open".to_owned())
    });
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            if is_strange(work.block(turn, at)) {
                work.loss(Place::block(turn, at), "left out the seal of another provider");
                work.edit(turn, at).seal = None;
            }
        }
    }
}

/// Leaves out entries of a format that must be sealed, and are not.
fn unsealed_entries(work: &mut Work<'_>) {
    let (dialect, formats) = (work.profile.dialect, work.profile.thinking.sealed_formats);
    let lost = |entry: Node<'_>| {
        let word = |key: &str| entry.get(key).map(Node::word).unwrap_or_default();
        // What such a model thinks aloud is not sealed; the entry beside it is.
        let aloud = word("format") == ALOUD && word("type") == TOLD;
        formats.contains(&&*word("format")) && word("type") != SUMMARY && !aloud
    };
    let unsealed = |entry: &Node<'_>| {
        let kind = entry.get("type").map(Node::word).unwrap_or_default();
        let seal = match &*kind {
            ENCRYPTED => entry.get("data"),
            TOLD => entry.get("signature"),
            _ => return false,
        };
        lost(*entry) && seal.is_none_or(|seal| seal.word().is_empty())
    };
    for turn in (0..work.turns().len()).rev() {
        let extras = &work.turns()[turn].extras;
        // In a message that is not the model's, the list stands beside what is said.
        let beside = extras.find(dialect, DETAILS).map(Json::doc);
        if beside.is_some_and(|list| list.root().items().any(|entry| unsealed(&entry))) {
            work.loss(Place::turn(turn), "left out reasoning that lost its seal");
            work.turn(turn).extras.retain(dialect, |key, _| key != DETAILS);
        }
        work.sift(turn, |work, at| {
            let block = work.block(turn, at);
            let refused = match &block.body {
                Body::Thinking(_) if block.seal.is_none() => {
                    block.text_for(dialect).is_some_and(|entry| lost(entry.doc().root()))
                }
                Body::Foreign { json, .. } => unsealed(&json.doc().root()),
                _ => false,
            };
            if refused {
                work.loss(Place::block(turn, at), "left out reasoning that lost its seal");
            }
            refused
        });
    }
}

/// Takes away seals that are none: what they seal stays, unsealed.
fn unreadable(work: &mut Work<'_>) {
    let what = "left out a seal that cannot be read as one";
    let issuers = work.profile.thinking.issuers;
    // Thinking that another house sealed goes with its seal.
    let goes = |block: &Block| {
        let of_another = |seal: &Seal| !issuers.iter().any(|one| seal.origin.issuer == **one);
        matches!(block.body, Body::Thinking(_)) && block.seal.as_deref().is_some_and(of_another)
    };
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            if !goes(block) && is_unreadable(block) {
                work.loss(Place::block(turn, at), what);
                work.edit(turn, at).seal = None;
            }
        }
    }
    for at in 0..work.conversation().system.len() {
        if is_unreadable(&work.conversation().system[at]) {
            work.loss(Place::system(at), what);
            work.system()[at].edit().seal = None;
        }
    }
}

fn is_unreadable(block: &Block) -> bool {
    block.seal.as_deref().is_some_and(|seal| !is_base64(&seal.data.contents()))
}

/// Of either alphabet, with or without padding.
fn is_base64(data: &str) -> bool {
    let bare = data.trim_end_matches('=');
    let padding = data.len() - bare.len();
    // Without a way out, so that many bytes are looked at at once.
    let all = |[one, other]: [u8; 2]| {
        let is = |fits: bool| u8::from(fits);
        let fits = bare.bytes().fold(1, |fits, byte| {
            let letter = is((byte | 0x20).wrapping_sub(b'a') < 26);
            let digit = is(byte.wrapping_sub(b'0') < 10);
            fits & (letter | digit | is(byte == one) | is(byte == other))
        });
        fits == 1
    };
    let (standard, for_urls) = (all([b'+', b'/']), || all([b'-', b'_']));
    let whole = match bare.len() % 4 {
        0 => padding == 0,
        2 => padding == 0 || padding == 2,
        3 => padding == 0 || padding == 1,
        _ => false,
    };
    // What is left over at the end says nothing, and must say so.
    let end = data.get(bare.len() / 4 * 4..).unwrap_or_default();
    whole && (standard || for_urls()) && base64::is_valid(end, true)
}

/// Why a block of thinking cannot go to the target, if it cannot.
fn refusal(block: &Block, row: &Thinking, own: bool, model: Option<&Text>) -> Option<String> {
    let seal = block.seal.as_deref();
    match row.replay {
        Replay::All => None,
        Replay::Nothing => Some("left out reasoning: there is no place for it".to_owned()),
        Replay::Redacted => {
            let shown = matches!(&block.body, Body::Thinking(one) if one.form != Form::Redacted);
            shown.then(|| "left out reasoning: only redacted reasoning is taken".to_owned())
        }
        Replay::Aloud => {
            let aloud = matches!(
                &block.body,
                Body::Thinking(one) if one.form == Form::Full && !one.text.is_empty()
            );
            (!own || !aloud).then(|| "left out reasoning that is not there in full".to_owned())
        }
        Replay::Sealed | Replay::SealedOrOwn | Replay::SealedOrKept => match seal {
            Some(seal) => strange(seal, row, model),
            None => unsealed(row, own, block),
        },
    }
}

fn unsealed(row: &Thinking, own: bool, block: &Block) -> Option<String> {
    let kept = match row.replay {
        Replay::SealedOrOwn => own,
        Replay::SealedOrKept => {
            own && block.extras.all().is_some_and(|(dialect, _)| {
                block.extras.find(dialect, "id").is_some_and(|id| id.text().is_some())
            })
        }
        // Said by the rule for unsigned thinking.
        Replay::Sealed | Replay::Nothing | Replay::Redacted | Replay::Aloud | Replay::All => true,
    };
    (!kept).then(|| "left out reasoning that nobody sealed".to_owned())
}

fn strange(seal: &Seal, row: &Thinking, model: Option<&Text>) -> Option<String> {
    let origin = &seal.origin;
    if !row.issuers.iter().any(|issuer| origin.issuer == **issuer) {
        return Some(format!("left out reasoning sealed by {}", origin.issuer));
    }
    let (from, to) = (origin.model.as_ref()?, model?);
    (!is_same(&from.contents(), &to.contents()))
        .then(|| format!("left out reasoning of {from}: {to} cannot read it"))
}

/// Whether two names are of one model, their vendor, date and version of the interface aside.
fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (bare(one), bare(other));
    one == other
}

fn bare(model: &str) -> String {
    let model = model.to_lowercase().replace('.', "-");
    let name = model.rsplit('/').next().unwrap_or_default();
    let name = name.find("claude").map_or(name, |at| &name[at..]);
    let parts: Vec<_> = name.split(['-', ':', '@']).collect();
    let loose = |part: &&str| {
        let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        number(part) && part.len() > 3
            || part.strip_prefix('v').is_some_and(number)
            || matches!(*part, "0" | "latest" | "preview" | "exp")
    };
    let kept = parts.len() - parts.iter().rev().take_while(|part| loose(part)).count();
    parts[..kept.max(1)].join("-")
}

/// Kinds and formats of entries, where reasoning is a list of them.
const ENCRYPTED: &str = "reasoning.encrypted";
/// Who made a seal that nobody can place.
const UNKNOWN: &str = "unknown";
const SUMMARY: &str = "reasoning.summary";
const TOLD: &str = "reasoning.text";
const DETAILS: &str = "reasoning_details";
const ALOUD: &str = "google-gemini-v1";
