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

use interlingua_model::{Block, Body, Place};
use interlingua_wire::Text;

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    // Whoever speaks the target's own dialect has said it to the target.
    if work.is_own() {
        return;
    }
    let labels = work.profile.fields.labels;
    let is_label = |text: &Text| labels.iter().any(|label| text.raw().starts_with(label));
    let labels = |block: &Block| matches!(&block.body, Body::Text { text, .. } if is_label(text));
    work.sift_system(|work, at| {
        let goes = labels(&work.conversation().system[at]);
        if goes {
            work.loss(Place::system(at), LEFT_OUT);
        }
        goes
    });
    // The same of instructions that stand among the turns, before anybody speaks.
    let mut emptied = Vec::new();
    for turn in 0..work.leading() {
        work.sift(turn, |work, at| {
            let goes = labels(work.block(turn, at));
            if goes {
                work.loss(Place::block(turn, at), LEFT_OUT);
            }
            goes
        });
        if work.blocks(turn).is_empty() {
            emptied.push(turn);
        }
    }
    work.remove_turns(&emptied);
}

const LEFT_OUT: &str = "left out a label for another provider's accounts";
