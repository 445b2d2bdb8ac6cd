//! A call in the user's turn becomes the model's, and a result in the model's turn the user's.
//!
//! Whoever keeps a conversation in a form of its own may put a call or its result on the wrong side.
//! Only the model calls tools, and only the user brings what came of it.
//!
//! ## Why
//! > messages.1: `tool_result` blocks can only be in `user` messages
//!
//! > messages.0: `tool_use` blocks can only be in `assistant` messages
//!
//! ## Example
//! ```text
//! before   assistant: call 1, result 1, "done"
//! after    assistant: call 1, "done"              user: result 1
//! ```

use std::ops::Range;

use interlingua_model::{Block, Place, Role, Turn, Verbatim};
use interlingua_wire::Text;

use crate::apart::mend_rounds_apart;
use crate::fit::empty_turn::EMPTY_MESSAGE;
use crate::pairing::{self, Round, Spot};
use crate::profile::calls::Answers;
use crate::work::many::Moved;
use crate::{Work, landing, thoughts};

pub fn apply(work: &mut Work<'_>) {
    // Where sides do not count, what is moved may have answered the round before.
    for _ in 0..PASSES {
        let before = work.ledger().entries.len();
        sort(work);
        if work.ledger().entries.len() == before || !is_counted(work) {
            return;
        }
        work.pairs_settled(0);
    }
}

fn is_counted(work: &Work<'_>) -> bool {
    !pairing::crosses(work) && work.profile.calls.answers == Answers::Counted
}

fn sort(work: &mut Work<'_>) {
    mend_rounds_apart(work, |work, round| {
        let start = round.speech.start;
        // What the user calls last is taken as it is until the model speaks: all that stands before it
        // leaves as it did then.
        if let Some(spot) = open_call(work, round) {
            after_results(work, spot);
            to_model(work, spot.0..spot.0 + 1);
            if Round::at(work.turns(), start).is_some_and(|round| pairing::is_fine(work, &round)) {
                return;
            }
        }
        to_user(work, start);
        if let Some(round) = Round::at(work.turns(), start) {
            to_model(work, round.answers);
        }
    });
}

/// The first call of the user's last turn before the model speaks.
fn open_call(work: &Work<'_>, round: &Round) -> Option<Spot> {
    if !is_counted(work) {
        return None;
    }
    let last = round.answers.end.checked_sub(1).filter(|last| round.answers.contains(last))?;
    let calls = |block: &Verbatim<Block>| pairing::call(block).is_some();
    work.blocks(last).iter().position(calls).map(|at| (last, at))
}

/// Puts the results of a turn before its first call: they are not of this call, but of one before.
fn after_results(work: &mut Work<'_>, (turn, call): Spot) {
    let after = call + 1..work.blocks(turn).len();
    let results = after.filter(|at| pairing::result(work.block(turn, *at)).is_some());
    let results: Vec<Spot> = results.map(|at| (turn, at)).collect();
    work.carry_before(&results, (turn, call));
}

fn to_user(work: &mut Work<'_>, start: usize) {
    let Some(round) = Round::at(work.turns(), start) else { return };
    let said = pairing::blocks(work, round.speech.clone());
    let results = said.filter(|(_, block)| pairing::result(block).is_some());
    let results: Vec<Spot> = results.map(|(spot, _)| spot).collect();
    if results.is_empty() {
        return;
    }
    let lifted = work.lift(&results);
    for (turn, at) in landing::land(work, start, lifted) {
        work.change(Place::block(turn, at), "a result in the model's turn is the user's");
    }
    // A turn in which nothing else is said stays, unless the model says more: those before and after
    // it do not answer each other.
    let mut gone: Vec<usize> = results.iter().map(|(turn, _)| *turn).collect();
    gone.dedup();
    gone.retain(|turn| work.blocks(*turn).is_empty());
    gone.truncate(round.speech.len() - 1);
    work.remove_turns(&gone);
}

/// Turns of the user's are divided: what stands before a call, the model's calls, what stands after them.
fn to_model(work: &mut Work<'_>, turns: Range<usize>) {
    let (mut made, mut emptied) = (Vec::new(), Vec::new());
    for turn in turns {
        let is_call = |block: &Verbatim<Block>| pairing::call(block).is_some();
        let Some(first) = work.blocks(turn).iter().position(is_call) else { continue };
        let role = work.turns()[turn].role;
        // What is answered comes before what the model says next, also where nothing answers it yet.
        let spoken = work.turns().get(turn + 1).is_none_or(|next| next.role == Role::Assistant);
        let rest: Vec<Spot> = (first..work.blocks(turn).len()).map(|at| (turn, at)).collect();
        let mut parts: Vec<(Role, Vec<Moved>)> = Vec::new();
        for one in work.lift(&rest) {
            let whose = if is_call(&one.block) { Role::Assistant } else { role };
            match parts.last_mut().filter(|(last, _)| *last == whose) {
                Some((_, part)) => part.push(one),
                None => parts.push((whose, vec![one])),
            }
        }
        if spoken && parts.last().is_some_and(|(last, _)| *last == Role::Assistant) {
            parts.push((role, Vec::new()));
        }
        if first == 0 {
            emptied.push(turn);
        }
        let place = turn + 1 - emptied.len();
        made.extend(parts.into_iter().map(|(role, part)| (place, role, part)));
    }
    work.remove_turns(&emptied);
    // Each stands behind all that were made before it.
    let calls = made.iter().enumerate().filter(|(_, (_, role, _))| *role == Role::Assistant);
    let calls: Vec<(usize, usize)> =
        calls.map(|(more, (place, _, part))| (place + more, part.len())).collect();
    work.land_turns(made);
    for (turn, count) in &calls {
        for at in 0..*count {
            work.change(Place::block(*turn, at), "a call in the user's turn is the model's");
        }
    }
    if let Some((last, _)) = calls.last() {
        close(work, last + 1);
    }
}

/// What the user called was no result: what the model thinks next is not bound to what it called before.
/// Where nothing else says so, a word of the user's does.
fn close(work: &mut Work<'_>, from: usize) {
    if !work.profile.thinking.placed {
        return;
    }
    let rest = work.turns().get(from..).unwrap_or_default();
    let is_models = |turn: &&Verbatim<Turn>| turn.role == Role::Assistant;
    let answers = rest.iter().take_while(|turn| !is_models(turn)).count();
    let more = |block: &Verbatim<Block>| {
        pairing::call(block).is_none() && pairing::result(block).is_none() && work.is_said(block)
    };
    let says = rest[..answers].iter().any(|turn| turn.blocks.iter().any(more));
    let next = rest[answers..].iter().take_while(is_models).flat_map(|turn| &turn.blocks);
    let thinks = next.into_iter().any(|block| thoughts::is_thinking(block));
    if answers > 0 && thinks && !says {
        let turn = from + answers;
        work.insert_turn(turn, Turn::new(Role::User));
        work.insert(turn, 0, Block::text(Text::word(EMPTY_MESSAGE)));
        work.change(Place::block(turn, 0), "what the user called is no result: a word says so");
    }
}

/// Each pass leaves less on the wrong side; more than a few find nothing.
const PASSES: usize = 8;
