//! Results stand in the order of their calls where nothing else tells whose they are.
//!
//! Tools that run side by side end in any order. Where a result has an id that does not matter; where
//! it has none, or is not looked at, the first result is taken for that of the first call.
//!
//! ## Why
//! > Please ensure that the number of function response parts is equal to the number of function call
//! > parts of the function call turn.
//!
//! Responses are ordered like the calls.
//!
//! ## Example
//! ```text
//! before   assistant: call 1, call 2        user: result 2, result 1
//! after    assistant: call 1, call 2        user: result 1, result 2
//! ```

use interlingua_model::Place;

use super::result_name::{calls_before, taken_for};
use crate::Work;
use crate::pairing::{self, Round, Spot};

pub fn apply(work: &mut Work<'_>) {
    if !work.profile.calls.ordered_results {
        return;
    }
    if !pairing::crosses(work) {
        if work.profile.calls.named_results {
            own(work);
        }
        return;
    }
    let mut start = 0;
    while let Some(round) = Round::at(work.turns(), start) {
        let results: Vec<Spot> = round.results(work).map(|(spot, _)| spot).collect();
        let mut ranks: Vec<usize> = results.iter().map(|spot| rank(work, &round, *spot)).collect();
        if !ranks.is_sorted() {
            sort(work, &results, &mut ranks);
        }
        start = round.end();
    }
}

/// Where the client's own order is one that the target takes, it stays.
fn own(work: &mut Work<'_>) {
    for turn in 1..work.turns().len() {
        let of_turn = pairing::blocks(work, turn..turn + 1);
        let results = of_turn.filter(|(_, block)| pairing::result(block).is_some());
        let results: Vec<Spot> = results.map(|(spot, _)| spot).collect();
        if results.iter().all(|spot| is_taken_rightly(work, *spot)) {
            continue;
        }
        let rank = |(turn, at): &Spot| {
            let result = pairing::result(work.block(*turn, *at))?;
            calls_before(work, *turn).position(|(_, call)| call.id == result.call)
        };
        let ranks: Option<Vec<usize>> = results.iter().map(rank).collect();
        if let Some(mut ranks) = ranks.filter(|ranks| !ranks.is_sorted()) {
            sort(work, &results, &mut ranks);
        }
    }
}

/// Whether the target takes a result to be of the tool that it says.
fn is_taken_rightly(work: &Work<'_>, spot: Spot) -> bool {
    let name = pairing::result(work.block(spot.0, spot.1)).and_then(|result| result.name.as_ref());
    let call = taken_for(work, spot).and_then(|(turn, at)| pairing::call(work.block(turn, at)));
    call.is_none_or(|call| name == Some(&call.name))
}

/// The number of the call that a result answers.
fn rank(work: &Work<'_>, round: &Round, (turn, at): Spot) -> usize {
    let result = pairing::result(work.block(turn, at));
    let mut calls = round.calls(work);
    let of = result.and_then(|result| calls.position(|(_, call)| call.id == result.call));
    of.unwrap_or(usize::MAX)
}

/// Changes places until each result stands where it must.
fn sort(work: &mut Work<'_>, results: &[Spot], ranks: &mut [usize]) {
    for here in 0..results.len() {
        let Some(least) = (here..results.len()).min_by_key(|at| ranks[*at]) else { return };
        if ranks[least] == ranks[here] {
            continue;
        }
        exchange(work, results[here], results[least]);
        ranks.swap(here, least);
        let (turn, at) = results[here];
        work.change(Place::block(turn, at), "the result stands in the order of the calls");
    }
}

fn exchange(work: &mut Work<'_>, first: Spot, second: Spot) {
    work.carry(second, first);
    // The one that stood there is now one place further.
    let moved = (first.0, first.1 + 1);
    work.carry(moved, second);
}
