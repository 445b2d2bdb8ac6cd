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

use std::collections::{BTreeSet, HashMap};

use interlingua_model::{Place, ToolResult};

use super::result_name::CallsBefore;
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
        let mut ranks = ranks(work, &round);
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
        if results.is_empty() {
            continue;
        }
        let calls = CallsBefore::of(work, turn);
        let mut orders = results.iter().enumerate();
        if orders.all(|(order, spot)| is_taken_rightly(work, &calls, *spot, order)) {
            continue;
        }
        let rank = |(turn, at): &Spot| {
            let result = pairing::result(work.block(*turn, *at))?;
            calls.rank(&result.call)
        };
        let ranks: Option<Vec<usize>> = results.iter().map(rank).collect();
        if let Some(mut ranks) = ranks.filter(|ranks| !ranks.is_sorted()) {
            sort(work, &results, &mut ranks);
        }
    }
}

/// Whether the target takes a result to be of the tool that it says.
fn is_taken_rightly(work: &Work<'_>, calls: &CallsBefore, spot: Spot, order: usize) -> bool {
    let name = pairing::result(work.block(spot.0, spot.1)).and_then(|result| result.name.as_ref());
    let call = calls.taken_for(work, spot, order);
    let call = call.and_then(|(turn, at)| pairing::call(work.block(turn, at)));
    call.is_none_or(|call| name == Some(&call.name))
}

/// For each result of a round, the number of the call that it answers.
fn ranks(work: &Work<'_>, round: &Round) -> Vec<usize> {
    let mut first = HashMap::new();
    for (rank, (_, call)) in round.calls(work).enumerate() {
        first.entry(call.id.contents()).or_insert(rank);
    }
    let rank = |(_, result): (Spot, &ToolResult)| first.get(&result.call.contents()).copied();
    round.results(work).map(|result| rank(result).unwrap_or(usize::MAX)).collect()
}

/// Changes places until each result stands where it must.
fn sort(work: &mut Work<'_>, results: &[Spot], ranks: &mut [usize]) {
    let mut rest: BTreeSet<(usize, usize)> = ranks.iter().copied().zip(0..).collect();
    for here in 0..results.len() {
        let Some((rank, least)) = rest.pop_first() else { return };
        if rank == ranks[here] {
            continue;
        }
        rest.remove(&(ranks[here], here));
        rest.insert((ranks[here], least));
        ranks.swap(here, least);
        work.exchange(results[here], results[least]);
        let (turn, at) = results[here];
        work.change(Place::block(turn, at), "the result stands in the order of the calls");
    }
}
