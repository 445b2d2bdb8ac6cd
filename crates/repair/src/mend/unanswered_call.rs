//! A call without a result gets one that says its outcome is unknown.
//!
//! An interrupted run leaves a call in the history and no result. The result that is added does not
//! claim that the tool did not run: it may have.
//!
//! ## Why
//! > messages.22: `tool_use` ids were found without `tool_result` blocks immediately after:
//! > toolu_01. Each `tool_use` block must have a corresponding `tool_result` block in the next
//! > message.
//!
//! > An assistant message with 'tool_calls' must be followed by tool messages responding to each
//! > 'tool_call_id'. The following tool_call_ids did not have response messages: call_1
//!
//! ## Example
//! ```text
//! before   assistant: call 1 `bash`        user: "stop, do it otherwise"
//! after    assistant: call 1 `bash`        user: result 1 (error) "Interrupted: …", "stop, do it otherwise"
//! ```

use interlingua_model::{Block, Body, Place, Role, ToolResult, Turn};
use interlingua_wire::Text;

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    let mut turn = 0;
    while turn < work.turns().len() {
        let end = run_after(work, turn);
        for id in unanswered(work, turn, end) {
            answer(work, turn, &id);
        }
        turn += 1;
    }
}

/// The end of the run of turns that may answer the calls of this one.
fn run_after(work: &Work<'_>, turn: usize) -> usize {
    let after = work.turns().iter().skip(turn + 1);
    turn + 1 + after.take_while(|turn| turn.role != Role::Assistant).count()
}

/// The ids of the turn's calls that no result up to `end` answers.
fn unanswered(work: &Work<'_>, turn: usize, end: usize) -> Vec<Text> {
    let calls = work.blocks(turn).iter().filter_map(|block| match &block.body {
        Body::ToolCall(call) => Some(&call.id),
        _ => None,
    });
    let results = || work.turns()[turn + 1..end].iter().flat_map(|turn| &turn.blocks);
    let answers = |block: &Block, id: &Text| match &block.body {
        Body::ToolResult(result) => result.call == *id,
        _ => false,
    };
    calls.filter(|id| !results().any(|block| answers(block, id))).cloned().collect()
}

fn answer(work: &mut Work<'_>, turn: usize, id: &Text) {
    let result = ToolResult {
        call: id.clone(),
        name: None,
        content: vec![Block::text(Text::new(UNKNOWN_OUTCOME)).into()],
        is_error: true,
    };
    let next = turn + 1;
    if work.turns().get(next).is_none_or(|turn| turn.role != Role::User) {
        work.insert_turn(next, Turn::new(Role::User));
    }
    let results = work.blocks(next).iter().take_while(|block| is_result(block)).count();
    work.insert(next, results, Block::new(Body::ToolResult(result)));
    let what = format!("added a result for the call {id}: its outcome is unknown");
    work.change(Place::block(next, results), what);
}

fn is_result(block: &Block) -> bool {
    matches!(block.body, Body::ToolResult(_))
}

/// What the model reads in place of the result.
pub const UNKNOWN_OUTCOME: &str = "Interrupted: no result was recorded. The tool may or may not \
                                   have completed: outcome unknown, verify before repeating it.";
