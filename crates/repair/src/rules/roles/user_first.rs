//! Inserts a short user turn before a leading assistant turn where the target requires one.
//!
//! ## Why
//! > A conversation must start with a user message. Try again with a conversation that starts with a
//! > user message.
//!
//! > Conversation must start with a user message or system message
//!
//! ## Example
//! ```text
//! before   assistant: "Welcome!"   user: "hi"
//! after    user: "(start of the conversation)"   assistant: "Welcome!"   user: "hi"
//! ```

use interlingua_model::{Block, LedgerPath, Role, Turn};
use interlingua_providers::profile::roles::FirstRole;
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::values::block::is_assistant;

pub(super) fn apply(work: &mut Work<'_>) {
    let Some(first) = work.first_dialogue_turn() else { return };
    if !is_assistant(&work.turns()[first]) {
        return;
    }
    let is_required = match work.profile.roles.first_role {
        FirstRole::Any => false,
        FirstRole::User => true,
        FirstRole::NotAssistant => !has_leading_instructions(work),
    };
    if is_required {
        let mut turn = Turn::new(Role::User);
        turn.blocks.push(Block::text(JsonString::from_static(START_TEXT)).into());
        work.insert_turn(first, turn);
        work.record_change(
            LedgerPath::turn(first),
            "inserted a user turn: the target requires one at the start",
        );
    }
}

/// Whether any instructions are encoded before.
fn has_leading_instructions(work: &Work<'_>) -> bool {
    let leading = &work.turns()[..work.leading_instructions()];
    leading.iter().any(|turn| work.is_turn_encoded(turn))
        || work.conversation().system.iter().any(|block| work.is_encoded(block))
}

const START_TEXT: &str = "(start of the conversation)";
