//! Removes items that are only referenced by id where the provider stores nothing.
//!
//! Only a provider that stored an item can find it by its id; the same holds for reasoning without
//! its contents. Reasoning of another provider's model, which got its id on the way to the client,
//! is stored by no provider.
//!
//! This rule runs after calls are paired, so that no result is matched to an earlier call; a call
//! that was only referenced is gone, and its result becomes user text.
//!
//! ## Why
//! > Item with id 'rs_9' not found. Items are not persisted when `store` is set to false. Try again with
//! > `store` set to true, or remove this item from your input.
//!
//! ## Example
//! ```text
//! before   store: false   reasoning rs_9 without contents, "done"
//! after    store: false   "done"
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath, Verbatim, is_checksummed_id};

use crate::edit::remove_reasoning;
use crate::engine::Work;
use crate::query::continued::{ITEM_REFERENCE, is_stateless};
use crate::values::block::{is_sealed, item_id};

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.profile.reasoning.is_item {
        return;
    }
    let all = 0..work.turns().len();
    if !is_stateless(work) {
        remove_reasoning::remove_reasoning(work, all, |work, turn, at| {
            let block = work.block(turn, at);
            let id = item_id(block, work.profile.dialect)?;
            let is_unavailable = is_checksummed_id(&id) && !is_sealed(block);
            is_unavailable.then(|| {
                "left out reasoning that is only referenced: no provider has it".to_owned()
            })
        });
        return;
    }
    remove_reasoning::remove_reasoning(work, all, |work, turn, at| {
        let block = work.block(turn, at);
        let has_id = item_id(block, work.profile.dialect).is_some();
        let is_unavailable = !is_sealed(block) && (has_id || !work.is_same_dialect());
        is_unavailable.then(|| {
            "left out reasoning that is only referenced: the provider stores nothing".to_owned()
        })
    });
    let dialect = work.profile.dialect;
    let is_reference = |block: &Verbatim<Block>| {
        matches!(&block.content, BlockContent::Foreign { kind, .. } if kind == ITEM_REFERENCE)
            && item_id(block, dialect).is_some()
    };
    let all = 0..work.turns().len();
    let removed: Vec<usize> =
        all.filter(|turn| work.blocks(*turn).iter().any(is_reference)).collect();
    for turn in removed.iter().rev() {
        work.record_loss(
            LedgerPath::turn(*turn),
            "left out an item that is only referenced: the provider stores nothing",
        );
    }
    work.remove_turns(&removed);
}
