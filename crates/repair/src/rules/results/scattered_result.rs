//! Moves results right behind the calls that they answer.
//!
//! User texts or instructions are between a call and its result, or the results of parallel calls
//! are in several turns. The results are moved together, before other content up to the next
//! assistant turn.
//!
//! ## Why
//! > An assistant message with 'tool_calls' must be followed by tool messages responding to each
//! > 'tool_call_id'.
//!
//! > Expected toolResult blocks at messages.2.content for the following Ids: tooluse_2
//!
//! > Please ensure that function response turn comes immediately after a function call turn.
//!
//! ## Example
//! ```text
//! before   assistant: call 1        user: "hurry"        user: result 1
//! after    assistant: call 1        user: result 1, "hurry"
//! ```

use interlingua_model::{Block, LedgerPath, Role, Verbatim};
use interlingua_providers::profile::calls::ResultPlacement;

use crate::edit::insert_results;
use crate::edit::rounds::for_each_unpaired_round_detached;
use crate::engine::Work;
use crate::query::continued::are_calls_stored_by_provider;
use crate::query::rounds::Round;
use crate::values::block::{BlockPos, as_result};

pub(super) fn apply(work: &mut Work<'_>) {
    for_each_unpaired_round_detached(work, |work, round| {
        let start = round.assistant_turns.start;
        loop {
            let mut positions = misplaced_results(work, start);
            // An empty turn no longer separates anything once the first result is in it.
            if insert_results::fills_empty_turn(work, start) {
                positions.truncate(1);
            }
            if positions.is_empty() {
                return;
            }
            move_results(work, start, &positions);
        }
    });
}

/// Results that are misplaced, up to a point where the rest depends on their removal.
fn misplaced_results(work: &Work<'_>, start: usize) -> Vec<BlockPos> {
    let mut misplaced = Vec::new();
    let Some(round) = Round::starting_at(work.turns(), start) else { return misplaced };
    let result_placement = work.profile.calls.result_placement;
    let turns = &work.turns()[round.following_turns.clone()];
    let crosses = !work.is_same_dialect();
    let in_order = !crosses
        && matches!(
            result_placement,
            ResultPlacement::FirstAfterRun
                | ResultPlacement::FirstAfterTurn
                | ResultPlacement::Anywhere
        );
    let one_turn = !crosses
        && matches!(result_placement, ResultPlacement::NextTurn | ResultPlacement::MatchingCount);
    if !crosses && result_placement == ResultPlacement::BeforeNextAssistant {
        return misplaced;
    }
    let call_ids = round.call_ids(work);
    let is_stored = are_calls_stored_by_provider(work, &round);
    let mut is_separated = false;
    let mut is_moved = false;
    for (turn, source) in (round.following_turns.start..).zip(turns) {
        let is_instruction = source.role != Role::User;
        let is_moved_result = |block: &Verbatim<Block>| {
            as_result(block).is_some_and(|result| is_stored || call_ids.contains(&result.call_id))
        };
        // A turn of instructions with nothing but results is moved with them, and then separates
        // nothing.
        let previous_moved = is_moved;
        is_moved = is_instruction
            && !source.blocks.is_empty()
            && source.blocks.iter().all(is_moved_result);
        if previous_moved && !is_moved {
            return misplaced;
        }
        is_separated |= is_instruction && (crosses || !work.is_skipped_before_results(source))
            || one_turn && turn > round.following_turns.start;
        for (at, block) in source.blocks.iter().enumerate() {
            let result = as_result(block);
            // The result of a call that the provider stores only has to be in a user turn.
            let is_stored_result = is_stored && is_instruction;
            match result.filter(|result| is_stored_result || call_ids.contains(&result.call_id)) {
                Some(_) if is_separated || is_instruction => misplaced.push((turn, at)),
                Some(_) => {}
                None => is_separated |= in_order && !is_instruction,
            }
        }
        is_separated |= in_order && source.blocks.is_empty() && !is_instruction;
    }
    misplaced
}

fn move_results(work: &mut Work<'_>, start: usize, positions: &[BlockPos]) {
    let count = work.turns().len();
    let taken = work.take_blocks(positions);
    for (turn, at) in insert_results::insert_results(work, start, taken) {
        work.record_change(LedgerPath::block(turn, at), "moved a result right behind its call");
    }
    let inserted = work.turns().len() - count;
    let mut removed: Vec<usize> = positions.iter().map(|(turn, _)| turn + inserted).collect();
    removed.dedup();
    removed.retain(|turn| work.blocks(*turn).is_empty());
    work.remove_turns(&removed);
}
