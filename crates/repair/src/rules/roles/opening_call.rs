//! Inserts a user turn before a call at the start of the conversation.
//!
//! After compaction a conversation may start with a call. Where a call must follow a user turn, a
//! short one is inserted before it.
//!
//! ## Why
//! > Please ensure that function call turn comes immediately after a user turn or after a function
//! > response turn.
//!
//! ## Example
//! ```text
//! before   assistant: call 1                              user: result 1
//! after    user: "…"        assistant: call 1             user: result 1
//! ```

use interlingua_model::{Block, LedgerPath, Role, Turn};
use interlingua_providers::profile::calls::ResultPlacement;
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::query::rounds::Round;

pub(super) fn apply(work: &mut Work<'_>) {
    if work.profile.calls.result_placement != ResultPlacement::MatchingCount {
        return;
    }
    let is_instruction = |role| matches!(role, Role::System | Role::Developer);
    let leading = work.turns().iter().take_while(|turn| is_instruction(turn.role)).count();
    let Some(round) = Round::starting_at(work.turns(), leading) else { return };
    let starts_with_call = round.calls(work).next().is_some();
    if !starts_with_call || work.is_same_dialect() && leading > 0 {
        return;
    }
    let mut turn = Turn::new(Role::User);
    turn.blocks.push(Block::text(JsonString::from_static(OMITTED_TEXT)).into());
    work.insert_turn(leading, turn);
    work.record_change(
        LedgerPath::turn(leading),
        "inserted a user turn: the conversation starts with a call",
    );
}

/// Text of the inserted user turn.
const OMITTED_TEXT: &str = "(earlier conversation omitted)";
