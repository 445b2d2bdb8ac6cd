//! Reasoning that the client has lost is put back where it stood, when the model that thought it is
//! asked again.
//!
//! Whoever keeps what models thought says which turns lack any of it, and what they were. Thoughts that
//! are gone, merged, moved or shown as text, seals that are gone, and the empty text between two
//! thoughts come back as the provider sent them. What was said and called is what the client says it is.
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

use interlingua_model::{Block, Body, Place, Restored};

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    // From the end: places before it stay what they are.
    for restored in work.recalled.restored.iter().rev() {
        put_back(work, restored);
    }
}

fn put_back(work: &mut Work<'_>, restored: &Restored) {
    let turn = restored.turns.start;
    if restored.turns.end > work.turns().len() || restored.turns.is_empty() {
        return;
    }
    work.change(Place::turn(turn), "put back what the model thought, as it was sealed");
    for _ in restored.turns.start + 1..restored.turns.end {
        work.join_next(turn);
    }
    for (at, block) in restored.turn.blocks.iter().enumerate() {
        let rest = &work.blocks(turn)[at..];
        match rest.iter().position(|here| is_about(here, block)) {
            Some(0) => {}
            Some(later) => work.carry((turn, at + later), (turn, at)),
            None => work.insert(turn, at, Block::clone(block)),
        }
        work.turn(turn).blocks[at] = block.clone();
    }
    while work.blocks(turn).len() > restored.turn.blocks.len() {
        let last = work.blocks(turn).len() - 1;
        work.remove(turn, last);
    }
}

/// Whether a block is what became of this one.
fn is_about(here: &Block, was: &Block) -> bool {
    match (&here.body, &was.body) {
        (Body::ToolCall(here), Body::ToolCall(was)) => here.id == was.id,
        (Body::Text { .. } | Body::Refusal(_), Body::Text { .. } | Body::Refusal(_))
        | (Body::Thinking(_), Body::Thinking(_)) => true,
        (here, was) => std::mem::discriminant(here) == std::mem::discriminant(was),
    }
}
