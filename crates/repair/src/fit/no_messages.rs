//! A conversation in which nobody speaks gets a turn of the user's that says so.
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

use interlingua_model::{Block, Place, Role, Turn};
use interlingua_wire::{Json, Kind, Text};

use super::empty_turn::EMPTY_MESSAGE;
use crate::Work;
use crate::look::{instructs, is_result};
use crate::profile::roles::{Instructions, Last, NoTurns};

pub fn apply(work: &mut Work<'_>) {
    if is_taken(work) {
        return;
    }
    let at = work.turns().len();
    let mut turn = Turn::new(Role::User);
    turn.blocks.push(Block::text(Text::word(EMPTY_MESSAGE)).into());
    work.insert_turn(at, turn);
    work.change(Place::turn(at), "nobody speaks: a turn of the user's says so");
}

fn is_taken(work: &Work<'_>) -> bool {
    let roles = work.profile.roles;
    let fields = &work.conversation().fields;
    let has = |key: &str| fields.iter().any(|field| field.key == key);
    let says = |key: &str| fields.iter().any(|one| one.key == key && one.value != Json::NULL);
    match roles.none {
        NoTurns::Taken => anyone_speaks(work) || work.is_own() && has(roles.list),
        NoTurns::Refused => anyone_speaks(work),
        NoTurns::Unless(state) => {
            anyone_speaks(work) && !is_empty_string(work)
                || work.is_own() && state.iter().any(|key| says(key))
        }
        NoTurns::UserNeeded => work.turns().iter().any(|turn| {
            let results = turn.blocks.iter().all(|block| is_result(block));
            turn.role == Role::User && work.is_spoken(turn) && (turn.blocks.is_empty() || !results)
        }),
    }
}

/// Instructions that have a place of their own, or may not be the last, are no turns.
fn anyone_speaks(work: &Work<'_>) -> bool {
    let roles = work.profile.roles;
    let head = if roles.head_apart && !work.is_own() { work.leading() } else { 0 };
    let written = matches!(roles.instructions, Instructions::Anywhere | Instructions::Leading);
    let counted = written && roles.last == Last::Anyone;
    let speaks = |turn: &Turn| (counted || !instructs(turn)) && work.is_spoken(turn);
    work.turns()[head..].iter().any(|turn| speaks(turn))
}

/// The whole conversation is a string with nothing in it.
fn is_empty_string(work: &Work<'_>) -> bool {
    let [only] = work.turns() else { return false };
    let nothing = |text: &Json| text.kind() == Kind::String && text.as_str() == "\"\"";
    only.text_for(work.profile.dialect).is_some_and(nothing)
}
