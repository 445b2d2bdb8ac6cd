//! Moves media out of tool results into a user turn behind them.

use interlingua_model::{Block, BlockContent, Role, Turn, Verbatim};
use interlingua_wire::JsonString;

use super::{MediaPos, block, edit_block, kind_name};
use crate::Work;
use crate::look::is_result;
use crate::work::many::DetachedBlock;

/// Moves media out of results; the positions are sorted.
pub(crate) fn move_out_of_results(work: &mut Work<'_>, positions: &[MediaPos]) {
    if positions.is_empty() {
        return;
    }
    let run_ends = result_run_ends(work.turns());
    let target_turn = |media_pos: &MediaPos| media_pos.turn.map(|turn| run_ends[turn]);
    let mut new_turns = Vec::new();
    for group in positions.chunk_by(|a, b| target_turn(a) == target_turn(b)).rev() {
        let Some(at) = group.first().and_then(target_turn) else { break };
        let mut moved = Vec::new();
        for (number, media_pos) in (1..).zip(group) {
            take_one(work, media_pos, number, &mut moved);
        }
        new_turns.push((at + 1, Role::User, moved));
    }
    new_turns.reverse();
    work.insert_turns(new_turns);
}

/// For each turn the last one of the run of turns that begin with results behind it: results must
/// stay adjacent.
pub(crate) fn result_run_ends(turns: &[Verbatim<Turn>]) -> Vec<usize> {
    let mut run_ends: Vec<usize> = (0..turns.len()).collect();
    for turn in (1..turns.len()).rev() {
        let begins_with_result = turns[turn].blocks.first().is_some_and(|block| is_result(block));
        if turns[turn].role == Role::User && begins_with_result {
            run_ends[turn - 1] = run_ends[turn];
        }
    }
    run_ends
}

/// Replaces one medium by a text, and adds it to the moved ones behind a text that refers to the
/// first.
fn take_one(
    work: &mut Work<'_>,
    media_pos: &MediaPos,
    number: usize,
    moved_blocks: &mut Vec<DetachedBlock>,
) {
    let Some(turn) = media_pos.turn else { return };
    let BlockContent::Media(media) = &block(work, media_pos).content else { return };
    let BlockContent::ToolResult(result) = &work.block(turn, media_pos.block).content else {
        return;
    };
    let (noun, call) = (kind_name(media.kind), result.name.as_ref().unwrap_or(&result.call_id));
    let notes = [
        format!("[{noun} {number} follows]"),
        format!("[{noun} {number} from the result of {call}]"),
    ];
    work.record_change(
        media_pos.ledger_path(),
        format!("moved the {noun} of a result after the results"),
    );
    let [note, caption] = notes.map(|notes| Block::text(JsonString::new(&notes)));
    let mut moved = None;
    edit_block(work, media_pos, |block| moved = Some(std::mem::replace(block, note)));
    let moved = [Some(caption), moved].into_iter().flatten();
    moved_blocks.extend(moved.map(|block| work.derive_block((turn, media_pos.block), block)));
}
