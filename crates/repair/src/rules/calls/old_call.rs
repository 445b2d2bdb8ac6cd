//! Converts legacy calls and results without ids to the current form where the target supports only
//! that.
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

use interlingua_model::{Block, BlockContent, LedgerPath, Spelling};
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::values::block::is_legacy;

pub(super) fn apply(work: &mut Work<'_>) {
    let calls = &work.profile.calls;
    let calls_stay = calls.legacy_calls && work.is_same_dialect();
    if calls_stay && calls.legacy_results {
        return;
    }
    let answered = if calls_stay { legacy_answered_ids(work) } else { HashSet::new() };
    if calls_stay && answered.is_empty() {
        return;
    }
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            if calls_stay && !id_of(block).is_some_and(|id| answered.contains(id.raw())) {
                continue;
            }
            let Some(dialect) = block.extras.dialect().filter(|_| is_legacy(block)) else {
                continue;
            };
            work.edit_block(turn, at).extras.remove_spellings(dialect, Spelling::LegacyForm);
            // Across dialects every call is encoded in the current form, so there is nothing to
            // record.
            if work.is_same_dialect() {
                work.record_change(
                    LedgerPath::block(turn, at),
                    "converted from the legacy form: sent with an id",
                );
            }
        }
    }
}

/// Ids of the calls that are answered in the legacy form.
fn legacy_answered_ids(work: &Work<'_>) -> HashSet<String> {
    let blocks = work.turns().iter().flat_map(|turn| &turn.blocks);
    let results = blocks.filter(|block| matches!(block.content, BlockContent::ToolResult(_)));
    results
        .filter(|block| is_legacy(block))
        .filter_map(|block| Some(id_of(block)?.raw().to_owned()))
        .collect()
}

fn id_of(block: &Block) -> Option<&JsonString> {
    match &block.content {
        BlockContent::ToolCall(call) => Some(&call.id),
        BlockContent::ToolResult(result) => Some(&result.call_id),
        _ => None,
    }
}
