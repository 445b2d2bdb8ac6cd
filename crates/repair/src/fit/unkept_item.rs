//! Where the provider keeps nothing, what is only named is left out.
//!
//! An item that the request names by its id, or reasoning without its contents, can only be found by a
//! provider that kept it. Reasoning of another provider's model, which was given an id on its way to the
//! client, is kept by none.
//!
//! This comes after calls are paired, so that no result is taken for one of a call before it; a call
//! that was only named is gone, and its result is the user's words.
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

use interlingua_model::{Block, Body, Place, Verbatim, is_own_id};

use crate::{Work, thoughts};

pub fn apply(work: &mut Work<'_>) {
    if !work.profile.thinking.items {
        return;
    }
    let all = 0..work.turns().len();
    if !keeps_nothing(work) {
        thoughts::leave_out(work, all, |work, turn, at| {
            let block = work.block(turn, at);
            let id = thoughts::item_id(block, work.profile.dialect)?;
            let gone = is_own_id(&id) && !thoughts::is_sealed(block);
            gone.then(|| "left out reasoning that is only named: no provider has it".to_owned())
        });
        return;
    }
    thoughts::leave_out(work, all, |work, turn, at| {
        let block = work.block(turn, at);
        let is_named = thoughts::item_id(block, work.profile.dialect).is_some();
        let gone = !thoughts::is_sealed(block) && (is_named || !work.is_own());
        gone.then(|| "left out reasoning that is only named: nothing is kept".to_owned())
    });
    let dialect = work.profile.dialect;
    let named = |block: &Verbatim<Block>| {
        matches!(&block.body, Body::Foreign { kind, .. } if kind == NAMED)
            && thoughts::item_id(block, dialect).is_some()
    };
    let all = 0..work.turns().len();
    let gone: Vec<usize> = all.filter(|turn| work.blocks(*turn).iter().any(named)).collect();
    for turn in gone.iter().rev() {
        work.loss(Place::turn(*turn), "left out an item that is only named: nothing is kept");
    }
    work.remove_turns(&gone);
}

/// Whether the provider forgets the conversation when it has answered.
pub(crate) fn keeps_nothing(work: &Work<'_>) -> bool {
    let asked = work.conversation().settings.store;
    work.profile.params.store.or(asked) == Some(false)
}

/// An item that is said by its id alone.
pub(crate) const NAMED: &str = "item_reference";
