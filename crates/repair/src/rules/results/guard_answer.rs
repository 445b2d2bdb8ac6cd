//! Adds the guard's error to the result of a call that violated its tool's schema.
//!
//! When the model made the call, the guard rejected it and stored an error for it. The client
//! received the call unchanged. If the client answered it, the error is appended to that result; if
//! not, the error is the result. The same call gets the same error in every request of the
//! conversation.
//!
//! ## Why
//! Without an error, a model repeats its mistake: an agent that gets `{}` where a path is required
//! may show an empty call, fail with a message of its own, or continue the history without a
//! result.
//!
//! ## Example
//! ```text
//! before   assistant: call 1 `read` of `{}`   user: "go on"
//! after    assistant: call 1 `read` of `{}`   user: result 1 (error) "Error: Tool 'read' was called with
//!                                             empty arguments. …", "go on"
//! ```

use interlingua_model::{Block, BlockContent, GuardAnswer, LedgerPath, ToolResult};
use interlingua_wire::JsonString;

use crate::edit::missing_results::{MissingResult, add_results};
use crate::engine::Work;
use crate::query::rounds::{Round, blocks};
use crate::values::block::{BlockPos, as_call, as_result};

pub(super) fn apply(work: &mut Work<'_>) {
    if work.patch.guard_answers.is_empty() {
        return;
    }
    let mut start = 0;
    while let Some(round) = Round::starting_at(work.turns(), start) {
        let calls = round.calls(work).filter_map(|(pos, call)| {
            let guard_answer =
                work.patch.guard_answers.iter().find(|guard_answer| guard_answer.call == *call)?;
            Some((pos, guard_answer))
        });
        for (pos, guard_answer) in calls.collect::<Vec<_>>() {
            add_guard_error(work, start, pos, guard_answer);
        }
        start = Round::starting_at(work.turns(), start).map_or(start + 1, |round| round.end());
    }
}

/// The error is added behind the call, so that the position of the call stays valid.
fn add_guard_error(work: &mut Work<'_>, start: usize, pos: BlockPos, guard_answer: &GuardAnswer) {
    let id = &guard_answer.call.id;
    let at = result_of(work, pos, id).or_else(|| result_by_position(work, start, pos));
    let Some(at) = at else {
        let description =
            format!("added the guard's result for the call {id}: its arguments violate the schema");
        let missing = MissingResult {
            call: pos,
            message: guard_answer.message.clone(),
            ledger_text: description,
        };
        add_results(work, start, vec![missing]);
        return;
    };
    let BlockContent::ToolResult(result) = &work.block(at.0, at.1).content else { return };
    if contains(result, &guard_answer.message) {
        return;
    }
    if let BlockContent::ToolResult(result) = &mut work.edit_block(at.0, at.1).content {
        append(result, &guard_answer.message);
    }
    let description = format!("added the guard's error to the result of the call {id}");
    work.record_change(LedgerPath::block(at.0, at.1), description);
}

/// The result of a call, up to the next call with the same id.
fn result_of(work: &Work<'_>, call: BlockPos, id: &JsonString) -> Option<BlockPos> {
    let later = blocks(work, call.0..work.turns().len()).filter(|(pos, _)| *pos > call);
    for (pos, block) in later {
        if as_result(block).is_some_and(|result| result.call_id == *id) {
            return Some(pos);
        }
        if as_call(block).is_some_and(|call_again| call_again.id == *id) {
            break;
        }
    }
    None
}

/// The result of a call where results need no call id: among the results without a matching call,
/// the one with the same index as the call among the unanswered calls.
fn result_by_position(work: &Work<'_>, start: usize, call: BlockPos) -> Option<BlockPos> {
    let round = Round::starting_at(work.turns(), start)?;
    let (call_ids, result_ids) = (round.call_ids(work), round.result_ids(work));
    let mut unanswered =
        round.calls(work).filter(|(_, unanswered)| !result_ids.contains(&unanswered.id));
    let index = unanswered.position(|(pos, _)| pos == call)?;
    let mut unmatched =
        round.results(work).filter(|(_, result)| !call_ids.contains(&result.call_id));
    unmatched.nth(index).map(|(pos, _)| pos)
}

fn contains(result: &ToolResult, message: &JsonString) -> bool {
    let texts = result.content.iter().filter_map(|block| block.content.as_text());
    let message = message.unescape();
    texts.into_iter().any(|text| text.unescape().contains(&*message))
}

fn append(result: &mut ToolResult, message: &JsonString) {
    // An error result cannot have media everywhere, and the media is worth more than the flag.
    let is_text = |block: &Block| matches!(block.content, BlockContent::Text { .. });
    result.is_error |= result.content.iter().all(|block| is_text(block));
    if let Some(BlockContent::Text { text, .. }) = result.content.last().map(|last| &last.content) {
        let joined = if text.is_blank() {
            message.clone()
        } else {
            JsonString::join([text, message], "\n\n")
        };
        if let Some(last) = result.content.last_mut()
            && let BlockContent::Text { text, .. } = &mut last.edit().content
        {
            *text = joined;
        }
        return;
    }
    result.content.push(Block::text(message.clone()).into());
}
