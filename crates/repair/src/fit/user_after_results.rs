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

use interlingua_model::{Block, Place, Role, Turn, Verbatim};
use interlingua_wire::Text;

use crate::Work;
use crate::look::{is_assistants, is_result};
use crate::pairing::Spot;

pub fn apply(work: &mut Work<'_>) {
    if work.profile.roles.user_after_results {
        return;
    }
    if !work.is_own() {
        results_first(work);
    }
    let Some(mut turn) = (0..work.turns().len()).find(|turn| is_told(work, *turn)) else { return };
    // What comes later is put aside: a turn more moves nothing then.
    let mut aside = work.put_aside(turn + 2);
    while turn < work.turns().len() {
        if is_told(work, turn) {
            part(work, turn);
            let next = work.turns().get(turn + 1);
            if next.is_some_and(|next| !is_assistants(next) && !has_results(next)) {
                say(work, turn + 1);
            }
        }
        turn += 1;
        work.bring_next(&mut aside, turn);
    }
}

/// Whether somebody else than the assistant speaks beside or after results.
fn is_told(work: &Work<'_>, turn: usize) -> bool {
    let (this, next) = (&work.turns()[turn], work.turns().get(turn + 1));
    has_results(this)
        && (next.is_some_and(|next| !is_assistants(next) && !has_results(next))
            || this.blocks.iter().any(|block| !is_result(block)))
}

fn has_results(turn: &Turn) -> bool {
    turn.role == Role::User && turn.blocks.iter().any(|block| is_result(block))
}

/// The user's turns in a row are written with their results first: so they stand here.
fn results_first(work: &mut Work<'_>) {
    let mut gone = Vec::new();
    let mut start = 0;
    while start < work.turns().len() {
        let rest = &work.turns()[start..];
        let row = rest.iter().take_while(|turn| turn.role == Role::User).count();
        let (end, late) = late_results(&rest[..row], start);
        if !late.is_empty() {
            let moved = work.lift(&late).into_iter().map(|result| (end.1, result));
            work.land(end.0, moved.collect());
            // A turn whose results stand elsewhere now says nothing.
            let mut left: Vec<usize> = late.into_iter().map(|(turn, _)| turn).collect();
            left.dedup();
            gone.extend(left.into_iter().filter(|turn| work.blocks(*turn).is_empty()));
        }
        start += row + 1;
    }
    work.remove_turns(&gone);
}

/// Where the results end that begin a row of turns, and the results that come after other words.
fn late_results(row: &[Verbatim<Turn>], start: usize) -> (Spot, Vec<Spot>) {
    let (mut end, mut spoken) = ((start, 0), false);
    let mut late = Vec::new();
    for (at, turn) in (start..).zip(row) {
        for (of, block) in turn.blocks.iter().enumerate() {
            match (is_result(block), spoken) {
                (false, _) => spoken = true,
                (true, true) => late.push((at, of)),
                (true, false) => end = (at, of + 1),
            }
        }
        // Whoever says nothing speaks.
        spoken |= turn.blocks.is_empty();
    }
    (end, late)
}

/// Puts what the user says beside results into a turn of its own.
fn part(work: &mut Work<'_>, turn: usize) {
    let blocks = work.blocks(turn).iter().enumerate();
    let beside: Vec<Spot> =
        blocks.filter(|(_, block)| !is_result(block)).map(|(at, _)| (turn, at)).collect();
    if beside.is_empty() {
        return;
    }
    work.insert_turn(turn + 1, Turn::new(Role::User));
    work.change(Place::turn(turn + 1), "what the user says beside results is a turn of its own");
    let said = work.lift(&beside).into_iter().map(|block| (0, block));
    work.land(turn + 1, said.collect());
}

fn say(work: &mut Work<'_>, at: usize) {
    let mut turn = Turn::new(Role::Assistant);
    turn.blocks.push(Block::text(Text::word(DONE)).into());
    work.insert_turn(at, turn);
    work.change(Place::turn(at), "the assistant says a word between the results and the user");
}

const DONE: &str = "Done.";
