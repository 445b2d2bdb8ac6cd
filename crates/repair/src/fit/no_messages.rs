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
use interlingua_wire::Text;

use super::empty_turn::EMPTY_MESSAGE;
use crate::Work;
use crate::look::{instructs, is_assistants, is_result, words};
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
    let turns = work.turns();
    let has = |key: &str| work.conversation().fields.iter().any(|field| field.key == key);
    // Instructions that have a place of their own, or may not be the last, are no turns there.
    let counted = roles.instructions == Instructions::Anywhere && roles.last == Last::Anyone;
    let speaks = turns.iter().any(|turn| counted || !instructs(turn));
    match roles.none {
        NoTurns::Taken => speaks || work.is_own() && has("messages"),
        NoTurns::Refused => speaks,
        NoTurns::Unless(state) => {
            let empty = |turn: &Turn| {
                turn.blocks.iter().all(|block| {
                    block.written().is_none() && words(block).is_some_and(Text::is_empty)
                })
            };
            let nothing = turns.is_empty() || turns.len() == 1 && work.is_own() && empty(&turns[0]);
            !nothing || work.is_own() && state.iter().any(|key| has(key))
        }
        NoTurns::UserNeeded => turns.iter().any(|turn| {
            !instructs(turn)
                && !is_assistants(turn)
                && (turn.blocks.is_empty() || !turn.blocks.iter().all(|block| is_result(block)))
        }),
    }
}
