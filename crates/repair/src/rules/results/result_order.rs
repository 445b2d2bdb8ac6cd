//! Puts results into the order of their calls where the target matches them by order.
//!
//! Tools that run in parallel end in any order. With call ids the order does not matter; without
//! them, or where the target ignores them, the first result is taken for that of the first call.
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

use interlingua_model::{LedgerPath, ToolResult};

use crate::engine::Work;
use crate::query::preceding_calls::PrecedingCalls;
use crate::query::rounds::{Round, blocks};
use crate::values::block::{BlockPos, as_call, as_result};

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.profile.calls.ordered_results {
        return;
    }
    if work.is_same_dialect() {
        if work.profile.calls.results_need_name {
            sort_same_dialect(work);
        }
        return;
    }
    let mut start = 0;
    while let Some(round) = Round::starting_at(work.turns(), start) {
        let results: Vec<BlockPos> = round.results(work).map(|(pos, _)| pos).collect();
        let mut ranks = call_ranks(work, &round);
        if !ranks.is_sorted() {
            sort_by_rank(work, &results, &mut ranks);
        }
        start = round.end();
    }
}

/// Sorts results of the same dialect; an order that the target accepts stays.
fn sort_same_dialect(work: &mut Work<'_>) {
    for turn in 1..work.turns().len() {
        let turn_blocks = blocks(work, turn..turn + 1);
        let results = turn_blocks.filter(|(_, block)| as_result(block).is_some());
        let results: Vec<BlockPos> = results.map(|(pos, _)| pos).collect();
        if results.is_empty() {
            continue;
        }
        let calls = PrecedingCalls::new(work, turn);
        let mut orders = results.iter().enumerate();
        if orders.all(|(order, pos)| is_read_correctly(work, &calls, *pos, order)) {
            continue;
        }
        let rank = |(turn, at): &BlockPos| {
            let result = as_result(work.block(*turn, *at))?;
            calls.rank(&result.call_id)
        };
        let ranks: Option<Vec<usize>> = results.iter().map(rank).collect();
        if let Some(mut ranks) = ranks.filter(|ranks| !ranks.is_sorted()) {
            sort_by_rank(work, &results, &mut ranks);
        }
    }
}

/// Whether the target matches a result to a call of the tool that the result names.
fn is_read_correctly(work: &Work<'_>, calls: &PrecedingCalls, pos: BlockPos, order: usize) -> bool {
    let name = as_result(work.block(pos.0, pos.1)).and_then(|result| result.name.as_ref());
    let call = calls.assumed_call(work, pos, order);
    let call = call.and_then(|(turn, at)| as_call(work.block(turn, at)));
    call.is_none_or(|call| name == Some(&call.name))
}

/// The index of the call that each result of a round answers.
fn call_ranks(work: &Work<'_>, round: &Round) -> Vec<usize> {
    let mut first = HashMap::new();
    for (rank, (_, call)) in round.calls(work).enumerate() {
        first.entry(call.id.unescape()).or_insert(rank);
    }
    let rank =
        |(_, result): (BlockPos, &ToolResult)| first.get(&result.call_id.unescape()).copied();
    round.results(work).map(|result| rank(result).unwrap_or(usize::MAX)).collect()
}

/// Swaps results until each is in order.
fn sort_by_rank(work: &mut Work<'_>, results: &[BlockPos], ranks: &mut [usize]) {
    let mut rest: BTreeSet<(usize, usize)> = ranks.iter().copied().zip(0..).collect();
    for target in 0..results.len() {
        let Some((rank, source)) = rest.pop_first() else { return };
        if rank == ranks[target] {
            continue;
        }
        rest.remove(&(ranks[target], target));
        rest.insert((ranks[target], source));
        ranks.swap(target, source);
        work.swap_blocks(results[target], results[source]);
        let (turn, at) = results[target];
        work.record_change(
            LedgerPath::block(turn, at),
            "moved the result to the order of the calls",
        );
    }
}
