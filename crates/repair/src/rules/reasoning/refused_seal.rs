//! Removes reasoning and seals that the target has rejected before.
//!
//! A provider may reject a signature that looks valid: another account made it, or a client changed
//! something before it that the signature covers. The request is then sent without that reasoning,
//! and a lesson records its seals, so that the same turns are sent in the same way from then on.
//! Other conversations and later reasoning are not affected.
//!
//! ## Why
//! > messages.1.content.0: Invalid `signature` in `thinking` block
//!
//! > messages.3.content.0: Invalid `signature` in `thinking` block. The block is bound to a different
//! > conversation.
//!
//! > The encrypted content gAAA... could not be verified.
//!
//! > Corrupted thought signature.
//!
//! ## Example
//! ```text
//! before   assistant: thinking with a seal that was rejected, "done"
//! after    assistant: "done"
//! ```

use interlingua_model::{Block, LedgerPath, Lesson};

use crate::edit::remove_reasoning;
use crate::engine::Work;
use crate::values::fingerprint::fingerprint;

pub(super) fn apply(work: &mut Work<'_>) {
    let seals = work.profile.lessons.iter().filter_map(|lesson| match lesson {
        Lesson::RejectedSeal(seal) => Some(*seal),
        _ => None,
    });
    let mut seals: Vec<u64> = seals.collect();
    if seals.is_empty() {
        return;
    }
    seals.sort_unstable();
    let is_rejected = |block: &Block| {
        let seal = block.seal.as_deref().filter(|seal| !seal.data.is_empty());
        seal.is_some_and(|seal| seals.binary_search(&fingerprint(&seal.data)).is_ok())
    };
    let all = 0..work.turns().len();
    remove_reasoning::remove_reasoning(work, all, |work, turn, at| {
        is_rejected(work.block(turn, at))
            .then(|| "left out reasoning that the target rejected before".to_owned())
    });
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            if is_rejected(work.block(turn, at)) {
                work.record_loss(
                    LedgerPath::block(turn, at),
                    "left out a seal that the target rejected before",
                );
                work.edit_block(turn, at).seal = None;
            }
        }
    }
}
