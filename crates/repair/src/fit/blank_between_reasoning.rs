//! Sends an empty text between two reasoning blocks as a blank.
//!
//! A model that reasons in several steps writes a blank text between them, and its signatures
//! depend on that position: without the text, the reasoning after it is in another position.
//! Clients trim the text to an empty one, which is rejected, or remove it, which is rejected as
//! well. A blank is accepted at present. Providers have changed this before: where one rejects the
//! blank, the text is removed, stays as it is, or is removed with the reasoning around it, as that
//! provider was seen to accept. Where the reasoning around the blank was removed, the blank is
//! removed too.
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

use interlingua_model::{BlockContent, EmptyTextHandling, LedgerPath};
use interlingua_wire::JsonString;

use super::empty_text::{note_removal, remove_noted};
use crate::look::{is_assistant, plain_text};
use crate::profile::texts::TextMinimum;
use crate::work::many::Removals;
use crate::{Work, thoughts};

pub fn apply(work: &mut Work<'_>) {
    let texts = &work.profile.texts;
    if texts.min_text == TextMinimum::Empty || texts.checks_whole_message && work.is_same_dialect()
    {
        return;
    }
    for turn in (0..work.turns().len()).rev() {
        if fix_turn(work, turn) {
            thoughts::remove_reasoning(work, turn..turn + 1, |_, _, _| {
                Some(
                    "left out reasoning around an empty text: the target accepts neither"
                        .to_owned(),
                )
            });
            // The remaining empty texts are no longer between reasoning.
            if turn < work.turns().len() {
                fix_turn(work, turn);
            }
        }
    }
}

/// Fixes the empty texts of a turn, from the last to the first. Returns whether one was removed for
/// which the reasoning around it must go too.
fn fix_turn(work: &mut Work<'_>, turn: usize) -> bool {
    let is_assistant_turn = is_assistant(&work.turns()[turn]);
    let mut removals = Removals::default();
    let mut remaining = work.blocks(turn).len();
    let mut strips_reasoning = false;
    for block in (0..remaining).rev() {
        if remaining <= 1 || !work.is_text_rejected(work.block(turn, block)) {
            continue;
        }
        let next = removals.next_kept_after(block);
        let is_between = is_assistant_turn && work.is_between_reasoning(turn, block, next);
        match work.profile.texts.empty_between_reasoning {
            EmptyTextHandling::Keep if is_between => continue,
            EmptyTextHandling::ReplaceWithSpace if is_between => {
                replace_with_blank(work, turn, block);
                continue;
            }
            EmptyTextHandling::Drop
            | EmptyTextHandling::Keep
            | EmptyTextHandling::ReplaceWithSpace
            | EmptyTextHandling::DropWithReasoning => {}
        }
        note_removal(work, turn, block);
        removals.push(block);
        remaining -= 1;
        strips_reasoning = is_between
            && work.profile.texts.empty_between_reasoning == EmptyTextHandling::DropWithReasoning;
        if strips_reasoning {
            break;
        }
    }
    remove_noted(work, turn, removals);
    strips_reasoning
}

fn replace_with_blank(work: &mut Work<'_>, turn: usize, block: usize) {
    if plain_text(work.block(turn, block)).is_some_and(JsonString::is_empty) {
        let blank = JsonString::from_static(" ");
        let edited = work.edit_block(turn, block);
        edited.content = BlockContent::Text { text: blank, citations: Vec::new() };
        edited.cache_breakpoint = None;
        let message = "an empty text between two reasoning blocks is sent as a blank";
        work.record_change(LedgerPath::block(turn, block), message);
    }
}
