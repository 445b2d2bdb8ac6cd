//! Moves calls in user turns to assistant turns, and results in assistant turns to user turns.
//!
//! A client that stores conversations in its own format may put a call or its result on the wrong
//! side. Only assistant turns have calls, and only user turns have results.
//!
//! ## Why
//! > messages.1: `tool_result` blocks can only be in `user` messages
//!
//! > messages.0: `tool_use` blocks can only be in `assistant` messages
//!
//! ## Example
//! ```text
//! before   assistant: call 1, result 1, "done"
//! after    assistant: call 1, "done"              user: result 1
//! ```

use std::ops::Range;

use interlingua_model::{Block, LedgerPath, Role, Turn, Verbatim};
use interlingua_providers::profile::calls::ResultPlacement;
use interlingua_wire::JsonString;

use crate::edit::insert_results;
use crate::edit::rounds::for_each_unpaired_round_detached;
use crate::engine::{DetachedBlock, Work};
use crate::query::pairing;
use crate::query::rounds::{Round, blocks};
use crate::values::block::{BlockPos, as_call, as_result, is_reasoning_block};
use crate::values::placeholder::EMPTY_MESSAGE;

pub(super) fn apply(work: &mut Work<'_>) {
    // For targets that count results, a moved result may belong to the round before, so the scan
    // repeats.
    for _ in 0..MAX_PASSES {
        let recorded_before = work.recorded();
        move_misplaced(work);
        if work.recorded() == recorded_before || !needs_matching_counts(work) {
            return;
        }
        work.set_paired_until(0);
    }
}

fn needs_matching_counts(work: &Work<'_>) -> bool {
    work.is_same_dialect() && work.profile.calls.result_placement == ResultPlacement::MatchingCount
}

fn move_misplaced(work: &mut Work<'_>) {
    for_each_unpaired_round_detached(work, |work, round| {
        let start = round.assistant_turns.start;
        // A call at the end of the user's turns is accepted up to the next assistant turn; the
        // turns before it then leave unchanged.
        if let Some(pos) = trailing_user_call(work, round) {
            move_results_before(work, pos);
            move_calls_to_assistant(work, pos.0..pos.0 + 1);
            if Round::starting_at(work.turns(), start)
                .is_some_and(|round| pairing::is_well_paired(work, &round))
            {
                return;
            }
        }
        move_results_to_user(work, start);
        if let Some(round) = Round::starting_at(work.turns(), start) {
            move_calls_to_assistant(work, round.following_turns);
        }
    });
}

/// The first call of the last turn of a round, where the target counts results.
fn trailing_user_call(work: &Work<'_>, round: &Round) -> Option<BlockPos> {
    if !needs_matching_counts(work) {
        return None;
    }
    let last = round
        .following_turns
        .end
        .checked_sub(1)
        .filter(|last| round.following_turns.contains(last))?;
    let is_call = |block: &Verbatim<Block>| as_call(block).is_some();
    work.blocks(last).iter().position(is_call).map(|at| (last, at))
}

/// Moves the results of a turn before its first call: they answer earlier calls.
fn move_results_before(work: &mut Work<'_>, (turn, call): BlockPos) {
    let after = call + 1..work.blocks(turn).len();
    let results = after.filter(|at| as_result(work.block(turn, *at)).is_some());
    let results: Vec<BlockPos> = results.map(|at| (turn, at)).collect();
    work.move_blocks_before(&results, (turn, call));
}

fn move_results_to_user(work: &mut Work<'_>, start: usize) {
    let Some(round) = Round::starting_at(work.turns(), start) else { return };
    let assistant_blocks = blocks(work, round.assistant_turns.clone());
    let results = assistant_blocks.filter(|(_, block)| as_result(block).is_some());
    let results: Vec<BlockPos> = results.map(|(pos, _)| pos).collect();
    if results.is_empty() {
        return;
    }
    let taken = work.take_blocks(&results);
    for (turn, at) in insert_results::insert_results(work, start, taken) {
        work.record_change(
            LedgerPath::block(turn, at),
            "moved a result from an assistant turn to a user turn",
        );
    }
    // An emptied turn is kept if it is the only assistant turn of the round: it separates the user
    // turns around it.
    let mut removed: Vec<usize> = results.iter().map(|(turn, _)| *turn).collect();
    removed.dedup();
    removed.retain(|turn| work.blocks(*turn).is_empty());
    removed.truncate(round.assistant_turns.len() - 1);
    work.remove_turns(&removed);
}

/// Splits user turns into the blocks before a call, an assistant turn with the calls, and the
/// blocks after them.
fn move_calls_to_assistant(work: &mut Work<'_>, turns: Range<usize>) {
    let (mut new_turns, mut emptied) = (Vec::new(), Vec::new());
    for turn in turns {
        let is_call = |block: &Verbatim<Block>| as_call(block).is_some();
        let Some(first) = work.blocks(turn).iter().position(is_call) else { continue };
        let role = work.turns()[turn].role;
        // A user turn has to precede the next assistant turn, also where no call is answered yet.
        let precedes_assistant =
            work.turns().get(turn + 1).is_none_or(|next| next.role == Role::Assistant);
        let rest: Vec<BlockPos> = (first..work.blocks(turn).len()).map(|at| (turn, at)).collect();
        let mut groups: Vec<(Role, Vec<DetachedBlock>)> = Vec::new();
        for detached in work.take_blocks(&rest) {
            let part_role = if is_call(&detached.block) { Role::Assistant } else { role };
            match groups.last_mut().filter(|(last, _)| *last == part_role) {
                Some((_, blocks)) => blocks.push(detached),
                None => groups.push((part_role, vec![detached])),
            }
        }
        if precedes_assistant && groups.last().is_some_and(|(last, _)| *last == Role::Assistant) {
            groups.push((role, Vec::new()));
        }
        if first == 0 {
            emptied.push(turn);
        }
        let index = turn + 1 - emptied.len();
        new_turns.extend(groups.into_iter().map(|(role, blocks)| (index, role, blocks)));
    }
    work.remove_turns(&emptied);
    // Final indices, behind the turns that are inserted before.
    let calls = new_turns.iter().enumerate().filter(|(_, (_, role, _))| *role == Role::Assistant);
    let calls: Vec<(usize, usize)> =
        calls.map(|(offset, (index, _, blocks))| (index + offset, blocks.len())).collect();
    work.insert_turns(new_turns);
    for (turn, count) in &calls {
        for at in 0..*count {
            work.record_change(
                LedgerPath::block(*turn, at),
                "moved a call from a user turn to an assistant turn",
            );
        }
    }
    if let Some((last, _)) = calls.last() {
        end_tool_loop(work, last + 1);
    }
}

/// Adds a user text behind moved calls without a result, if reasoning follows and no other content
/// separates it from the calls: otherwise it would belong to their tool loop.
fn end_tool_loop(work: &mut Work<'_>, from: usize) {
    if !work.profile.reasoning.checks_placement {
        return;
    }
    let rest = work.turns().get(from..).unwrap_or_default();
    let is_assistant = |turn: &&Verbatim<Turn>| turn.role == Role::Assistant;
    let user_turns = rest.iter().take_while(|turn| !is_assistant(turn)).count();
    let is_input = |block: &Verbatim<Block>| {
        as_call(block).is_none() && as_result(block).is_none() && work.is_encoded(block)
    };
    let has_input = rest[..user_turns].iter().any(|turn| turn.blocks.iter().any(is_input));
    let next = rest[user_turns..].iter().take_while(is_assistant).flat_map(|turn| &turn.blocks);
    let has_reasoning = next.into_iter().any(|block| is_reasoning_block(block));
    if user_turns > 0 && has_reasoning && !has_input {
        let turn = from + user_turns;
        work.insert_turn(turn, Turn::new(Role::User));
        work.insert_block(turn, 0, Block::text(JsonString::from_static(EMPTY_MESSAGE)));
        work.record_change(
            LedgerPath::block(turn, 0),
            "added a text: it ends the tool loop of a moved call",
        );
    }
}

/// Each pass leaves fewer blocks on the wrong side; in practice, a few passes suffice.
const MAX_PASSES: usize = 8;
