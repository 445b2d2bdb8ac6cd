//! Inserts an assistant turn between tool results and user text where the target requires it.
//!
//! ## Why
//! > Unexpected role 'user' after role 'tool'
//!
//! ## Example
//! ```text
//! before   assistant: call 1   user: result 1, "and now?"
//! after    assistant: call 1   user: result 1   assistant: "Done."   user: "and now?"
//! ```

use interlingua_model::{Block, LedgerPath, Role, Turn, Verbatim};
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::values::block::{BlockPos, is_assistant, is_result};

pub(super) fn apply(work: &mut Work<'_>) {
    if work.profile.roles.allows_user_after_results {
        return;
    }
    if !work.is_same_dialect() {
        move_results_first(work);
    }
    let Some(mut turn) = (0..work.turns().len()).find(|turn| has_user_text_at_results(work, *turn))
    else {
        return;
    };
    // Later turns are split off, so that inserting a turn does not move them.
    let mut detached_turns = work.split_off(turn + 2);
    while turn < work.turns().len() {
        if has_user_text_at_results(work, turn) {
            split_user_text(work, turn);
            let next = work.turns().get(turn + 1);
            if next.is_some_and(|next| !is_assistant(next) && !has_results(next)) {
                insert_done(work, turn + 1);
            }
        }
        turn += 1;
        work.reattach_after(&mut detached_turns, turn);
    }
}

/// Whether a non-assistant message follows the results, or other content is next to them.
fn has_user_text_at_results(work: &Work<'_>, turn: usize) -> bool {
    let (this, next) = (&work.turns()[turn], work.turns().get(turn + 1));
    has_results(this)
        && (next.is_some_and(|next| !is_assistant(next) && !has_results(next))
            || this.blocks.iter().any(|block| !is_result(block)))
}

fn has_results(turn: &Turn) -> bool {
    turn.role == Role::User && turn.blocks.iter().any(|block| is_result(block))
}

/// Consecutive user turns are encoded with their results first, so they are reordered here.
fn move_results_first(work: &mut Work<'_>) {
    let mut removed = Vec::new();
    let mut start = 0;
    while start < work.turns().len() {
        let rest = &work.turns()[start..];
        let run = rest.iter().take_while(|turn| turn.role == Role::User).count();
        let (end, late) = late_results(&rest[..run], start);
        if !late.is_empty() {
            let moved = work.take_blocks(&late).into_iter().map(|result| (end.1, result));
            work.insert_blocks(end.0, moved.collect());
            // A turn is empty once its results are moved.
            let mut emptied: Vec<usize> = late.into_iter().map(|(turn, _)| turn).collect();
            emptied.dedup();
            removed.extend(emptied.into_iter().filter(|turn| work.blocks(*turn).is_empty()));
        }
        start += run + 1;
    }
    work.remove_turns(&removed);
}

/// The end of the leading results in consecutive user turns, and the results after other content.
fn late_results(run: &[Verbatim<Turn>], start: usize) -> (BlockPos, Vec<BlockPos>) {
    let (mut end, mut has_content) = ((start, 0), false);
    let mut late = Vec::new();
    for (turn_index, turn) in (start..).zip(run) {
        for (block_index, block) in turn.blocks.iter().enumerate() {
            match (is_result(block), has_content) {
                (false, _) => has_content = true,
                (true, true) => late.push((turn_index, block_index)),
                (true, false) => end = (turn_index, block_index + 1),
            }
        }
        // An empty turn counts as content.
        has_content |= turn.blocks.is_empty();
    }
    (end, late)
}

/// Moves user content next to results into a separate turn.
fn split_user_text(work: &mut Work<'_>, turn: usize) {
    let blocks = work.blocks(turn).iter().enumerate();
    let user_content: Vec<BlockPos> =
        blocks.filter(|(_, block)| !is_result(block)).map(|(at, _)| (turn, at)).collect();
    if user_content.is_empty() {
        return;
    }
    work.insert_turn(turn + 1, Turn::new(Role::User));
    work.record_change(
        LedgerPath::turn(turn + 1),
        "moved user content next to results into a separate turn",
    );
    let moved = work.take_blocks(&user_content).into_iter().map(|block| (0, block));
    work.insert_blocks(turn + 1, moved.collect());
}

fn insert_done(work: &mut Work<'_>, at: usize) {
    let mut turn = Turn::new(Role::Assistant);
    turn.blocks.push(Block::text(JsonString::from_static(DONE_TEXT)).into());
    work.insert_turn(at, turn);
    work.record_change(
        LedgerPath::turn(at),
        "inserted an assistant turn between the results and the user",
    );
}

const DONE_TEXT: &str = "Done.";
