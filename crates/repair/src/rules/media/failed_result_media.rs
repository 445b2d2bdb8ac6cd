//! Moves media out of failed tool results, to a position after the results.
//!
//! ## Why
//! > all content must be type "text" if "is_error" is true
//!
//! ## Example
//! ```text
//! before   user: result 1 (error) "cut off", an image
//! after    user: result 1 (error) "cut off", "[image 1 follows]"; "[image 1 of the failed result 1]", the image
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath, Verbatim};
use interlingua_wire::JsonString;

use crate::edit::media::result_run_ends;
use crate::engine::Work;
use crate::query::media::kind_name;
use crate::values::block::is_result;

pub(super) fn apply(work: &mut Work<'_>) {
    if work.profile.media.media_in_failed_results {
        return;
    }
    let mut run_ends = None;
    for turn in 0..work.turns().len() {
        let mut moved = Vec::new();
        for at in 0..work.blocks(turn).len() {
            let BlockContent::ToolResult(result) = &work.block(turn, at).content else { continue };
            if !result.is_error || result.content.iter().all(|block| is_text(block)) {
                continue;
            }
            let message = "moved media out of a failed result to a position after the results";
            work.record_change(LedgerPath::block(turn, at), message);
            if let BlockContent::ToolResult(result) = &mut work.edit_block(turn, at).content {
                let call = result.call_id.clone();
                for block in &mut result.content {
                    take_media(block, &call, at, &mut moved);
                }
            }
        }
        if moved.is_empty() {
            continue;
        }
        let target = run_ends.get_or_insert_with(|| result_run_ends(work.turns()))[turn];
        let results = work.blocks(target).iter().rposition(|block| is_result(block));
        let at = results.map_or(0, |at| at + 1);
        let moved = moved.into_iter();
        let moved = moved.map(|(source, block)| (at, work.derive_block((turn, source), block)));
        let moved = moved.collect();
        work.insert_blocks(target, moved);
    }
}

fn is_text(block: &Block) -> bool {
    match &block.content {
        BlockContent::Text { .. } | BlockContent::Refusal(_) | BlockContent::Json(_) => true,
        BlockContent::Media(_)
        | BlockContent::Reasoning(_)
        | BlockContent::ToolCall(_)
        | BlockContent::ToolResult(_)
        | BlockContent::Foreign { .. } => false,
    }
}

/// Takes media out of a result's content; other blocks that are no text become text.
fn take_media(
    block: &mut Verbatim<Block>,
    call: &JsonString,
    at: usize,
    moved: &mut Vec<(usize, Block)>,
) {
    match &block.content {
        BlockContent::Media(media) => {
            let noun = kind_name(media.kind);
            let number = moved.len() / 2 + 1;
            let note = format!("[{noun} {number} follows]");
            let media_block = std::mem::replace(block, Block::text(JsonString::new(&note)).into());
            let note = format!("[{noun} {number} of the failed result {call}]");
            moved.extend([
                (at, Block::text(JsonString::new(&note))),
                (at, media_block.into_value()),
            ]);
        }
        BlockContent::Foreign { json, .. } => {
            let note = JsonString::new(json.as_str());
            *block = Block::text(note).into();
        }
        BlockContent::Text { .. }
        | BlockContent::Refusal(_)
        | BlockContent::Json(_)
        | BlockContent::Reasoning(_)
        | BlockContent::ToolCall(_)
        | BlockContent::ToolResult(_) => {}
    }
}
