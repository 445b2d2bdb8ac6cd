//! A call that must be sealed and is not gets the value that its provider documents for it.
//!
//! Some models seal the first call of each step and want the seal back. A call of another model, or one
//! whose seal got lost, carries the documented word that tells the provider not to ask.
//!
//! In the provider's own dialect only calls of the current turn are touched; from another dialect all
//! of them, so that old turns are written the same way every time.
//!
//! ## Why
//! > Function call is missing a thought_signature in functionCall parts. This is required for tools to
//! > work correctly, and missing thought_signature may lead to degraded model performance.
//!
//! ## Example
//! ```text
//! before   model: call `bash`
//! after    model: call `bash`, sealed "skip_thought_signature_validator"
//! ```

use std::ops::Range;

use interlingua_model::{Block, Body, Place, Role, Seal, Verbatim};
use interlingua_wire::{Json, Text};

use crate::profile::thinking::SealedCalls;
use crate::{Work, pairing, stand_in, thoughts};

pub fn apply(work: &mut Work<'_>) {
    let rule = work.profile.thinking.sealed_calls;
    if rule == SealedCalls::Free {
        return;
    }
    let (elder, current) = steps(work);
    for step in current {
        seal(work, step, true);
    }
    // What stands elsewhere was put in its place while its turn was the current one.
    if !work.is_untouched() {
        for step in elder {
            seal(work, step, false);
        }
    }
}

/// Puts the seal of a step where it is looked for; where there is none and one is needed, the word for
/// that.
fn seal(work: &mut Work<'_>, step: Range<usize>, needed: bool) {
    let rule = work.profile.thinking.sealed_calls;
    let places =
        || step.clone().flat_map(|turn| (0..work.blocks(turn).len()).map(move |at| (turn, at)));
    let block = |(turn, at): &(usize, usize)| work.block(*turn, *at);
    let Some((turn, at)) = places().find(|place| is_call(rule, block(place))) else { return };
    let sealed = match rule {
        SealedCalls::Step => places().any(|place| carries(work, place)),
        SealedCalls::First | SealedCalls::InCalls | SealedCalls::Free => {
            is_sealed(work.block(turn, at))
        }
    };
    let elsewhere = match rule {
        SealedCalls::Step => places().find(|place| {
            let one = block(place);
            matches!(one.body, Body::ToolCall(_)) && is_sealed(one)
        }),
        SealedCalls::First | SealedCalls::InCalls | SealedCalls::Free => Some((turn, at)),
    };
    match elsewhere.filter(|(turn, at)| is_sealed(work.block(*turn, *at))) {
        Some(place) if !sealed || is_untold(work, place) => respell(work, place),
        _ if sealed || !needed => {}
        _ => {
            let seal = Seal::new(Text::word(ISSUER), Text::word(SKIP));
            if !stand_in::put(work, (turn, at), &seal) {
                work.edit(turn, at).seal = Some(Box::new(seal));
            }
            work.change(Place::block(turn, at), "said that the call's signature is not known");
        }
    }
}

/// Whether the step's list of reasoning has a seal in this block.
fn carries(work: &Work<'_>, (turn, at): (usize, usize)) -> bool {
    let block = work.block(turn, at);
    match block.body {
        // What was read from the call itself is not in the list.
        Body::ToolCall(_) => is_sealed(block) && block.text_for(work.profile.dialect).is_none(),
        Body::Thinking(_) => is_sealed(block) || is_sealed_entry(work, block),
        _ => is_signed_entry(block),
    }
}

/// Whether the message was written with the seal of its call in another place.
fn is_untold(work: &Work<'_>, (turn, at): (usize, usize)) -> bool {
    let dialect = work.profile.dialect;
    matches!(work.profile.thinking.sealed_calls, SealedCalls::First | SealedCalls::InCalls)
        && work.turns()[turn].text_for(dialect).is_some()
        && work.block(turn, at).text_for(dialect).is_none()
}

fn respell(work: &mut Work<'_>, (turn, at): (usize, usize)) {
    work.edit(turn, at);
    work.change(Place::block(turn, at), "the call's signature stands where it is looked for");
}

/// A call that must be sealed; where the seal stands in the call, the older form of one has no place
/// for it, and nobody asks.
fn is_call(rule: SealedCalls, block: &Block) -> bool {
    matches!(block.body, Body::ToolCall(_))
        && (rule == SealedCalls::Step || pairing::call(block).is_some())
}

/// An entry of no known type that has a signature.
fn is_signed_entry(block: &Block) -> bool {
    let Body::Foreign { json, .. } = &block.body else { return false };
    let doc = json.doc();
    doc.root().get("signature").is_some_and(|seal| !seal.word().is_empty())
}

/// An entry of the list with a seal that is not said to be another's.
fn is_sealed_entry(work: &Work<'_>, block: &Verbatim<Block>) -> bool {
    let is_entry = |text: &Json| {
        text.doc().root().get("type").is_some_and(|kind| kind.word().starts_with("reasoning."))
    };
    block.seal.is_some() && block.text_for(work.profile.dialect).is_some_and(is_entry)
}

fn is_sealed(block: &Block) -> bool {
    block.seal.as_deref().is_some_and(|seal| seal.origin.issuer == ISSUER)
}

/// What the model said at once: before the current turn, and where calls must be sealed.
fn steps(work: &Work<'_>) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    if !work.is_own() {
        return (Vec::new(), thoughts::runs(work));
    }
    let turns = work.turns();
    let asks = |at: &usize| {
        let turn = &turns[*at];
        let answers = |block: &Block| matches!(block.body, Body::ToolResult(_));
        turn.role == Role::User
            && (work.profile.roles.empty_turns || !turn.blocks.is_empty())
            && !turn.blocks.iter().any(|block| answers(block))
    };
    let current = (0..turns.len()).rev().find(asks).map_or(0, |at| at + 1);
    let steps = |turns_of: Range<usize>| {
        let spoken = turns_of.filter(|at| turns[*at].role == Role::Assistant);
        spoken.map(|at| at..at + 1).collect()
    };
    (steps(0..current), steps(current..turns.len()))
}

const ISSUER: &str = "google";
/// Documented for calls that the model did not make itself.
const SKIP: &str = "skip_thought_signature_validator";
