//! Turns a call that code made into a call of the model where the code no longer waits for it.
//!
//! While code that the provider runs waits for the results of its calls, the request may contain
//! only results, the results must be texts, and the container must be named. Where that does not
//! hold, the provider does not resume the code: its calls become ordinary ones, which any result
//! answers.
//!
//! ## Why
//! > messages.2.content.1: only `tool_result` blocks may be provided while a programmatic tool call is
//! > pending
//!
//! > container: the container id is required while a programmatic tool call is pending
//!
//! ## Example
//! ```text
//! before   assistant: call 1 of the code        user: result 1, "and hurry"
//! after    assistant: call 1                    user: result 1, "and hurry"
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath, Role, ToolResult};
use interlingua_wire::RawJson;

use crate::engine::Work;
use crate::query::rounds::{Round, blocks};
use crate::values::block::{BlockPos, as_result, without_key};

pub(super) fn apply(work: &mut Work<'_>) {
    let Some(key) = work.profile.calls.caller_field else { return };
    let Some(round) = last_round(work) else { return };
    let by_code: Vec<BlockPos> = round
        .calls(work)
        .map(|(pos, _)| pos)
        .filter(|(turn, at)| {
            is_programmatic(work.block(*turn, *at).extras.get(target_dialect(work), key))
        })
        .collect();
    if by_code.is_empty() || can_code_wait(work, &round) {
        return;
    }
    for (turn, at) in by_code {
        let remaining = without_key(&work.block(turn, at).extras, target_dialect(work), key);
        work.edit_block(turn, at).extras = remaining;
        let message = format!("left out `{key}`: the code no longer waits for this call");
        work.record_loss(LedgerPath::block(turn, at), message);
    }
}

fn target_dialect(work: &Work<'_>) -> interlingua_model::DialectId {
    work.profile.dialect
}

/// The last run of assistant turns, with the turns after it.
fn last_round(work: &Work<'_>) -> Option<Round> {
    let is_assistant_turn = |at: &usize| work.turns()[*at].role == Role::Assistant;
    let last = (0..work.turns().len()).rev().find(is_assistant_turn)?;
    let start = (0..=last).rev().take_while(is_assistant_turn).last()?;
    Round::starting_at(work.turns(), start).filter(|round| !round.following_turns.is_empty())
}

fn is_programmatic(caller: Option<&RawJson>) -> bool {
    caller.is_some_and(|caller| {
        let doc = caller.to_doc();
        doc.root()
            .get("type")
            .is_some_and(|kind| kind.is_string() && kind.str_or_empty() != "direct")
    })
}

/// Whether the code can still be waiting: only text results follow, and the container is known.
fn can_code_wait(work: &Work<'_>, round: &Round) -> bool {
    let fields = &work.conversation().top_level_fields;
    let has_container = work.is_same_dialect()
        && fields.iter().any(|field| field.key == "container" && field.value != RawJson::NULL);
    let is_text = |result: &ToolResult| {
        result.content.iter().all(|block| matches!(block.content, BlockContent::Text { .. }))
    };
    let is_text_result = |block: &Block| as_result(block).is_some_and(is_text);
    has_container
        && blocks(work, round.following_turns.clone()).all(|(_, block)| is_text_result(block))
}
