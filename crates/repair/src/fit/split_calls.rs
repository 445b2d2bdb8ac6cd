//! Calls that the model makes in a row stand in one turn.
//!
//! Calls made together may come in turns of their own, or the model says something more after a
//! call. Where results must come directly after the turn of their calls, there is one such turn.
//!
//! ## Why
//! > An assistant message with 'tool_calls' must be followed by tool messages responding to each
//! > 'tool_call_id'.
//!
//! > Please ensure that function call turn comes immediately after a user turn or after a function
//! > response turn.
//!
//! ## Example
//! ```text
//! before   assistant: call 1    assistant: call 2    user: result 1, result 2
//! after    assistant: call 1, call 2                 user: result 1, result 2
//! ```

use interlingua_model::{Block, Place};

use crate::Work;
use crate::look::{is_call, is_reasoning};
use crate::pairing::{self, Round};
use crate::profile::calls::Answers;

pub fn apply(work: &mut Work<'_>) {
    if pairing::crosses(work) {
        return;
    }
    let answers = work.profile.calls.answers;
    if !matches!(answers, Answers::FirstAfterTurn | Answers::NextTurn | Answers::Counted) {
        return;
    }
    pairing::mend_rounds(work, |work, round| {
        let Some(first) = first_to_join(work, round, answers) else { return };
        let kept = work.blocks(first).len();
        for turn in first + 1..round.speech.end {
            work.change(Place::turn(turn), "what the model says in a row is one turn");
        }
        work.join_all(first, round.speech.end);
        one_old_call(work, first);
        unseal(work, first, kept);
    });
}

/// A seal vouches for the place of its call among the others: one that was moved behind another seals
/// nothing. And what was thought there does not follow from what was thought before.
fn unseal(work: &mut Work<'_>, turn: usize, kept: usize) {
    let thought = |block: &Block| is_reasoning(block) && block.seal.is_some();
    if work.blocks(turn)[..kept].iter().any(|block| is_reasoning(block)) {
        work.sift(turn, |work, at| {
            let goes = at >= kept && thought(work.block(turn, at));
            if goes {
                let what = "left out sealed reasoning that would stand elsewhere now";
                work.loss(Place::block(turn, at), what);
            }
            goes
        });
    }
    let first = work.blocks(turn).iter().position(|block| is_call(block));
    for at in kept..work.blocks(turn).len() {
        let block = work.block(turn, at);
        let behind = first.is_some_and(|first| first < at);
        if behind && is_call(block) && block.seal.is_some() {
            work.loss(
                Place::block(turn, at),
                "left out the seal of a call that stands elsewhere now",
            );
            work.edit(turn, at).seal = None;
        }
    }
}

/// A turn has one call in the old way at the most: several are written in the new way, with ids.
fn one_old_call(work: &mut Work<'_>, turn: usize) {
    let is_old =
        |at: &usize| is_call(work.block(turn, *at)) && pairing::is_old(work.block(turn, *at));
    let old: Vec<usize> = (0..work.blocks(turn).len()).filter(is_old).collect();
    for at in old.iter().copied().filter(|_| old.len() > 1) {
        let dialect = work.profile.dialect;
        work.edit(turn, at).extras.retain(dialect, |key, _| key != pairing::OLD);
        work.change(Place::block(turn, at), "written in the new way, with an id");
    }
}

/// The turn that takes in all that the model says after it.
fn first_to_join(work: &Work<'_>, round: &Round, answers: Answers) -> Option<usize> {
    let calling = round.calls(work).next().map(|((turn, _), _)| turn)?;
    // Here nothing of the model's may stand before a call, either.
    let first = if answers == Answers::Counted { round.speech.start } else { calling };
    (first + 1 < round.speech.end).then_some(first)
}
