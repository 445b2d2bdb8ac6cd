//! An empty text between two blocks of reasoning stays, as a blank.
//!
//! A model that reasons in several steps gives a blank text between them, and its signatures count it:
//! without it the reasoning after it stands in another place. Clients trim it to an empty text, which
//! is refused, or leave it out, which is refused as well. A blank is what is taken at present. Where
//! the reasoning around it is gone, the blank goes too.
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

use interlingua_model::{Body, Place};
use interlingua_wire::Text;

use super::empty_text::leave_out;
use crate::Work;
use crate::look::{is_assistants, words};
use crate::profile::texts::Least;

pub fn apply(work: &mut Work<'_>) {
    if work.profile.texts.least == Least::Nothing {
        return;
    }
    for turn in 0..work.turns().len() {
        let mut block = work.blocks(turn).len();
        while block > 0 {
            block -= 1;
            if work.is_refused(work.block(turn, block)) && work.blocks(turn).len() > 1 {
                decide(work, turn, block);
            }
        }
    }
}

fn decide(work: &mut Work<'_>, turn: usize, block: usize) {
    let stands = work.profile.texts.blank_between_reasoning
        && is_assistants(&work.turns()[turn])
        && work.is_between_reasoning(turn, block);
    if !stands {
        return leave_out(work, turn, block);
    }
    if words(work.block(turn, block)).is_some_and(Text::is_empty) {
        let blank = Text::word(" ");
        let edited = work.edit(turn, block);
        edited.body = Body::Text { text: blank, citations: Vec::new() };
        edited.cache = None;
        let what = "an empty text between two blocks of reasoning is sent as a blank";
        work.change(Place::block(turn, block), what);
    }
}
