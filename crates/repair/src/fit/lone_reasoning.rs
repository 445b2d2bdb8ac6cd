//! Reasoning that lost what it led to is left out.
//!
//! A reasoning item goes back together with the item that came after it in the same answer, or not at
//! all.
//!
//! ## Why
//! > Item 'rs_1' of type 'reasoning' was provided without its required following item.
//!
//! ## Example
//! ```text
//! before   reasoning rs_1     user: "next"
//! after    user: "next"
//! ```

use interlingua_model::{Block, Body, Role, Turn};
use interlingua_wire::{Json, Text};

use crate::{Work, thoughts};

pub fn apply(work: &mut Work<'_>) {
    if !work.profile.thinking.items {
        return;
    }
    let unkept = work.conversation().settings.store == Some(false);
    let all = 0..work.turns().len();
    thoughts::leave_out(work, all, |work, turn, at| {
        let block = work.block(turn, at);
        id_of(block, work)?;
        let by_value = unkept && thoughts::is_sealed(block);
        let mut rest = work.blocks(turn)[at + 1..].iter();
        let follows = match rest.find(|block| is_written(block, work)) {
            // In one turn stands what another dialect keeps together; it is written without ids.
            Some(next) => by_value || id_of(next, work).is_some(),
            None => next_turn(work, turn).is_some_and(|next| follows(next, by_value, work)),
        };
        (!follows).then(|| "left out reasoning without what it led to".to_owned())
    });
}

fn follows(next: &Turn, by_value: bool, work: &Work<'_>) -> bool {
    let named = |extras: &interlingua_model::Extras| {
        extras
            .find(work.profile.dialect, "id")
            .and_then(Json::text)
            .is_some_and(|id| !id.is_empty())
    };
    next.role == Role::Assistant
        && (by_value
            || named(&next.extras)
            || next.blocks.first().is_some_and(|block| id_of(block, work).is_some()))
}

/// What only another dialect knows is left out when it is written, and nothing follows by it.
fn is_written(block: &Block, work: &Work<'_>) -> bool {
    !matches!(&block.body, Body::Foreign { dialect, .. } if *dialect != work.profile.dialect)
}

/// The next turn, but for those of the model's in which nothing is written.
fn next_turn<'w>(work: &'w Work<'_>, turn: usize) -> Option<&'w Turn> {
    let is_unwritten = |turn: &Turn| {
        turn.role == Role::Assistant
            && !turn.blocks.is_empty()
            && !turn.blocks.iter().any(|block| is_written(block, work))
    };
    work.turns()[turn + 1..].iter().map(|turn| &**turn).find(|turn| !is_unwritten(turn))
}

fn id_of(block: &Block, work: &Work<'_>) -> Option<Text> {
    thoughts::item_id(block, work.profile.dialect)
}
