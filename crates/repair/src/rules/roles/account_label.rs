//! Removes a billing label of another provider from the instructions.
//!
//! Some agents put a billing line for one provider before their instructions. It changes with each
//! request, so the prompt prefix never matches a cache of another provider, and it means nothing to
//! a model.
//!
//! ## Why
//! The line counts requests: every prompt has another prefix, and the provider's cache never hits.
//!
//! ## Example
//! ```text
//! before   system: "x-anthropic-billing-header: cch=71fea;", "You are an agent"
//! after    system: "You are an agent"
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath};
use interlingua_wire::JsonString;

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    // In the same dialect the label is meant for the target.
    if work.is_same_dialect() {
        return;
    }
    let prefixes = work.profile.fields.billing_prefixes;
    let is_label = |text: &JsonString| prefixes.iter().any(|prefix| text.raw().starts_with(prefix));
    let has_label =
        |block: &Block| matches!(&block.content, BlockContent::Text { text, .. } if is_label(text));
    work.remove_system_where(|work, at| {
        let is_removed = has_label(&work.conversation().system[at]);
        if is_removed {
            work.record_loss(LedgerPath::system(at), LABEL_REMOVED);
        }
        is_removed
    });
    // Instructions among the turns, before the first user or assistant turn.
    let mut emptied_turns = Vec::new();
    for turn in 0..work.leading_instructions() {
        work.remove_blocks_where(turn, |work, at| {
            let is_removed = has_label(work.block(turn, at));
            if is_removed {
                work.record_loss(LedgerPath::block(turn, at), LABEL_REMOVED);
            }
            is_removed
        });
        if work.blocks(turn).is_empty() {
            emptied_turns.push(turn);
        }
    }
    work.remove_turns(&emptied_turns);
}

const LABEL_REMOVED: &str = "left out a billing label of another provider";
