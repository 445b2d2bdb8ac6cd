//! An instruction that is a label for another provider's accounts is left out.
//!
//! Some agents put a line for their own provider's bill before their instructions. It changes with
//! each request, so that elsewhere no prompt is ever found in a cache; and it says nothing to a model.
//!
//! ## Why
//! The line counts requests: every prompt begins anew, and the cache of the provider never hits.
//!
//! ## Example
//! ```text
//! before   system: "x-anthropic-billing-header: cch=71fea;", "You are an agent"
//! after    system: "You are an agent"
//! ```

use interlingua_model::{Body, Place};
use interlingua_wire::Text;

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    // Whoever speaks the target's own dialect has said it to the target.
    if work.is_own() {
        return;
    }
    let labels = work.profile.fields.labels;
    let is_label = |text: &Text| labels.iter().any(|label| text.raw().starts_with(label));
    let mut at = 0;
    while let Some(block) = work.conversation().system.get(at) {
        if matches!(&block.body, Body::Text { text, .. } if is_label(text)) {
            work.loss(Place::system(at), "left out a label for another provider's accounts");
            work.remove_system(at);
        } else {
            at += 1;
        }
    }
    instructions(work, &is_label);
}

/// The same of instructions that stand among the turns, before anybody speaks.
fn instructions(work: &mut Work<'_>, is_label: &impl Fn(&Text) -> bool) {
    let mut turn = 0;
    while turn < work.leading() {
        let mut at = 0;
        while let Some(block) = work.blocks(turn).get(at) {
            if matches!(&block.body, Body::Text { text, .. } if is_label(text)) {
                let what = "left out a label for another provider's accounts";
                work.loss(Place::block(turn, at), what);
                work.remove(turn, at);
            } else {
                at += 1;
            }
        }
        if work.blocks(turn).is_empty() {
            work.remove_turn(turn);
        } else {
            turn += 1;
        }
    }
}
