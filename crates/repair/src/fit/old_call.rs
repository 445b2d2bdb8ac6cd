//! Calls and results in the old way, without ids, are written in the new one where only that is known.
//!
//! ## Why
//! > unknown variant `function`, expected one of `system`, `user`, `assistant`, `tool`
//!
//! > Extra inputs are not permitted
//!
//! ## Example
//! ```text
//! before   {"function_call": {"name": "read", …}}                   {"role": "function", "name": "read", …}
//! after    {"tool_calls": [{"id": "call_4f0c…", …}]}   {"role": "tool", "tool_call_id": "call_4f0c…", …}
//! ```

use interlingua_model::Place;

use crate::Work;
use crate::pairing::{self, OLD, crosses};

pub fn apply(work: &mut Work<'_>) {
    if work.profile.calls.old && !crosses(work) {
        return;
    }
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            let Some((dialect, _)) = block.extras.all().filter(|_| pairing::is_old(block)) else {
                continue;
            };
            let kept = pairing::without(&block.extras, dialect, OLD);
            work.edit(turn, at).extras = kept;
            // Across dialects every call is written anew, and this is nothing to tell.
            if !crosses(work) {
                work.change(Place::block(turn, at), "written in the new way, with an id");
            }
        }
    }
}
