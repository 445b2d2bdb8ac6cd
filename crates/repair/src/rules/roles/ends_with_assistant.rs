//! Appends the user turn `Continue.` where the target requires a user turn at the end.
//!
//! An assistant turn at the end is a prefill that the model continues. Many models no longer accept
//! that, and none does while it reasons. Calls that wait for results, and turns that the provider's
//! hosted tools interrupted, are not affected.
//!
//! ## Why
//! > This model does not support assistant message prefill. The conversation must end with a user
//! > message.
//!
//! > Please ensure that multiturn requests ends with a user role or a function response.
//!
//! > Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant
//!
//! ## Example
//! ```text
//! before   user: "A title?"   assistant: "Title:"
//! after    user: "A title?"   assistant: "Title:"   user: "Continue."
//! ```

use interlingua_model::{Block, LedgerPath, Role, Turn, Verbatim};
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::query::conversation::may_be_last;
use crate::values::block::{is_assistant, is_instruction, plain_text};
use crate::values::placeholder::CONTINUE;

pub(super) fn apply(work: &mut Work<'_>) {
    let Some(last) = work.last_dialogue_turn() else { return };
    if !is_assistant(&work.turns()[last])
        || may_be_last(work, last)
        || is_followed_by_user_text(work, last)
    {
        return;
    }
    let mut turn = Turn::new(Role::User);
    turn.blocks.push(Block::text(JsonString::from_static(CONTINUE)).into());
    let at = work.turns().len();
    work.insert_turn(at, turn);
    work.record_change(
        LedgerPath::turn(at),
        "appended a user turn: the target requires one at the end",
    );
}

/// Whether later instructions will be sent as user text.
fn is_followed_by_user_text(work: &Work<'_>, last: usize) -> bool {
    let has_text = |block: &Verbatim<Block>| plain_text(block).is_some_and(|text| !text.is_blank());
    !work.is_same_dialect()
        && work.profile.roles.instruction_placement.must_move(true)
        && work.turns()[last + 1..]
            .iter()
            .any(|turn| is_instruction(turn) && turn.blocks.iter().any(has_text))
}
