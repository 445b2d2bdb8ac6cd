//! The assistant says a word between a tool's result and the user where the target wants it.
//!
//! ## Why
//! > Unexpected role 'user' after role 'tool'
//!
//! ## Example
//! ```text
//! before   assistant: call 1   user: result 1, "and now?"
//! after    assistant: call 1   user: result 1   assistant: "Done."   user: "and now?"
//! ```

use interlingua_model::{Block, Place, Role, Turn};
use interlingua_wire::Text;

use crate::Work;
use crate::look::{is_assistants, is_result};

pub fn apply(work: &mut Work<'_>) {
    if work.profile.roles.user_after_results {
        return;
    }
    if !work.is_own() {
        results_first(work);
    }
    let mut turn = 0;
    while turn < work.turns().len() {
        if has_results(&work.turns()[turn]) {
            part(work, turn);
            let next = work.turns().get(turn + 1);
            if next.is_some_and(|next| !is_assistants(next) && !has_results(next)) {
                say(work, turn + 1);
            }
        }
        turn += 1;
    }
}

fn has_results(turn: &Turn) -> bool {
    turn.role == Role::User && turn.blocks.iter().any(|block| is_result(block))
}

/// The user's turns in a row are written with their results first: so they stand here.
fn results_first(work: &mut Work<'_>) {
    // The end of the row's results, and whether anybody spoke after them.
    let (mut end, mut spoken) = ((0, 0), false);
    let mut turn = 0;
    while turn < work.turns().len() {
        let held = work.blocks(turn).len();
        if work.turns()[turn].role != Role::User {
            (end, spoken) = ((turn + 1, 0), false);
            turn += 1;
            continue;
        }
        let mut block = 0;
        while block < work.blocks(turn).len() {
            if !is_result(work.block(turn, block)) {
                spoken = true;
                block += 1;
            } else if spoken {
                work.carry((turn, block), end);
                block += usize::from(turn == end.0);
                end.1 += 1;
            } else {
                block += 1;
                end = (turn, block);
            }
        }
        // Whoever says nothing speaks; a turn whose results stand elsewhere now does not.
        spoken |= held == 0;
        if held > 0 && work.blocks(turn).is_empty() {
            work.remove_turn(turn);
        } else {
            turn += 1;
        }
    }
}

/// Puts what the user says beside results into a turn of its own.
fn part(work: &mut Work<'_>, turn: usize) {
    let beside = work.blocks(turn).iter().filter(|block| !is_result(block)).count();
    if beside == 0 {
        return;
    }
    work.insert_turn(turn + 1, Turn::new(Role::User));
    work.change(Place::turn(turn + 1), "what the user says beside results is a turn of its own");
    for block in (0..work.blocks(turn).len()).rev() {
        if !is_result(work.block(turn, block)) {
            work.carry((turn, block), (turn + 1, 0));
        }
    }
}

fn say(work: &mut Work<'_>, at: usize) {
    let mut turn = Turn::new(Role::Assistant);
    turn.blocks.push(Block::text(Text::word(DONE)).into());
    work.insert_turn(at, turn);
    work.change(Place::turn(at), "the assistant says a word between the results and the user");
}

const DONE: &str = "Done.";
