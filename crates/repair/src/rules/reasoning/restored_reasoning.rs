//! Restores reasoning that the client has lost, when the same model is called again.
//!
//! The gateway stores the reasoning of models and finds the turns that lack some of it. Missing,
//! merged, moved or visible reasoning, missing seals, and the empty text between two blocks of
//! reasoning are restored as the provider sent them. Texts and calls stay as the client sent them.
//!
//! ## Why
//! > messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.
//!
//! > messages.1.content: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot
//! > be modified.
//!
//! ## Example
//! ```text
//! before   assistant: "Let me look.", call read
//! after    assistant: thinking with its seal, "Let me look.", call read
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath, RestoredTurn};

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    // From the end, so that earlier indices stay valid.
    for restored in work.patch.restored_turns.iter().rev() {
        restore_turn(work, restored);
    }
}

fn restore_turn(work: &mut Work<'_>, restored: &RestoredTurn) {
    let turn = restored.replaced.start;
    if restored.replaced.end > work.turns().len() || restored.replaced.is_empty() {
        return;
    }
    work.record_change(LedgerPath::turn(turn), "restored the model's reasoning with its seal");
    for _ in restored.replaced.start + 1..restored.replaced.end {
        work.merge_next(turn);
    }
    for (at, block) in restored.turn.blocks.iter().enumerate() {
        let rest = &work.blocks(turn)[at..];
        match rest.iter().position(|current| is_same_content(current, block)) {
            Some(0) => {}
            Some(offset) => work.move_block((turn, at + offset), (turn, at)),
            None => work.insert_block(turn, at, Block::clone(block)),
        }
        work.edit_turn(turn).blocks[at] = block.clone();
    }
    while work.blocks(turn).len() > restored.turn.blocks.len() {
        let last = work.blocks(turn).len() - 1;
        work.remove_block(turn, last);
    }
}

/// Whether a block of the client corresponds to this stored one.
fn is_same_content(current: &Block, stored: &Block) -> bool {
    match (&current.content, &stored.content) {
        (BlockContent::ToolCall(current), BlockContent::ToolCall(stored)) => {
            current.id == stored.id
        }
        (
            BlockContent::Text { .. } | BlockContent::Refusal(_),
            BlockContent::Text { .. } | BlockContent::Refusal(_),
        )
        | (BlockContent::Reasoning(_), BlockContent::Reasoning(_)) => true,
        (current, stored) => std::mem::discriminant(current) == std::mem::discriminant(stored),
    }
}
