//! Gives a result the name of the tool that was called.
//!
//! Where results are matched to calls by name, or the name is required, a result without a name or
//! with another one gets that of its call.
//!
//! ## Why
//! > GenerateContentRequest.contents\[2\].parts\[0\].function_response.name: Name cannot be empty.
//!
//! > Request contains an invalid argument.
//!
//! ## Example
//! ```text
//! before   call 1 `search`, result 1 of `functions.search`
//! after    call 1 `search`, result 1 of `search`
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath};

use crate::edit::insert_results;
use crate::engine::Work;
use crate::query::preceding_calls::PrecedingCalls;
use crate::query::rounds::blocks;
use crate::values::block::{BlockPos, as_call, as_result};

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.profile.calls.ordered_results {
        return;
    }
    let crosses = !work.is_same_dialect();
    for turn in 1..work.turns().len() {
        let mut calls = None;
        let mut order = 0;
        for at in 0..work.blocks(turn).len() {
            if as_result(work.block(turn, at)).is_none() {
                continue;
            }
            let call = if crosses {
                call_of_unidentified(work, (turn, at))
            } else {
                let calls = calls.get_or_insert_with(|| PrecedingCalls::new(work, turn));
                call_of_misnamed(work, calls, (turn, at), order)
            };
            order += 1;
            if let Some(call) = call {
                set_name(work, (turn, at), call);
            }
        }
    }
}

/// The call of a result without a name, or with another name than its call.
fn call_of_misnamed(
    work: &Work<'_>,
    calls: &PrecedingCalls,
    pos: BlockPos,
    order: usize,
) -> Option<BlockPos> {
    let result = as_result(work.block(pos.0, pos.1))?;
    let by_call = work.profile.calls.results_need_name;
    if !by_call && result.name.as_ref().is_some_and(|name| !name.is_empty()) {
        return None;
    }
    let matched =
        calls.rank(&result.call_id).map(|rank| calls.positions[rank]).filter(|_| !by_call);
    let at = matched.or_else(|| calls.assumed_call(work, pos, order))?;
    let call = as_call(work.block(at.0, at.1))?;
    let differs = result.name.as_ref() != Some(&call.name);
    (differs && !call.name.is_empty()).then_some(at)
}

/// The call of a result when neither has an id and their names differ: without ids, only the name
/// identifies the call.
fn call_of_unidentified(work: &Work<'_>, (turn, at): BlockPos) -> Option<BlockPos> {
    let result = as_result(work.block(turn, at)).filter(|result| result.call_id.is_empty())?;
    let calls = blocks(work, 0..turn)
        .filter_map(|(pos, block)| Some((pos, as_call(block)?)))
        .filter(|(_, call)| call.id.is_empty());
    let (pos, call) = calls.last()?;
    let differs = result.name.as_ref() != Some(&call.name);
    (differs && !call.name.is_empty()).then_some(pos)
}

fn set_name(work: &mut Work<'_>, (turn, at): BlockPos, call: BlockPos) {
    let Some(called) = as_call(work.block(call.0, call.1)) else { return };
    let (id, name) = (called.id.clone(), called.name.clone());
    let message = format!("the result is of `{name}`");
    let mut answer = Block::clone(work.block(turn, at));
    insert_results::match_id_spelling(work, call, &mut answer);
    if let BlockContent::ToolResult(result) = &mut answer.content {
        (result.call_id, result.name) = (id, Some(name));
    }
    *work.edit_block(turn, at) = answer;
    work.record_change(LedgerPath::block(turn, at), message);
}
