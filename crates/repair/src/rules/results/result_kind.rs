//! Writes a result in the form that its call requires.
//!
//! A freeform tool has results of a type of its own. A result that is written as the other type
//! matches no call.
//!
//! ## Why
//! > No tool call found for function call output with call_id call_1.
//!
//! ## Example
//! ```text
//! before   custom_tool_call call_1, function_call_output call_1
//! after    custom_tool_call call_1, custom_tool_call_output call_1
//! ```

use std::collections::{HashMap, HashSet};

use interlingua_model::{LedgerPath, Spelling, ToolArgs, ToolCallIndex, ToolResult};

use crate::engine::{Feature, Work};
use crate::query::continued;
use crate::query::rounds::Round;
use crate::values::block::BlockPos;

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.profile.calls.has_freeform_results || !work.is_same_dialect() {
        return;
    }
    if !work.has(Feature::FreeformCall) && !work.has(Feature::Extras) {
        return;
    }
    let mut start = 0;
    while let Some(round) = Round::starting_at(work.turns(), start) {
        for ((turn, at), is_freeform) in mismatched_results(work, &round) {
            let dialect = work.profile.dialect;
            let extras = &mut work.edit_block(turn, at).extras;
            if is_freeform {
                extras.add_spellings(dialect, Spelling::FreeformResult);
            } else {
                extras.remove_spellings(dialect, Spelling::FreeformResult);
            }
            work.record_change(
                LedgerPath::block(turn, at),
                "the result is sent in the form of its call",
            );
        }
        start = round.end();
    }
}

/// The results of another type than their call, and whether the call is freeform.
fn mismatched_results(work: &Work<'_>, round: &Round) -> Vec<(BlockPos, bool)> {
    let dialect = work.profile.dialect;
    let is_marked =
        |(turn, at): BlockPos| work.block(turn, at).extras.has(dialect, Spelling::FreeformResult);
    // A conversation that the provider stores may have a call for any result: only a call of this
    // round without a result counts.
    let is_stored = continued::continues_stored_conversation(work);
    let mut round_calls = HashMap::new();
    for (_, call) in round.calls(work) {
        round_calls.entry(call.id.unescape()).or_insert(call);
    }
    let calls = ToolCallIndex::new(work.conversation());
    let is_freeform = |pos: BlockPos, result: &ToolResult| {
        let earlier = || calls.call_before(pos.0, &result.call_id).filter(|_| !is_stored);
        let call = round_calls.get(&result.call_id.unescape()).copied().or_else(earlier)?;
        Some(matches!(call.args, ToolArgs::Freeform(_)))
    };
    let matches_call = |(pos, result): &(BlockPos, &ToolResult)| {
        is_freeform(*pos, result) == Some(is_marked(*pos))
    };
    let mut answered: HashSet<_> = round
        .results(work)
        .filter(|result| is_stored && matches_call(result))
        .map(|(_, result)| result.call_id.unescape())
        .collect();
    let mut mismatched = Vec::new();
    for (pos, result) in round.results(work) {
        let Some(is_freeform) = is_freeform(pos, result) else { continue };
        if is_freeform != is_marked(pos)
            && (!is_stored || answered.insert(result.call_id.unescape()))
        {
            mismatched.push((pos, is_freeform));
        }
    }
    mismatched
}
