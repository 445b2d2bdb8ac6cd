//! The words that the model is to go on with do not end in white space.
//!
//! Only the last text of the assistant's turn at the end is shortened. If nothing is left of it, there is
//! nothing to go on with, and the turn goes. Where instructions behind it are said by the user, it is
//! not the last.
//!
//! ## Why
//! > messages: final assistant content cannot end with trailing whitespace
//!
//! ## Example
//! ```text
//! before   user: "x"   assistant: "Say: "
//! after    user: "x"   assistant: "Say:"
//! ```

use interlingua_model::{Body, Place};
use interlingua_wire::Text;

use crate::Work;
use crate::look::{is_assistants, words};
use crate::profile::roles::Last;

pub fn apply(work: &mut Work<'_>) {
    if work.profile.roles.last != Last::PrefillUnlessThinking {
        return;
    }
    let Some(turn) = work.last_speaker().filter(|turn| is_assistants(&work.turns()[*turn])) else {
        return;
    };
    let reminds = |turn: usize| work.is_reminder(turn) && work.is_spoken(&work.turns()[turn]);
    if (turn + 1..work.turns().len()).any(reminds) {
        return;
    }
    let Some(block) = work.blocks(turn).iter().rposition(|block| work.is_said(block)) else {
        return;
    };
    let Some(text) = words(work.block(turn, block)) else { return };
    let contents = text.contents();
    let short = contents.trim_end();
    if short.len() == contents.len() {
        return;
    }
    let short = Text::new(short);
    work.change(Place::block(turn, block), "the white space at the end of the last words goes");
    let edited = work.edit(turn, block);
    match &mut edited.body {
        Body::Text { text, .. } | Body::Refusal(text) => *text = short,
        _ => {}
    }
}
