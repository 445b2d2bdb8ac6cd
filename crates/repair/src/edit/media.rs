//! Edits media, replaces them by notes, and moves them out of tool results.

use interlingua_model::{Block, BlockContent, Media, MediaSource, Role, Turn, Verbatim};
use interlingua_wire::JsonString;

use crate::engine::{DetachedBlock, Work};
use crate::query::media::{self, MediaPos, block, kind_name};
use crate::values::block::is_result;

/// Edits the block at this position.
pub(crate) fn edit_block(
    work: &mut Work<'_>,
    media_pos: &MediaPos,
    change: impl FnOnce(&mut Block),
) {
    let outer = match media_pos.turn {
        Some(turn) => work.edit_block(turn, media_pos.block),
        None => work.edit_system()[media_pos.block].edit(),
    };
    edit_nested(outer, &media_pos.path, change);
}

fn edit_nested(block: &mut Block, path: &[usize], change: impl FnOnce(&mut Block)) {
    let Some((at, path)) = path.split_first() else { return change(block) };
    let nested = match &mut block.content {
        BlockContent::ToolResult(result) => &mut result.content,
        BlockContent::Media(media) => match &mut media.source {
            MediaSource::Blocks(blocks) => blocks,
            _ => return,
        },
        _ => return,
    };
    edit_nested(nested[*at].edit(), path, change);
}

/// Edits the media at this position.
pub(crate) fn edit_media(
    work: &mut Work<'_>,
    media_pos: &MediaPos,
    change: impl FnOnce(&mut Media),
) {
    edit_block(work, media_pos, |block| {
        if let BlockContent::Media(media) = &mut block.content {
            change(media);
        }
    });
}

/// Replaces media by a note and records the loss.
pub(crate) fn replace_with_note(work: &mut Work<'_>, media_pos: &MediaPos, reason: &str) {
    let Some(media) = media::media(work, media_pos) else { return };
    let noun = kind_name(media.kind);
    let text = match &media.name {
        Some(name) if !name.is_empty() => format!("[{noun} `{name}` omitted: {reason}]"),
        _ => format!("[{noun} omitted: {reason}]"),
    };
    work.record_loss(media_pos.ledger_path(), format!("left out the {noun}: {reason}"));
    replace_with_text(work, media_pos, JsonString::new(&text));
}

/// Replaces media by a text and keeps the cache breakpoint.
pub(crate) fn replace_with_text(work: &mut Work<'_>, media_pos: &MediaPos, text: JsonString) {
    edit_block(work, media_pos, |block| {
        let cache = block.cache_breakpoint.take();
        *block = Block { cache_breakpoint: cache, ..Block::text(text) };
    });
}

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
