//! Finds tool calls without results: the process ended between a call and its result.

use interlingua::Verbatim;
use interlingua_model::{BlockContent, Role, ToolCall, Turn};

/// The last model turn's calls without a result.
pub(crate) fn find(turns: &[Verbatim<Turn>]) -> Vec<ToolCall> {
    let Some(last) = turns.iter().rposition(|turn| turn.role == Role::Assistant) else {
        return Vec::new();
    };
    let is_answered = |call: &ToolCall| {
        let after = turns[last + 1..].iter().flat_map(|turn| &turn.blocks);
        after
            .into_iter()
            .any(|block| matches!(&block.content, BlockContent::ToolResult(result) if result.call_id == call.id))
    };
    let calls = turns[last].blocks.iter().filter_map(|block| match &block.content {
        BlockContent::ToolCall(call) if !is_answered(call) => Some(call.clone()),
        _ => None,
    });
    calls.collect()
}

/// The result that is sent for a call that lost its own.
pub(crate) const UNKNOWN_OUTCOME_MESSAGE: &str = "The outcome of this call is unknown: the program ended before its \
    result was kept. It may have run or not. Verify before repeating it.";
