//! Adds error results for calls without a result.

use interlingua_model::{Block, BlockContent, LedgerPath, Role, ToolResult, Verbatim};
use interlingua_wire::JsonString;

use crate::edit::insert_results;
use crate::engine::Work;
use crate::values::block::{BlockPos, as_call, as_result};
use crate::values::placeholder::{EMPTY_MESSAGE, UNKNOWN_OUTCOME};

/// An error result to add for a call.
pub(crate) struct MissingResult {
    pub call: BlockPos,
    pub message: JsonString,
    pub ledger_text: String,
}

/// Adds results for calls of the round that begins with `start`, in the order of the calls.
pub(crate) fn add_results(work: &mut Work<'_>, start: usize, missing: Vec<MissingResult>) {
    let by_name = work.profile.calls.ordered_results;
    let mut added = Vec::with_capacity(missing.len());
    let mut descriptions = Vec::with_capacity(missing.len());
    for MissingResult { call: pos, message, ledger_text: description } in missing {
        let Some(call) = as_call(work.block(pos.0, pos.1)) else { continue };
        let name = by_name.then(|| call.name.clone());
        let content = vec![Block::text(message).into()];
        let result = ToolResult { call_id: call.id.clone(), name, content, is_error: true };
        let mut block = Block::new(BlockContent::ToolResult(result));
        insert_results::match_id_spelling(work, pos, &mut block);
        added.push(block.into());
        descriptions.push(description);
    }
    let positions = insert_results::insert_results_ordered(work, start, added, by_name);
    let mut last_turn = None;
    for ((turn, at), description) in positions.into_iter().zip(descriptions) {
        work.record_change(LedgerPath::block(turn, at), description);
        if last_turn.replace(turn) != Some(turn)
            && work.blocks(turn).iter().any(|block| !work.is_encoded(block))
        {
            keep_user_turn(work, turn);
        }
    }
}

/// Adds a placeholder text where user content will be dropped and only added results would be left:
/// without it, the tool loop would continue and the reasoning in it would be misplaced.
pub(crate) fn keep_user_turn(work: &mut Work<'_>, turn: usize) {
    let is_added_result = |block: &Block| match as_result(block).map(|result| &result.content[..]) {
        Some([content]) => content.content.as_text().is_some_and(|text| *text == UNKNOWN_OUTCOME),
        _ => false,
    };
    let blocks = work.blocks(turn);
    let is_dropped = |block: &Verbatim<Block>| is_added_result(block) || !work.is_encoded(block);
    let is_user_turn =
        work.turns()[turn].role == Role::User && work.profile.reasoning.seals_bind_loop;
    // Dropped blocks are mostly at the end, so the scan starts there.
    if is_user_turn
        && blocks.iter().rev().all(is_dropped)
        && blocks.iter().any(|block| is_added_result(block))
    {
        let at = blocks.len();
        work.insert_block(turn, at, Block::text(JsonString::from_static(EMPTY_MESSAGE)));
        work.record_change(
            LedgerPath::block(turn, at),
            "added a text: the user's content is left out",
        );
    }
}
