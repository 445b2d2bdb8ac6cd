//! Calls that nobody answered: the process ended between a call and its result.

use interlingua::Verbatim;
use interlingua::model::{Body, Role, ToolCall, Turn};

/// The calls at the end of a conversation that have no result yet.
pub(crate) fn of(turns: &[Verbatim<Turn>]) -> Vec<ToolCall> {
    let Some(last) = turns.iter().rposition(|turn| turn.role == Role::Assistant) else {
        return Vec::new();
    };
    let is_answered = |call: &ToolCall| {
        let after = turns[last + 1..].iter().flat_map(|turn| &turn.blocks);
        after
            .into_iter()
            .any(|block| matches!(&block.body, Body::ToolResult(result) if result.call == call.id))
    };
    let calls = turns[last].blocks.iter().filter_map(|block| match &block.body {
        Body::ToolCall(call) if !is_answered(call) => Some(call.clone()),
        _ => None,
    });
    calls.collect()
}

/// What the model is told of a call whose result was lost.
pub(crate) const UNKNOWN: &str = "The outcome of this call is unknown: the program ended before its \
    result was kept. It may have run or not. Verify before repeating it.";
