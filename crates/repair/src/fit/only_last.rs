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

use interlingua_model::{Block, Body, Place, Verbatim};

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    let known = work.profile.fields.last_only;
    if known.is_empty() || !work.is_own() {
        return;
    }
    let is_it = |block: &Verbatim<Block>| matches!(&block.body, Body::Foreign { kind, .. } if known.iter().any(|one| kind == one));
    let others = 0..work.turns().len().saturating_sub(1);
    let gone: Vec<usize> = others.filter(|turn| work.blocks(*turn).iter().any(is_it)).collect();
    for turn in gone.iter().rev() {
        let what = "left out what only the last item may be: something comes after it";
        work.loss(Place::turn(*turn), what);
    }
    work.remove_turns(&gone);
}
