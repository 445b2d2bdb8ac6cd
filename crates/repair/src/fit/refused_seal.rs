//! Reasoning that the target has refused before is left out from then on.
//!
//! A provider may refuse a signature that looks right: another account made it, or a client changed
//! something before it that it is bound to. The request is then sent without that reasoning, and the seals
//! of it are remembered, so that the same turns leave in the same way from then on. Other conversations,
//! and what the model thinks later, are not touched.
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
//! before   assistant: thinking with a seal that was refused, "done"
//! after    assistant: "done"
//! ```

use interlingua_model::{Block, Lesson, Place};

use crate::fingerprint::fingerprint;
use crate::{Work, thoughts};

pub fn apply(work: &mut Work<'_>) {
    let seals = work.profile.lessons.iter().filter_map(|lesson| match lesson {
        Lesson::Seal(seal) => Some(*seal),
        _ => None,
    });
    let mut seals: Vec<u64> = seals.collect();
    if seals.is_empty() {
        return;
    }
    seals.sort_unstable();
    let is_refused = |block: &Block| {
        let seal = block.seal.as_deref().filter(|seal| !seal.data.is_empty());
        seal.is_some_and(|seal| seals.binary_search(&fingerprint(&seal.data)).is_ok())
    };
    let all = 0..work.turns().len();
    thoughts::leave_out(work, all, |work, turn, at| {
        is_refused(work.block(turn, at))
            .then(|| "left out reasoning that was refused before".to_owned())
    });
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            if is_refused(work.block(turn, at)) {
                work.loss(Place::block(turn, at), "left out a seal that was refused before");
                work.edit(turn, at).seal = None;
            }
        }
    }
}
