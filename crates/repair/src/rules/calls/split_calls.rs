//! Merges consecutive assistant turns with calls into one turn.
//!
//! Parallel calls may be in turns of their own, or text may follow a call. Where results must come
//! directly after the turn with the calls, all of them are merged into one turn.
//!
//! ## Why
//! > An assistant message with 'tool_calls' must be followed by tool messages responding to each
//! > 'tool_call_id'.
//!
//! > Please ensure that function call turn comes immediately after a user turn or after a function
//! > response turn.
//!
//! ## Example
//! ```text
//! before   assistant: call 1    assistant: call 2    user: result 1, result 2
//! after    assistant: call 1, call 2                 user: result 1, result 2
//! ```

use interlingua_model::{Block, LedgerPath, Spelling};
use interlingua_providers::profile::calls::ResultPlacement;

use crate::edit::rounds;
use crate::engine::Work;
use crate::query::rounds::Round;
use crate::values::block::{is_call, is_legacy, is_reasoning_or_entry};

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.is_same_dialect() {
        return;
    }
    let result_placement = work.profile.calls.result_placement;
    if !matches!(
        result_placement,
        ResultPlacement::FirstAfterTurn
            | ResultPlacement::NextTurn
            | ResultPlacement::MatchingCount
    ) {
        return;
    }
    // Removed at the end: each removal moves all turns behind it.
    let mut emptied = Vec::new();
    rounds::for_each_unpaired_round(work, |work, round| {
        let Some(first) = merge_start(work, round, result_placement) else { return };
        let original_len = work.blocks(first).len();
        for turn in first + 1..round.assistant_turns.end {
            work.record_change(LedgerPath::turn(turn), "merged consecutive assistant turns");
        }
        work.empty_turns_into(first, round.assistant_turns.end);
        emptied.extend(first + 1..round.assistant_turns.end);
        convert_extra_legacy_calls(work, first);
        remove_moved_seals(work, first, original_len);
    });
    work.remove_turns(&emptied);
}

/// Removes seals of calls that were moved behind another call: a seal covers the position of its
/// call. Sealed reasoning that was moved behind other reasoning is removed too.
fn remove_moved_seals(work: &mut Work<'_>, turn: usize, original_len: usize) {
    let is_sealed_reasoning = |block: &Block| is_reasoning_or_entry(block) && block.seal.is_some();
    if work.blocks(turn)[..original_len].iter().any(|block| is_reasoning_or_entry(block)) {
        work.remove_blocks_where(turn, |work, at| {
            let is_removed = at >= original_len && is_sealed_reasoning(work.block(turn, at));
            if is_removed {
                let message = "left out sealed reasoning: merging changed its position";
                work.record_loss(LedgerPath::block(turn, at), message);
            }
            is_removed
        });
    }
    let first = work.blocks(turn).iter().position(|block| is_call(block));
    for at in original_len..work.blocks(turn).len() {
        let block = work.block(turn, at);
        let follows_call = first.is_some_and(|first| first < at);
        if follows_call && is_call(block) && block.seal.is_some() {
            work.record_loss(
                LedgerPath::block(turn, at),
                "left out the seal of a call: merging changed its position",
            );
            work.edit_block(turn, at).seal = None;
        }
    }
}

/// A turn can have only one legacy call: several are converted to the current form, with ids.
fn convert_extra_legacy_calls(work: &mut Work<'_>, turn: usize) {
    let is_legacy_call =
        |at: &usize| is_call(work.block(turn, *at)) && is_legacy(work.block(turn, *at));
    let legacy_calls: Vec<usize> = (0..work.blocks(turn).len()).filter(is_legacy_call).collect();
    for at in legacy_calls.iter().copied().filter(|_| legacy_calls.len() > 1) {
        let dialect = work.profile.dialect;
        work.edit_block(turn, at).extras.remove_spellings(dialect, Spelling::LegacyForm);
        work.record_change(
            LedgerPath::block(turn, at),
            "converted from the legacy form: sent with an id",
        );
    }
}

/// The turn that the following assistant turns are merged into.
fn merge_start(work: &Work<'_>, round: &Round, result_placement: ResultPlacement) -> Option<usize> {
    let first_with_call = round.calls(work).next().map(|((turn, _), _)| turn)?;
    // Here no assistant turn may be before the call.
    let first = if result_placement == ResultPlacement::MatchingCount {
        round.assistant_turns.start
    } else {
        first_with_call
    };
    (first + 1 < round.assistant_turns.end).then_some(first)
}
