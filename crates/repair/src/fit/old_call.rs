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

use std::collections::HashSet;

use interlingua_model::{Block, Body, Place};
use interlingua_wire::Text;

use crate::Work;
use crate::pairing::{self, OLD, crosses};

pub fn apply(work: &mut Work<'_>) {
    let calls = work.profile.calls;
    let calls_stay = calls.old && !crosses(work);
    if calls_stay && calls.old_results {
        return;
    }
    let answered = if calls_stay { answered(work) } else { HashSet::new() };
    if calls_stay && answered.is_empty() {
        return;
    }
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            if calls_stay && !id_of(block).is_some_and(|id| answered.contains(id.raw())) {
                continue;
            }
            let Some((dialect, _)) = block.extras.all().filter(|_| pairing::is_old(block)) else {
                continue;
            };
            let kept = crate::extras::without(&block.extras, dialect, OLD);
            work.edit(turn, at).extras = kept;
            // Across dialects every call is written anew, and this is nothing to tell.
            if !crosses(work) {
                work.change(Place::block(turn, at), "written in the new way, with an id");
            }
        }
    }
}

/// The ids of the calls that are answered in the old way.
fn answered(work: &Work<'_>) -> HashSet<String> {
    let blocks = work.turns().iter().flat_map(|turn| &turn.blocks);
    let old = blocks.filter(|block| matches!(block.body, Body::ToolResult(_)));
    old.filter(|block| pairing::is_old(block))
        .filter_map(|block| Some(id_of(block)?.raw().to_owned()))
        .collect()
}

fn id_of(block: &Block) -> Option<&Text> {
    match &block.body {
        Body::ToolCall(call) => Some(&call.id),
        Body::ToolResult(result) => Some(&result.call),
        _ => None,
    }
}
