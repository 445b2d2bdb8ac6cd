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
                    part(block, &call, &mut follow);
                }
            }
        }
        let results = work.blocks(turn).iter().rposition(|block| is_result(block));
        for (at, block) in (results.map_or(0, |at| at + 1)..).zip(follow) {
            work.insert(turn, at, block);
        }
    }
}

fn is_result(block: &Block) -> bool {
    matches!(block.body, Body::ToolResult(_))
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

/// Takes media out of a result; whatever else is no text is said as its text.
fn part(block: &mut Verbatim<Block>, call: &Text, follow: &mut Vec<Block>) {
    match &block.body {
        Body::Media(media) => {
            let noun = noun(media.kind);
            let number = follow.len() / 2 + 1;
            let words = format!("[{noun} {number} follows]");
            let moved = std::mem::replace(block, Block::text(Text::new(&words)).into());
            let words = format!("[{noun} {number} of the failed result {call}]");
            follow.extend([Block::text(Text::new(&words)), moved.into_value()]);
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
