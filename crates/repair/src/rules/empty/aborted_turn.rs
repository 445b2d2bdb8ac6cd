//! Removes an assistant turn that was cut off before any text or call.
//!
//! Such a turn has reasoning and perhaps an empty text. Providers reject reasoning without content
//! after it, and the turn has nothing that later turns depend on.
//!
//! ## Why
//! > messages.5: The final block in an assistant message cannot be `thinking`.
//!
//! > messages.5.content.1.text: cache_control cannot be set for empty text blocks
//!
//! ## Example
//! ```text
//! before   user: "hello"   assistant: reasoning, ""   user: "again"
//! after    user: "hello"   user: "again"
//! ```

use interlingua_model::{LedgerPath, Turn, Verbatim};
use interlingua_providers::profile::texts::{ReasoningOnlyTurn, TextMinimum};
use interlingua_wire::{JsonNode, RawJson};

use crate::engine::{Removals, Work};
use crate::values::block::{
    is_assistant, is_content_empty, is_instruction, is_reasoning_or_entry, plain_text,
};

pub(super) fn apply(work: &mut Work<'_>) {
    let reasoning_only_turn = work.profile.texts.reasoning_only_turn;
    if reasoning_only_turn == ReasoningOnlyTurn::Accepted {
        return;
    }
    let mut followed_by_assistant = false;
    let mut removals = Removals::default();
    for turn in (0..work.turns().len()).rev() {
        let this = &work.turns()[turn];
        if is_instruction(this) {
            followed_by_assistant &= !work.becomes_user_text(turn);
            continue;
        }
        let is_assistant_turn = is_assistant(this);
        if is_assistant_turn
            && !(followed_by_assistant && reasoning_only_turn == ReasoningOnlyTurn::BeforeAssistant)
            && is_aborted(work, this, reasoning_only_turn)
        {
            work.record_loss(
                LedgerPath::turn(turn),
                "left out an assistant turn that was cut off before any text or call",
            );
            if work.separates_instructions_at(turn, removals.next_kept_after(turn)) {
                work.remove_blocks_where(turn, |_, _| true);
            } else {
                removals.push(turn);
            }
        } else {
            // Reasoning may end a turn if the next assistant turn continues it.
            followed_by_assistant = is_assistant_turn;
        }
    }
    work.remove_turns(&removals.into_indices());
}

fn is_aborted(
    work: &Work<'_>,
    turn: &Verbatim<Turn>,
    reasoning_only_turn: ReasoningOnlyTurn,
) -> bool {
    // With `Rejected`, reasoning that is part of the written content makes the turn non-empty. A
    // turn without verbatim text is encoded with its reasoning in another field.
    let doc = turn.text_for(work.profile.dialect).map(RawJson::to_doc);
    let content = doc.as_ref().and_then(|doc| doc.root().get("content"));
    let blanks_are_empty = work.profile.texts.min_text != TextMinimum::Empty;
    let has_content =
        |content: JsonNode<'_>| !content.is_empty() && !is_content_empty(content, blanks_are_empty);
    if reasoning_only_turn == ReasoningOnlyTurn::Rejected && content.is_some_and(has_content) {
        return false;
    }
    // With `Rejected`, a blank text makes the turn non-empty.
    let is_nothing = |text: &interlingua_wire::JsonString| match reasoning_only_turn {
        ReasoningOnlyTurn::Rejected => text.is_empty(),
        ReasoningOnlyTurn::Accepted | ReasoningOnlyTurn::BeforeAssistant => text.is_blank(),
    };
    turn.blocks.iter().any(|block| is_reasoning_or_entry(block))
        && turn.blocks.iter().all(|block| {
            is_reasoning_or_entry(block)
                || plain_text(block).is_some_and(is_nothing)
                || !work.is_encoded(block)
        })
}
