//! Two calls with one id: the same call is left out once, another one gets an id of its own.
//!
//! Some relays write a call twice, some models number the calls of each turn from zero. A call that
//! says the same as one before it, among what the model said in a row, goes; any other call gets a
//! new id, which depends on the old one and on what came before only. Its results go with it, in
//! their order.
//!
//! ## Why
//! > messages.43.content.2: `tool_use` ids must be unique
//!
//! > Duplicate tool call id 0 in assistant message
//!
//! ## Example
//! ```text
//! before   assistant: call 1 `read`   user: result 1   assistant: call 1 `bash`   user: result 1
//! after    assistant: call 1 `read`   user: result 1   assistant: call 2 `bash`   user: result 2
//! ```

use std::collections::HashMap;

use interlingua_model::{Args, Body, Place, derive_id};
use interlingua_wire::Text;

use crate::Work;
use crate::fingerprint::{fingerprint, repeats};
use crate::fit::strange_calls;
use crate::pairing::{self, Round, Spot};
use crate::profile::calls::Unique;

pub fn apply(work: &mut Work<'_>) {
    let crosses = pairing::crosses(work);
    let unique = if crosses { Unique::Conversation } else { work.profile.calls.unique };
    if unique == Unique::No || !has_repeated(work, unique) {
        return;
    }
    let mut seen = HashMap::new();
    let mut last = None;
    let mut start = 0;
    let mut looked = 0;
    while let Some(round) = Round::at(work.turns(), start) {
        let mut next = (round.speech.start, 0);
        while let Some((spot, id)) = call_from(work, start, next) {
            if unique == Unique::Turn && last != Some(spot.0) {
                seen.clear();
            }
            last = Some(spot.0);
            next = (spot.0, spot.1 + 1);
            let kind = is_freeform(work, spot);
            if unique == Unique::Conversation {
                let others = (looked..spot.0).flat_map(|turn| strange_calls::ids_in(work, turn));
                seen.extend(others.map(|id| (id.contents().into_owned(), false)));
                looked = spot.0;
            }
            let taken = match seen.get(&*id.contents()) {
                Some(before) => unique != Unique::Kind || *before != kind,
                None => false,
            };
            if !taken {
                seen.insert(id.contents().into_owned(), kind);
            } else if is_said_before(work, start, spot) {
                leave_out(work, spot, &id);
                next = spot;
            } else {
                let fresh = fresh(&id, kind, &mut seen);
                rename(work, start, spot, &id, fresh);
            }
        }
        start = Round::at(work.turns(), start).map_or(start + 1, |round| round.end());
    }
}

/// Whether any two calls that must differ perhaps have one id.
fn has_repeated(work: &Work<'_>, unique: Unique) -> bool {
    let mut seen = Vec::new();
    for (at, turn) in work.turns().iter().enumerate() {
        let before = seen.len();
        if unique == Unique::Conversation {
            seen.extend(strange_calls::ids_in(work, at).iter().map(fingerprint));
        }
        let calls = turn.blocks.iter().filter_map(|block| pairing::call(block));
        seen.extend(calls.map(|call| fingerprint(&call.id)));
        if unique == Unique::Turn && repeats(&mut seen[before..]) {
            return true;
        }
    }
    unique != Unique::Turn && repeats(&mut seen)
}

fn is_freeform(work: &Work<'_>, (turn, at): Spot) -> bool {
    let call = pairing::call(work.block(turn, at));
    call.is_some_and(|call| matches!(call.args, Args::Freeform(_)))
}

/// The next call of the round, from a place on.
fn call_from(work: &Work<'_>, start: usize, from: Spot) -> Option<(Spot, Text)> {
    let round = Round::at(work.turns(), start)?;
    let mut calls = round.calls(work);
    calls.find(|(spot, _)| *spot >= from).map(|(spot, call)| (spot, call.id.clone()))
}

/// Whether the model said the same call before, in a row with this one.
fn is_said_before(work: &Work<'_>, start: usize, spot: Spot) -> bool {
    let Some(round) = Round::at(work.turns(), start) else { return false };
    let Some(call) = pairing::call(work.block(spot.0, spot.1)) else { return false };
    round.calls(work).take_while(|(other, _)| *other < spot).any(|(_, other)| other == call)
}

fn leave_out(work: &mut Work<'_>, (turn, at): Spot, id: &Text) {
    work.change(Place::block(turn, at), format!("the call {id} stands there twice"));
    work.remove(turn, at);
    if work.blocks(turn).is_empty() {
        work.remove_turn(turn);
    }
}

/// An id that no call before has.
fn fresh(id: &Text, kind: bool, seen: &mut HashMap<String, bool>) -> Text {
    let mut number = 1;
    loop {
        let fresh = derive_id("call_", id, number);
        if !seen.contains_key(&*fresh.contents()) {
            seen.insert(fresh.contents().into_owned(), kind);
            return fresh;
        }
        number += 1;
    }
}

/// Gives the call another id, and its results with it.
fn rename(work: &mut Work<'_>, start: usize, spot: Spot, id: &Text, fresh: Text) {
    let Some(round) = Round::at(work.turns(), start) else { return };
    let (before, after): (Vec<Spot>, Vec<Spot>) = round
        .calls(work)
        .filter(|(other, call)| *other != spot && call.id == *id)
        .map(|(other, _)| other)
        .partition(|other| *other < spot);
    let results = round.results(work).filter(|(_, result)| result.call == *id);
    let count = if after.is_empty() { usize::MAX } else { 1 };
    let own: Vec<Spot> = results.skip(before.len()).take(count).map(|(own, _)| own).collect();
    let what = format!("another call has the id {id}: this one is {fresh}");
    if let Body::ToolCall(call) = &mut work.edit(spot.0, spot.1).body {
        call.id = fresh.clone();
    }
    work.change(Place::block(spot.0, spot.1), what);
    for (turn, at) in own {
        if let Body::ToolResult(result) = &mut work.edit(turn, at).body {
            result.call = fresh.clone();
        }
    }
    work.renamed_call(fresh, id.clone());
}
