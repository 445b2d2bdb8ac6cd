//! Gives an empty tool result the text `(no output)`.
//!
//! A tool may return nothing, but an empty text in a result is rejected, and a failed result must
//! have content. For results without any content there are reports of both behaviours: those from
//! another dialect get `(no output)`.
//!
//! ## Why
//! > messages: text content blocks must be non-empty
//!
//! > The content field at messages.2.content.0.toolResult cannot be empty when status value is error.
//!
//! ## Example
//! ```text
//! before   user: result 1 ""
//! after    user: result 1 "(no output)"
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath, ToolResult, Verbatim};
use interlingua_providers::profile::texts::TextMinimum;
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::values::block::plain_text;

pub(super) fn apply(work: &mut Work<'_>) {
    let texts = &work.profile.texts;
    if texts.min_result_text == TextMinimum::Empty
        && !texts.failed_result_needs_content
        && !texts.empty_result_unreliable
    {
        return;
    }
    for turn in 0..work.turns().len() {
        for block in 0..work.blocks(turn).len() {
            if let BlockContent::ToolResult(result) = &work.block(turn, block).content
                && is_too_empty(work, result)
            {
                fill(work, turn, block);
            }
        }
    }
}

fn is_too_empty(work: &Work<'_>, result: &ToolResult) -> bool {
    let texts = &work.profile.texts;
    let is_in_list = |block: &Verbatim<Block>| {
        !texts.string_results || result.content.len() > 1 || !is_plain_string(block)
    };
    let is_rejected = |block: &Verbatim<Block>| {
        is_in_list(block)
            && plain_text(block).is_some_and(|text| texts.min_result_text.rejects(text))
    };
    if result.content.iter().any(is_rejected) {
        return true;
    }
    let is_empty =
        result.content.iter().all(|block| plain_text(block).is_some_and(JsonString::is_empty));
    let is_failed_and_empty = result.is_error
        && texts.failed_result_needs_content
        && !result.content.iter().any(|block| work.is_encoded(block));
    is_failed_and_empty || is_empty && texts.empty_result_unreliable && !work.is_same_dialect()
}

/// Whether the text can be written as a plain string.
fn is_plain_string(block: &Verbatim<Block>) -> bool {
    block.original().is_none() && block.cache_breakpoint.is_none() && block.extras.is_empty()
}

fn fill(work: &mut Work<'_>, turn: usize, block: usize) {
    let BlockContent::ToolResult(result) = &work.block(turn, block).content else { return };
    let has_content =
        |block: &Verbatim<Block>| plain_text(block).is_none_or(|text| !text.is_empty());
    let empty = !result.content.iter().any(|block| has_content(block) && work.is_encoded(block));
    let BlockContent::ToolResult(result) = &mut work.edit_block(turn, block).content else {
        return;
    };
    result.content.retain(has_content);
    let change = if empty {
        result.content.push(Block::text(JsonString::from_static(NO_OUTPUT)).into());
        "the empty result has the text `(no output)`"
    } else {
        "left out an empty text of the result"
    };
    let message = format!("{change} ({})", result.call_id);
    work.record_change(LedgerPath::block(turn, block), message);
}

/// Text of a result without content.
const NO_OUTPUT: &str = "(no output)";
