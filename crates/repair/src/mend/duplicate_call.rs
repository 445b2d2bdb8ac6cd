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
use std::collections::hash_map::Entry;

use interlingua_model::{Args, Body, Place, derive_id};
use interlingua_wire::Text;

use crate::Work;
use crate::fingerprint::{fingerprint, repeats};
use crate::fit::strange_calls;
use crate::look::is_assistants;
use crate::pairing::{self, Round, Spot};
use crate::profile::calls::Unique;

pub fn apply(work: &mut Work<'_>) {
    let crosses = pairing::crosses(work);
    let unique = if crosses { Unique::Conversation } else { work.profile.calls.unique };
    if unique == Unique::No || !has_repeated(work, unique) {
        return;
    }
    let mut seen = Seen::default();
    let mut last = None;
    let mut start = 0;
    let mut looked = 0;
    // What is said twice goes in the end, so that all others stay where they are.
    let mut gone = Vec::new();
    while let Some(round) = Round::at(work.turns(), start) {
        let mut pairs = Pairs::of(work, &round);
        let (mut turn, mut at) = (start, 0);
        while work.turns().get(turn).is_some_and(|turn| is_assistants(turn)) {
            let Some(block) = work.blocks(turn).get(at) else {
                (turn, at) = (turn + 1, 0);
                continue;
            };
            let Some(id) = pairing::call(block).map(|call| call.id.clone()) else {
                at += 1;
                continue;
            };
            let spot = (turn, at);
            if unique == Unique::Turn && last != Some(turn) {
                seen = Seen::default();
            }
            last = Some(turn);
            let kind = is_freeform(work, spot);
            if unique == Unique::Conversation {
                let others = (looked..turn).flat_map(|turn| strange_calls::ids_in(work, turn));
                seen.ids.extend(others.map(|id| (id.contents().into_owned(), false)));
                looked = turn;
            }
            let taken = match seen.ids.get(&*id.contents()) {
                Some(before) => unique != Unique::Kind || *before != kind,
                None => false,
            };
            pairs.visit(&id);
            if !taken {
                seen.ids.insert(id.contents().into_owned(), kind);
                pairs.keep(&id, spot);
            } else if pairs.is_said_before(work, &id, spot) {
                work.change(Place::block(turn, at), format!("the call {id} stands there twice"));
                gone.push(spot);
            } else {
                let fresh = seen.fresh(&id, kind);
                let own = pairs.take_results(&id);
                rename(work, spot, &own, &id, fresh.clone());
                if pairs.knows(&fresh) {
                    pairs = Pairs::again(work, start, spot, &gone);
                } else {
                    pairs.keep(&fresh, spot);
                }
            }
            at += 1;
        }
        start = Round::at(work.turns(), start).map_or(start + 1, |round| round.end());
    }
    work.remove_spots(&gone);
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

/// The ids of the calls so far, and whether each takes free text.
#[derive(Default)]
struct Seen {
    ids: HashMap<String, bool>,
    /// How many ids were made of each.
    made: HashMap<String, usize>,
}

impl Seen {
    /// An id that no call before has.
    fn fresh(&mut self, id: &Text, kind: bool) -> Text {
        let number = self.made.entry(id.contents().into_owned()).or_default();
        loop {
            *number += 1;
            let fresh = derive_id("call_", id, *number);
            if let Entry::Vacant(free) = self.ids.entry(fresh.contents().into_owned()) {
                free.insert(kind);
                return fresh;
            }
        }
    }
}

/// The calls and results of a round by their ids, as its calls are looked at one after the other.
#[derive(Default)]
struct Pairs {
    of: HashMap<String, Pair>,
}

#[derive(Default)]
struct Pair {
    /// The calls before this one that have the id.
    before: Vec<Spot>,
    /// How many there are that were not looked at.
    after: usize,
    /// The results in their order, and how many of them belong to calls that were looked at.
    results: Vec<Spot>,
    given: usize,
}

impl Pairs {
    fn of(work: &Work<'_>, round: &Round) -> Self {
        let mut pairs: HashMap<String, Pair> = HashMap::new();
        for (_, call) in round.calls(work) {
            pairs.entry(call.id.contents().into_owned()).or_default().after += 1;
        }
        for (spot, result) in round.results(work) {
            pairs.entry(result.call.contents().into_owned()).or_default().results.push(spot);
        }
        Self { of: pairs }
    }

    /// As all is now that the calls up to this one were looked at, and these are about to go.
    fn again(work: &Work<'_>, start: usize, last: Spot, gone: &[Spot]) -> Self {
        let round = Round::at(work.turns(), start);
        let mut pairs = round.as_ref().map_or_else(Self::default, |round| Self::of(work, round));
        let calls = round.iter().flat_map(|round| round.calls(work));
        for (spot, call) in calls.take_while(|(spot, _)| *spot <= last) {
            pairs.visit(&call.id);
            if gone.binary_search(&spot).is_err() {
                pairs.keep(&call.id, spot);
            }
        }
        pairs
    }

    fn knows(&self, id: &Text) -> bool {
        self.of.contains_key(&*id.contents())
    }

    fn visit(&mut self, id: &Text) {
        if let Some(pair) = self.of.get_mut(&*id.contents()) {
            pair.after -= 1;
        }
    }

    /// The call that is looked at has this id, and stays.
    fn keep(&mut self, id: &Text, spot: Spot) {
        let pair = self.of.entry(id.contents().into_owned()).or_default();
        pair.before.push(spot);
        pair.given += 1;
    }

    /// Whether the model said the same call before, in a row with this one.
    fn is_said_before(&self, work: &Work<'_>, id: &Text, spot: Spot) -> bool {
        let Some(call) = pairing::call(work.block(spot.0, spot.1)) else { return false };
        let before = self.of.get(&*id.contents()).map_or(&[][..], |pair| &pair.before);
        before.iter().any(|(turn, at)| pairing::call(work.block(*turn, *at)) == Some(call))
    }

    /// The results of a call that does not keep its id: the next one, or all if no call comes after it.
    fn take_results(&mut self, id: &Text) -> Vec<Spot> {
        let Some(pair) = self.of.get_mut(&*id.contents()) else { return Vec::new() };
        let rest = pair.results.get(pair.given..).unwrap_or_default();
        let count = if pair.after == 0 { rest.len() } else { rest.len().min(1) };
        let own = rest[..count].to_vec();
        pair.given += count;
        own
    }
}

/// Gives the call another id, and its results with it.
fn rename(work: &mut Work<'_>, spot: Spot, own: &[Spot], id: &Text, fresh: Text) {
    let what = format!("another call has the id {id}: this one is {fresh}");
    if let Body::ToolCall(call) = &mut work.edit(spot.0, spot.1).body {
        call.id = fresh.clone();
    }
    work.change(Place::block(spot.0, spot.1), what);
    for (turn, at) in own {
        if let Body::ToolResult(result) = &mut work.edit(*turn, *at).body {
            result.call = fresh.clone();
        }
    }
    work.renamed_call(fresh, id.clone());
}
