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

use interlingua_model::{BlockContent, LedgerPath, LedgerSection, Role};
use interlingua_wire::JsonString;

use crate::Work;
use crate::mend::unanswered_call;
use crate::profile::texts::TextMinimum;
use crate::work::many::Removals;

pub fn apply(work: &mut Work<'_>) {
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
                && work.is_text_rejected(work.block(turn, block))
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

/// Removes empty texts that `note_removal` has recorded.
pub(super) fn remove_noted(work: &mut Work<'_>, turn: usize, removals: Removals) {
    let removed = removals.into_indices();
    if !removed.is_empty() {
        work.remove_blocks(turn, &removed);
        unanswered_call::keep_user_turn(work, turn);
    }
}

/// Records the removal of an empty text.
pub(super) fn note_removal(work: &mut Work<'_>, turn: usize, block: usize) {
    let path = LedgerPath::block(turn, block);
    if work.block(turn, block).seal.is_some() {
        work.record_loss(path, "left out an empty text and the signature on it");
    } else {
        work.record_change(path, "left out an empty text");
    }
    if work.pass_cache_breakpoint_back(turn, block) {
        work.record_loss(
            LedgerPath::turn(turn),
            "left out the cache breakpoint of an empty text: no block before it",
        );
    }
}

/// Puts a placeholder into an assistant text that was lost, if reasoning comes before it.
pub(crate) fn fill_lost_text(
    work: &mut Work<'_>,
    path: LedgerPath,
    first_reasoning: Option<usize>,
) {
    let (Some(turn), Some(at)) = (path.index, path.block) else { return };
    let (turn, at) = (turn as usize, at as usize);
    let Some(this) = work.turns().get(turn) else { return };
    let is_lost = path.section == LedgerSection::Turns
        && this.role == Role::Assistant
        && this
            .blocks
            .get(at)
            .and_then(|block| block.content.as_text())
            .is_some_and(JsonString::is_empty);
    if is_lost && first_reasoning.is_some_and(|first| first <= turn) {
        work.set_rule("empty-text");
        work.record_change(
            path,
            "a placeholder keeps the position of a lost text among reasoning blocks",
        );
        let text = JsonString::from_static(LOST_TEXT);
        work.edit_block(turn, at).content = BlockContent::Text { text, citations: Vec::new() };
    }
}

const LOST_TEXT: &str = "(lost text)";
