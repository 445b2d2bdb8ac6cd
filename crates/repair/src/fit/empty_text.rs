//! Empty texts are left out where the target refuses them.
//!
//! A text without a word says nothing, and many providers refuse it; once it is in the history, each
//! later request is refused as well. Its cache mark goes to the block before it. What is empty between
//! two blocks of reasoning is left to `blank-between-reasoning`, and a turn that holds nothing else to
//! `empty-turn`. A block that was never empty, but lost what was said in it on its way, keeps its place
//! where the model has thought: the signatures after it count it.
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

use interlingua_model::{Body, Place, Role, Section};
use interlingua_wire::Text;

use crate::mend::unanswered_call;
use crate::profile::texts::Least;
use crate::work::many::Going;
use crate::{Work, thoughts};

pub fn apply(work: &mut Work<'_>) {
    let texts = &work.profile.texts;
    if texts.least == Least::Nothing || texts.as_a_whole && work.is_own() {
        return;
    }
    for turn in 0..work.turns().len() {
        let mut gone = Going::default();
        let mut left = work.blocks(turn).len();
        for block in (0..left).rev() {
            if left > 1
                && work.is_refused(work.block(turn, block))
                && !work.is_between_reasoning(turn, block, gone.behind(block))
            {
                note(work, turn, block);
                gone.push(block);
                left -= 1;
            }
        }
        leave_out(work, turn, gone);
    }
}

/// Takes empty texts away that were noted.
pub(super) fn leave_out(work: &mut Work<'_>, turn: usize, gone: Going) {
    let gone = gone.into_places();
    if !gone.is_empty() {
        work.remove_blocks(turn, &gone);
        unanswered_call::keep_word(work, turn);
    }
}

/// An empty text is about to go.
pub(super) fn note(work: &mut Work<'_>, turn: usize, block: usize) {
    let place = Place::block(turn, block);
    if work.block(turn, block).seal.is_some() {
        work.loss(place, "left out an empty text and the signature on it");
    } else {
        work.change(place, "left out an empty text");
    }
    if work.hand_on(turn, block) {
        work.loss(
            Place::turn(turn),
            "left out the cache mark of an empty text: nothing stands before it",
        );
    }
}

/// Puts a word into what the model said here, if that was lost where the model has thought.
pub(crate) fn hold_place(work: &mut Work<'_>, place: Place) {
    let (Some(turn), Some(at)) = (place.index, place.block) else { return };
    let (turn, at) = (turn as usize, at as usize);
    let Some(this) = work.turns().get(turn) else { return };
    let is_lost = place.section == Section::Turns
        && this.role == Role::Assistant
        && this.blocks.get(at).and_then(|block| block.body.as_text()).is_some_and(Text::is_empty);
    let mut thoughts = work.turns()[..=turn].iter().flat_map(|turn| &turn.blocks);
    if is_lost && thoughts.any(|block| thoughts::is_thinking(block)) {
        work.begin("empty-text");
        work.change(place, "a text that lost its words keeps its place among thoughts");
        let text = Text::word(LOST);
        work.edit(turn, at).body = Body::Text { text, citations: Vec::new() };
    }
}

const LOST: &str = "(lost text)";
