//! Moves reasoning from a field that the target rejects to one that it has.
//!
//! Servers of one dialect use different fields for reasoning, and some reject the fields of others.
//!
//! ## Why
//! > 'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property
//! > 'reasoning_content' is unsupported)]
//!
//! > Extra inputs are not permitted
//!
//! ## Example
//! ```text
//! before   assistant: reasoning in `reasoning_content`, "done"
//! after    assistant: reasoning in the content, "done"
//! ```

use interlingua_model::LedgerPath;

use crate::engine::Work;
use crate::values::block::{is_reasoning_block, is_reasoning_or_entry};

pub(super) fn apply(work: &mut Work<'_>) {
    let rejected_fields = work.profile.reasoning.rejected_fields;
    if rejected_fields.is_empty() || !work.is_same_dialect() {
        return;
    }
    let dialect = work.profile.dialect;
    for turn in 0..work.turns().len() {
        let this = &work.turns()[turn];
        if !this.blocks.iter().any(|block| is_reasoning_block(block)) {
            continue;
        }
        let Some(text) = this.text_for(dialect) else { continue };
        let doc = text.to_doc();
        let found = rejected_fields.iter().find(|field| doc.root().get(field).is_some());
        if let Some(field) = found {
            work.discard_turn_text(turn);
            work.record_change(
                LedgerPath::turn(turn),
                format!("moved reasoning out of `{field}`: the target does not know it"),
            );
            if work.profile.texts.reasoning_in_content {
                remove_unencodable(work, turn);
            }
        }
    }
}

/// Removes reasoning without text for the content.
fn remove_unencodable(work: &mut Work<'_>, turn: usize) {
    work.remove_blocks_where(turn, |work, at| {
        let block = work.block(turn, at);
        let is_removed = is_reasoning_or_entry(block) && !work.is_encoded(block);
        if is_removed {
            work.record_loss(LedgerPath::block(turn, at), "left out reasoning without text");
        }
        is_removed
    });
}
