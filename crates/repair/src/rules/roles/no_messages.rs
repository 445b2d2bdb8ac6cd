//! Adds a user turn to a conversation that has no messages.
//!
//! ## Why
//! > messages: at least one message is required
//!
//! > Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array
//! > instead.
//!
//! > One of "input" or "previous_response_id" or 'prompt' or 'conversation' must be provided.
//!
//! > The messages parameter is illegal. Please check the documentation.
//!
//! ## Example
//! ```text
//! before   system: "Be brief."
//! after    system: "Be brief."   user: "(empty message)"
//! ```

use interlingua_model::{Block, LedgerPath, Role, Turn};
use interlingua_providers::profile::roles::{EmptyConversation, InstructionPlacement, LastRole};
use interlingua_wire::{JsonKind, JsonString, RawJson};

use crate::engine::Work;
use crate::values::block::{is_instruction, is_result};
use crate::values::placeholder::EMPTY_MESSAGE;

pub(super) fn apply(work: &mut Work<'_>) {
    if is_accepted(work) {
        return;
    }
    let at = work.turns().len();
    let mut turn = Turn::new(Role::User);
    turn.blocks.push(Block::text(JsonString::from_static(EMPTY_MESSAGE)).into());
    work.insert_turn(at, turn);
    work.record_change(LedgerPath::turn(at), "added a user turn: the conversation has no messages");
}

fn is_accepted(work: &Work<'_>) -> bool {
    let roles = &work.profile.roles;
    let fields = &work.conversation().top_level_fields;
    let has = |key: &str| fields.iter().any(|field| field.key == key);
    let is_set =
        |key: &str| fields.iter().any(|field| field.key == key && field.value != RawJson::NULL);
    match roles.empty_conversation {
        EmptyConversation::Accepted => {
            has_messages(work) || work.is_same_dialect() && has(roles.messages_field)
        }
        EmptyConversation::Rejected => has_messages(work),
        EmptyConversation::AcceptedWithState(state) => {
            has_messages(work) && !is_empty_string(work)
                || work.is_same_dialect() && state.iter().any(|key| is_set(key))
        }
        EmptyConversation::UserRequired => work.turns().iter().any(|turn| {
            let results = turn.blocks.iter().all(|block| is_result(block));
            turn.role == Role::User
                && work.is_turn_encoded(turn)
                && (turn.blocks.is_empty() || !results)
        }),
    }
}

/// Instructions are no messages if they have a separate field or may not be the last turn.
fn has_messages(work: &Work<'_>) -> bool {
    let roles = &work.profile.roles;
    let head = if roles.separate_leading_instructions && !work.is_same_dialect() {
        work.leading_instructions()
    } else {
        0
    };
    let are_in_messages = matches!(
        roles.instruction_placement,
        InstructionPlacement::Anywhere | InstructionPlacement::Leading
    );
    let counts_instructions = are_in_messages && roles.last_role == LastRole::Any;
    let is_message =
        |turn: &Turn| (counts_instructions || !is_instruction(turn)) && work.is_turn_encoded(turn);
    work.turns()[head..].iter().any(|turn| is_message(turn))
}

/// Whether the whole conversation is an empty string.
fn is_empty_string(work: &Work<'_>) -> bool {
    let [only] = work.turns() else { return false };
    let is_empty = |text: &RawJson| text.kind() == JsonKind::String && text.as_str() == "\"\"";
    only.text_for(work.profile.dialect).is_some_and(is_empty)
}
