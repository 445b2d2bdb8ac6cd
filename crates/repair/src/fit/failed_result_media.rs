//! A result that failed holds text; media in it follow the results.
//!
//! ## Why
//! > all content must be type "text" if "is_error" is true
//!
//! ## Example
//! ```text
//! before   user: result 1 (error) "cut off", an image
//! after    user: result 1 (error) "cut off", "[image 1 follows]"; "[image 1 of the failed result 1]", the image
//! ```

use interlingua_model::{Block, Body, Place, Verbatim};
use interlingua_wire::Text;

use crate::Work;
use crate::look::is_result;
use crate::media::follow::last_of_results;
use crate::media::noun;

pub fn apply(work: &mut Work<'_>) {
    if work.profile.media.failed_media {
        return;
    }
    for turn in 0..work.turns().len() {
        let mut follow = Vec::new();
        for at in 0..work.blocks(turn).len() {
            let Body::ToolResult(result) = &work.block(turn, at).body else { continue };
            if !result.is_error || result.content.iter().all(|block| is_text(block)) {
                continue;
            }
            let what = "what is not text in a failed result follows the results";
            work.change(Place::block(turn, at), what);
            if let Body::ToolResult(result) = &mut work.edit(turn, at).body {
                let call = result.call.clone();
                for block in &mut result.content {
                    part(block, &call, at, &mut follow);
                }
            }
        }
        let home = last_of_results(work, turn);
        let results = work.blocks(home).iter().rposition(|block| is_result(block));
        for (at, (of, block)) in (results.map_or(0, |at| at + 1)..).zip(follow) {
            work.part((turn, of), (home, at), block);
        }
    }
}

fn is_text(block: &Block) -> bool {
    match &block.body {
        Body::Text { .. } | Body::Refusal(_) | Body::Data(_) => true,
        Body::Media(_)
        | Body::Thinking(_)
        | Body::ToolCall(_)
        | Body::ToolResult(_)
        | Body::Foreign { .. } => false,
    }
}

/// Takes media out of the result at a place; whatever else is no text is said as its text.
fn part(block: &mut Verbatim<Block>, call: &Text, at: usize, follow: &mut Vec<(usize, Block)>) {
    match &block.body {
        Body::Media(media) => {
            let noun = noun(media.kind);
            let number = follow.len() / 2 + 1;
            let words = format!("[{noun} {number} follows]");
            let moved = std::mem::replace(block, Block::text(Text::new(&words)).into());
            let words = format!("[{noun} {number} of the failed result {call}]");
            follow.extend([(at, Block::text(Text::new(&words))), (at, moved.into_value())]);
        }
        Body::Foreign { json, .. } => {
            let words = Text::new(json.as_str());
            *block = Block::text(words).into();
        }
        Body::Text { .. }
        | Body::Refusal(_)
        | Body::Data(_)
        | Body::Thinking(_)
        | Body::ToolCall(_)
        | Body::ToolResult(_) => {}
    }
}
