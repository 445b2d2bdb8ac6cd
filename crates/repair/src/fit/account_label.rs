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
    let labels = work.profile.fields.labels;
    let is_label = |text: &Text| labels.iter().any(|label| text.raw().starts_with(label));
    let mut at = 0;
    while let Some(block) = work.conversation().system.get(at) {
        if matches!(&block.body, Body::Text { text, .. } if is_label(text)) {
            work.loss(Place::system(at), "left out a label for another provider's accounts");
            work.system().remove(at);
        } else {
            at += 1;
        }
    }
}
