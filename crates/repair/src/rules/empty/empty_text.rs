//! Removes empty texts that the target rejects.
//!
//! An empty text has no meaning, and many providers reject it; once it is in the history, each
//! later request is rejected as well. Its cache breakpoint moves to the block before. An empty text
//! between two reasoning blocks is left to `blank-between-reasoning`, and a turn with nothing else
//! to `empty-turn`. A block that lost its text on the way keeps its position if reasoning comes
//! before it: the signatures after it depend on that position.
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

use interlingua_providers::profile::texts::TextMinimum;

use crate::edit::empty_texts::{note_removal, remove_noted};
use crate::engine::{Removals, Work};

pub(super) fn apply(work: &mut Work<'_>) {
    let texts = &work.profile.texts;
    if texts.min_text == TextMinimum::Empty || texts.checks_whole_message && work.is_same_dialect()
    {
        return;
    }
    for turn in 0..work.turns().len() {
        let mut removals = Removals::default();
        let mut remaining = work.blocks(turn).len();
        for block in (0..remaining).rev() {
            if remaining > 1
                && work.is_text_rejected_at(turn, block)
                && !work.is_between_reasoning(turn, block, removals.next_kept_after(block))
            {
                note_removal(work, turn, block);
                removals.push(block);
                remaining -= 1;
            }
        }
        remove_noted(work, turn, removals);
    }
}
