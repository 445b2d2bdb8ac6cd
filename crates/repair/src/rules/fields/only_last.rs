//! Removes items that may only be the last one where another item follows.
//!
//! A client that requests compaction appends an item for it. Once the conversation continues, the
//! item is in the middle and has no effect any more.
//!
//! ## Why
//! > Invalid 'input\[0\]': 'compaction_trigger' must be the last item of the input.
//!
//! ## Example
//! ```text
//! before   user: "hi"   compaction trigger   user: "go on"
//! after    user: "hi"                        user: "go on"
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath, Verbatim};

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    let kinds = work.profile.fields.last_turn_kinds;
    if kinds.is_empty() || !work.is_same_dialect() {
        return;
    }
    let is_last_only = |block: &Verbatim<Block>| matches!(&block.content, BlockContent::Foreign { kind, .. } if kinds.iter().any(|last_kind| kind == last_kind));
    let earlier_turns = 0..work.turns().len().saturating_sub(1);
    let removed: Vec<usize> =
        earlier_turns.filter(|turn| work.blocks(*turn).iter().any(is_last_only)).collect();
    for turn in removed.iter().rev() {
        let message = "left out an item that may only be the last one: another item follows";
        work.record_loss(LedgerPath::turn(*turn), message);
    }
    work.remove_turns(&removed);
}
