//! What only the last item may be is left out where something comes after it.
//!
//! A client that asks for compaction says so at the end. Once the conversation goes on, the word stands
//! in the midst of it and asks for nothing any more.
//!
//! ## Why
//! > Invalid 'input\[0\]': 'compaction_trigger' must be the last item of the input.
//!
//! ## Example
//! ```text
//! before   user: "hi"   compaction trigger   user: "go on"
//! after    user: "hi"                        user: "go on"
//! ```

use interlingua_model::{Body, Place};

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    let known = work.profile.fields.last_only;
    if known.is_empty() || !work.is_own() {
        return;
    }
    for turn in (0..work.turns().len().saturating_sub(1)).rev() {
        let is_it = |body: &Body| matches!(body, Body::Foreign { kind, .. } if known.iter().any(|one| kind == one));
        if work.blocks(turn).iter().any(|block| is_it(&block.body)) {
            let what = "left out what only the last item may be: something comes after it";
            work.loss(Place::turn(turn), what);
            work.remove_turn(turn);
        }
    }
}
