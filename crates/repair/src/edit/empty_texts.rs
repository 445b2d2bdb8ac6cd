//! Removes empty texts and what depends on them: a cache breakpoint, or the reasoning around them.

use interlingua_model::{BlockContent, EmptyTextHandling, LedgerPath};
use interlingua_providers::profile::texts::TextMinimum;
use interlingua_wire::JsonString;

use crate::edit::{missing_results, remove_reasoning};
use crate::engine::{Removals, Work};
use crate::values::block::{is_assistant, plain_text};

/// Records the removal of an empty text.
pub(crate) fn note_removal(work: &mut Work<'_>, turn: usize, block: usize) {
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

/// Removes empty texts that `note_removal` has recorded.
pub(crate) fn remove_noted(work: &mut Work<'_>, turn: usize, removals: Removals) {
    let removed = removals.into_indices();
    if !removed.is_empty() {
        work.remove_blocks(turn, &removed);
        missing_results::keep_user_turn(work, turn);
    }
}

pub(crate) fn fix_between_reasoning(work: &mut Work<'_>) {
    let texts = &work.profile.texts;
    if texts.min_text == TextMinimum::Empty || texts.checks_whole_message && work.is_same_dialect()
    {
        return;
    }
    for turn in (0..work.turns().len()).rev() {
        if fix_turn(work, turn) {
            remove_reasoning::remove_reasoning(work, turn..turn + 1, |_, _, _| {
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
        if remaining <= 1 || !work.is_text_rejected_at(turn, block) {
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
