//! Moves media out of tool results into a user turn behind them.

use interlingua_model::{Block, BlockContent, Role, Turn};
use interlingua_wire::JsonString;

use super::{MediaPos, block, edit_block, kind_name};
use crate::Work;
use crate::look::is_result;

/// Moves media out of results; the positions are sorted.
pub(crate) fn move_out_of_results(work: &mut Work<'_>, positions: &[MediaPos]) {
    let target_turn = |work: &Work<'_>, media_pos: &MediaPos| {
        media_pos.turn.map(|turn| last_result_turn(work, turn))
    };
    // From last to first, so that the inserted turn moves no position that is still needed.
    let mut rest = positions;
    while let Some(last) = rest.last() {
        let Some(at) = target_turn(work, last) else { return };
        let first = rest.iter().rposition(|media_pos| target_turn(work, media_pos) != Some(at));
        let (before, group) = rest.split_at(first.map_or(0, |first| first + 1));
        work.insert_turn(at + 1, Turn::new(Role::User));
        for (index, media_pos) in (1..).zip(group) {
            move_one(work, media_pos, index, at + 1);
        }
        rest = before;
    }
}

/// The last turn of the run of turns that begin with results: results must stay adjacent.
pub(crate) fn last_result_turn(work: &Work<'_>, turn: usize) -> usize {
    let following = work.turns()[turn + 1..].iter().take_while(|next| {
        next.role == Role::User && next.blocks.first().is_some_and(|block| is_result(block))
    });
    turn + following.count()
}

/// Moves one medium to the end of a turn, with texts that refer to each other.
fn move_one(work: &mut Work<'_>, media_pos: &MediaPos, number: usize, target_turn: usize) {
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
    for block in [Some(caption), moved].into_iter().flatten() {
        let at = work.blocks(target_turn).len();
        work.insert_derived((turn, media_pos.block), (target_turn, at), block);
    }
}
