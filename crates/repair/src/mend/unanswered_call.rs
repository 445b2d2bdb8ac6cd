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

use interlingua_model::{Block, BlockContent, LedgerPath, Role, ToolResult, Verbatim};
use interlingua_wire::JsonString;

use crate::apart::for_each_unpaired_round_detached;
use crate::fit::empty_turn::EMPTY_MESSAGE;
use crate::pairing::{self, BlockPos, Round};
use crate::{Work, landing};

pub fn apply(work: &mut Work<'_>) {
    for_each_unpaired_round_detached(work, |work, round| {
        let calls = unanswered(work, round).into_iter();
        let missing = calls.map(|(pos, id)| MissingResult {
            call: pos,
            message: JsonString::new(UNKNOWN_OUTCOME),
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

/// An error result to add for a call.
pub(crate) struct MissingResult {
    pub call: BlockPos,
    pub message: JsonString,
    pub ledger_text: String,
}

/// Adds results for calls of the round that begins with `start`, in the order of the calls.
pub(crate) fn add_results(work: &mut Work<'_>, start: usize, missing: Vec<MissingResult>) {
    let by_name = work.profile.calls.ordered_results;
    let mut added = Vec::with_capacity(missing.len());
    let mut descriptions = Vec::with_capacity(missing.len());
    for MissingResult { call: pos, message, ledger_text: description } in missing {
        let Some(call) = pairing::as_call(work.block(pos.0, pos.1)) else { continue };
        let name = by_name.then(|| call.name.clone());
        let content = vec![Block::text(message).into()];
        let result = ToolResult { call_id: call.id.clone(), name, content, is_error: true };
        let mut block = Block::new(BlockContent::ToolResult(result));
        pairing::match_id_spelling(work, pos, &mut block);
        added.push(block.into());
        descriptions.push(description);
    }
    let positions = landing::insert_results_ordered(work, start, added, by_name);
    let mut last_turn = None;
    for ((turn, at), description) in positions.into_iter().zip(descriptions) {
        work.record_change(LedgerPath::block(turn, at), description);
        if last_turn.replace(turn) != Some(turn)
            && work.blocks(turn).iter().any(|block| !work.is_encoded(block))
        {
            keep_user_turn(work, turn);
        }
    }
}

/// Adds a placeholder text where user content will be dropped and only added results would be left:
/// without it, the tool loop would continue and the reasoning in it would be misplaced.
pub(crate) fn keep_user_turn(work: &mut Work<'_>, turn: usize) {
    let is_added_result = |block: &Block| match pairing::as_result(block)
        .map(|result| &result.content[..])
    {
        Some([content]) => content.content.as_text().is_some_and(|text| *text == UNKNOWN_OUTCOME),
        _ => false,
    };
    let blocks = work.blocks(turn);
    let is_dropped = |block: &Verbatim<Block>| is_added_result(block) || !work.is_encoded(block);
    let is_user_turn =
        work.turns()[turn].role == Role::User && work.profile.reasoning.seals_bind_loop;
    // Dropped blocks are mostly at the end, so the scan starts there.
    if is_user_turn
        && blocks.iter().rev().all(is_dropped)
        && blocks.iter().any(|block| is_added_result(block))
    {
        let at = blocks.len();
        work.insert_block(turn, at, Block::text(JsonString::from_static(EMPTY_MESSAGE)));
        work.record_change(
            LedgerPath::block(turn, at),
            "added a text: the user's content is left out",
        );
    }
}

/// Text for the model in place of the result.
pub const UNKNOWN_OUTCOME: &str = "Interrupted: no result was recorded. The tool may or may not \
                                   have completed: outcome unknown, verify before repeating it.";
