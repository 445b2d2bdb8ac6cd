//! An empty text between two blocks of reasoning stays, as a blank.
//!
//! A model that reasons in several steps gives a blank text between them, and its signatures count it:
//! without it the reasoning after it stands in another place. Clients trim it to an empty text, which
//! is refused, or leave it out, which is refused as well. A blank is what is taken at present. Providers
//! have changed their minds about it: where one refuses the blank, it is left out, or stays as it came,
//! or the reasoning around it goes, whichever that provider was seen to take. Where the reasoning around
//! it is gone, the blank goes too.
//!
//! ## Why
//! > messages.1.content.2: `thinking` or `redacted_thinking` blocks in the latest assistant message
//! > cannot be modified. These blocks must remain as they were in the original response.
//!
//! > messages: text content blocks must be non-empty
//!
//! ## Example
//! ```text
//! before   assistant: reasoning, "", reasoning, "the answer"
//! after    assistant: reasoning, " ", reasoning, "the answer"
//! ```

use interlingua_model::{Body, EmptyText, Place};
use interlingua_wire::Text;

use super::empty_text::{leave_out, note};
use crate::look::{is_assistants, words};
use crate::profile::texts::Least;
use crate::work::many::Going;
use crate::{Work, thoughts};

pub fn apply(work: &mut Work<'_>) {
    let texts = &work.profile.texts;
    if texts.least == Least::Nothing || texts.as_a_whole && work.is_own() {
        return;
    }
    for turn in (0..work.turns().len()).rev() {
        if mend(work, turn) {
            thoughts::leave_out(work, turn..turn + 1, |_, _, _| {
                Some("left out reasoning around an empty text: neither is taken".to_owned())
            });
            // Of the other empty texts, none is between reasoning now.
            if turn < work.turns().len() {
                mend(work, turn);
            }
        }
    }
}

/// Looks at the empty texts of a turn, from the last to the first; whether one was found that goes with the
/// reasoning around it.
fn mend(work: &mut Work<'_>, turn: usize) -> bool {
    let assistants = is_assistants(&work.turns()[turn]);
    let mut gone = Going::default();
    let mut left = work.blocks(turn).len();
    let mut strips = false;
    for block in (0..left).rev() {
        if left <= 1 || !work.is_refused(work.block(turn, block)) {
            continue;
        }
        let next = gone.behind(block);
        let stands = assistants && work.is_between_reasoning(turn, block, next);
        match work.profile.texts.between_reasoning {
            EmptyText::Keep if stands => continue,
            EmptyText::Space if stands => {
                blank(work, turn, block);
                continue;
            }
            EmptyText::Drop | EmptyText::Keep | EmptyText::Space | EmptyText::Strip => {}
        }
        note(work, turn, block);
        gone.push(block);
        left -= 1;
        strips = stands && work.profile.texts.between_reasoning == EmptyText::Strip;
        if strips {
            break;
        }
    }
    leave_out(work, turn, gone);
    strips
}

fn blank(work: &mut Work<'_>, turn: usize, block: usize) {
    if words(work.block(turn, block)).is_some_and(Text::is_empty) {
        let blank = Text::word(" ");
        let edited = work.edit(turn, block);
        edited.body = Body::Text { text: blank, citations: Vec::new() };
        edited.cache = None;
        let what = "an empty text between two blocks of reasoning is sent as a blank";
        work.change(Place::block(turn, block), what);
    }
}
