//! Empty texts are left out where the target refuses them.
//!
//! A text without a word says nothing, and many providers refuse it; once it is in the history, each
//! later request is refused as well. Its cache mark goes to the block before it. What is empty between
//! two blocks of reasoning is left to `blank-between-reasoning`, and a turn that holds nothing else to
//! `empty-turn`.
//!
//! ## Why
//! > messages: text content blocks must be non-empty
//!
//! > messages: text content blocks must contain non-whitespace text
//!
//! > The text field in the ContentBlock object at messages.0.content.1 is blank. Add text to the text
//! > field, and try again.
//!
//! > GenerateContentRequest.contents\[1\].parts\[0\].data: required oneof field 'data' must have one
//! > initialized field
//!
//! ## Example
//! ```text
//! before   user: "", "go on"
//! after    user: "go on"
//! ```

use interlingua_model::Place;

use crate::Work;
use crate::mend::unanswered_call;
use crate::profile::texts::Least;

pub fn apply(work: &mut Work<'_>) {
    if work.profile.texts.least == Least::Nothing {
        return;
    }
    for turn in 0..work.turns().len() {
        let mut block = work.blocks(turn).len();
        while block > 0 {
            block -= 1;
            if is_superfluous(work, turn, block) {
                leave_out(work, turn, block);
            }
        }
    }
}

fn is_superfluous(work: &Work<'_>, turn: usize, block: usize) -> bool {
    work.is_refused(work.block(turn, block))
        && work.blocks(turn).len() > 1
        && !work.is_between_reasoning(turn, block)
}

/// Takes an empty text away.
pub(super) fn leave_out(work: &mut Work<'_>, turn: usize, block: usize) {
    let place = Place::block(turn, block);
    if work.block(turn, block).seal.is_some() {
        work.loss(place, "left out an empty text and the signature on it");
    } else {
        work.change(place, "left out an empty text");
    }
    if work.remove_and_hand_on(turn, block) {
        work.loss(
            Place::turn(turn),
            "left out the cache mark of an empty text: nothing stands before it",
        );
    }
    unanswered_call::keep_word(work, turn);
}
