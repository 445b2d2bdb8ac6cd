//! Adds a result to an unanswered call: its outcome is unknown.
//!
//! An interrupted run leaves a call without a result in the history. The added result does not
//! claim that the tool did not run: it may have.
//!
//! ## Why
//! > messages.22: `tool_use` ids were found without `tool_result` blocks immediately after:
//! > toolu_01. Each `tool_use` block must have a corresponding `tool_result` block in the next
//! > message.
//!
//! > An assistant message with 'tool_calls' must be followed by tool messages responding to each
//! > 'tool_call_id'. The following tool_call_ids did not have response messages: call_1
//!
//! ## Example
//! ```text
//! before   assistant: call 1 `bash`        user: "stop, do it otherwise"
//! after    assistant: call 1 `bash`        user: result 1 (error) "Interrupted: …", "stop, do it otherwise"
//! ```

use std::borrow::Cow;
use std::collections::HashMap;

use interlingua_wire::JsonString;

use crate::edit::missing_results::{MissingResult, add_results};
use crate::edit::rounds::for_each_unpaired_round_detached;
use crate::engine::Work;
use crate::query::rounds::Round;
use crate::values::block::BlockPos;
use crate::values::placeholder::UNKNOWN_OUTCOME;

pub(super) fn apply(work: &mut Work<'_>) {
    for_each_unpaired_round_detached(work, |work, round| {
        let calls = unanswered(work, round).into_iter();
        let missing = calls.map(|(pos, id)| MissingResult {
            call: pos,
            message: JsonString::from_static(UNKNOWN_OUTCOME),
            ledger_text: format!("added a result for the call {id}: its outcome is unknown"),
        });
        add_results(work, round.assistant_turns.start, missing.collect());
    });
}

/// The calls without a result; calls that share an id need one each.
fn unanswered(work: &Work<'_>, round: &Round) -> Vec<(BlockPos, JsonString)> {
    let mut results: HashMap<Cow<'_, str>, usize> = HashMap::new();
    for (_, result) in round.results(work) {
        *results.entry(result.call_id.unescape()).or_default() += 1;
    }
    let unanswered_calls =
        round.calls(work).filter(|(_, call)| match results.get_mut(&call.id.unescape()) {
            Some(remaining) if *remaining > 0 => {
                *remaining -= 1;
                false
            }
            _ => true,
        });
    unanswered_calls.map(|(pos, call)| (pos, call.id.clone())).collect()
}
