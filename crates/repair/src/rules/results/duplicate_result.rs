//! Merges several results of one call.
//!
//! A repeated result is removed; the contents of different results are concatenated in their order,
//! so that nothing is lost.
//!
//! ## Why
//! > messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result`
//! > blocks with id: toolu_1
//!
//! > Please ensure that the number of function response parts is equal to the number of function call
//! > parts of the function call turn.
//!
//! ## Example
//! ```text
//! before   user: result 1 "first", result 1 "second"
//! after    user: result 1 "first" "second"
//! ```

use std::collections::HashMap;

use interlingua_model::{BlockContent, LedgerPath};
use interlingua_wire::JsonString;

use crate::edit::rounds::for_each_unpaired_round_detached;
use crate::engine::Work;
use crate::query::continued::are_calls_stored_by_provider;
use crate::query::rounds::Round;
use crate::values::block::{BlockPos, as_result};

pub(super) fn apply(work: &mut Work<'_>) {
    for_each_unpaired_round_detached(work, |work, round| {
        let mut seen = SeenResults::new(work, round);
        let mut emptied = Vec::new();
        for turn in round.following_turns.clone() {
            merge_in_turn(work, turn, &mut seen);
            if work.blocks(turn).is_empty() && seen.has_merged {
                emptied.push(turn);
            }
        }
        work.remove_turns(&emptied);
    });
}

/// Results of a round so far.
struct SeenResults {
    /// Number of calls with each id.
    calls: HashMap<String, usize>,
    calls_held: bool,
    /// The first result of each id, and the number of results.
    results: HashMap<String, (BlockPos, usize)>,
    /// Whether a result of the turn was merged.
    has_merged: bool,
}

impl SeenResults {
    fn new(work: &Work<'_>, round: &Round) -> Self {
        let mut calls = HashMap::new();
        for (_, call) in round.calls(work) {
            *calls.entry(call.id.unescape().into_owned()).or_default() += 1;
        }
        let calls_held = are_calls_stored_by_provider(work, round);
        Self { calls, calls_held, results: HashMap::new(), has_merged: false }
    }

    /// The first result of a call, if all calls with this id have a result already.
    fn duplicate_of(&mut self, id: &JsonString, pos: BlockPos) -> Option<BlockPos> {
        let id = id.unescape();
        // A call that the provider stores exists once.
        let calls = self.calls.get(&*id).copied().unwrap_or(usize::from(self.calls_held));
        match self.results.get_mut(&*id) {
            Some((first, count)) if calls > 0 && *count >= calls => return Some(*first),
            Some((_, count)) => *count += 1,
            None => {
                self.results.insert(id.into_owned(), (pos, 1));
            }
        }
        None
    }
}

/// Merges each surplus result of a turn into the first one of its call.
fn merge_in_turn(work: &mut Work<'_>, turn: usize, seen: &mut SeenResults) {
    let mut removed: Vec<usize> = Vec::new();
    let mut first: Vec<JsonString> = Vec::new();
    for at in 0..work.blocks(turn).len() {
        let Some(result) = as_result(work.block(turn, at)) else { continue };
        let id = result.call_id.clone();
        match seen.duplicate_of(&id, (turn, at)) {
            Some(first_pos) => {
                merge_result(work, first_pos, (turn, at));
                removed.push(at);
            }
            None => first.push(id),
        }
    }
    seen.has_merged = !removed.is_empty();
    if !seen.has_merged {
        return;
    }
    // Positions before the removal of the merged results.
    for id in first {
        if let Some(((first_turn, at), _)) = seen.results.get_mut(&*id.unescape())
            && *first_turn == turn
        {
            *at -= removed.partition_point(|removed| removed < at);
        }
    }
    work.remove_blocks(turn, &removed);
}

/// Merges a result into the first one; the caller removes it after its turn was scanned.
fn merge_result(work: &mut Work<'_>, first: BlockPos, repeated: BlockPos) {
    let block = work.block(repeated.0, repeated.1);
    let BlockContent::ToolResult(repeated_result) = &block.content else { return };
    let (repeated_result, cache) = (repeated_result.clone(), block.cache_breakpoint.clone());
    let BlockContent::ToolResult(first_block) = &work.block(first.0, first.1).content else {
        return;
    };
    let same = first_block.content == repeated_result.content
        && first_block.is_error == repeated_result.is_error;
    let description = if same {
        format!("the result of the call {} is repeated", repeated_result.call_id)
    } else {
        format!("merged two results of the call {}", repeated_result.call_id)
    };
    work.record_change(LedgerPath::block(repeated.0, repeated.1), description);
    work.record_merge(repeated, first);
    if !same || cache.is_some() {
        let first_block = work.edit_block(first.0, first.1);
        first_block.cache_breakpoint = first_block.cache_breakpoint.take().or(cache);
        if let BlockContent::ToolResult(first_block) = &mut first_block.content
            && !same
        {
            first_block.content.extend(repeated_result.content);
            first_block.is_error |= repeated_result.is_error;
        }
    }
}
