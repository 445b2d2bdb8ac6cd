//! A result has the name of the tool that was called.
//!
//! Where results find their calls by name, or the name is required, a result without one or with
//! another gets that of its call.
//!
//! ## Why
//! > GenerateContentRequest.contents\[2\].parts\[0\].function_response.name: Name cannot be empty.
//!
//! > Request contains an invalid argument.
//!
//! ## Example
//! ```text
//! before   call 1 `search`, result 1 of `functions.search`
//! after    call 1 `search`, result 1 of `search`
//! ```

use interlingua_model::{Block, Body, Place};

use crate::Work;
use crate::pairing::{self, Spot};

pub fn apply(work: &mut Work<'_>) {
    if !work.profile.calls.ordered_results {
        return;
    }
    let misnamed = if pairing::crosses(work) { nameless } else { misnamed };
    for turn in 1..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            if let Some(call) = misnamed(work, (turn, at)) {
                name(work, (turn, at), call);
            }
        }
    }
}

/// The call of a result without a name, or with another than its call has.
fn misnamed(work: &Work<'_>, spot: Spot) -> Option<Spot> {
    let result = pairing::result(work.block(spot.0, spot.1))?;
    let by_call = work.profile.calls.named_results;
    if !by_call && result.name.as_ref().is_some_and(|name| !name.is_empty()) {
        return None;
    }
    let own = || calls_before(work, spot.0).find(|(_, call)| call.id == result.call);
    let own = own().map(|(spot, _)| spot).filter(|_| !by_call);
    let at = own.or_else(|| taken_for(work, spot))?;
    let call = pairing::call(work.block(at.0, at.1))?;
    let differs = result.name.as_ref() != Some(&call.name);
    (differs && !call.name.is_empty()).then_some(at)
}

/// The call without an id of a result without one, if the result has another name: where the id is not
/// written, nothing but the name tells the one from the others.
fn nameless(work: &Work<'_>, (turn, at): Spot) -> Option<Spot> {
    let result = pairing::result(work.block(turn, at)).filter(|one| one.call.is_empty())?;
    let calls = pairing::blocks(work, 0..turn)
        .filter_map(|(spot, block)| Some((spot, pairing::call(block)?)))
        .filter(|(_, call)| call.id.is_empty());
    let (spot, call) = calls.last()?;
    let differs = result.name.as_ref() != Some(&call.name);
    (differs && !call.name.is_empty()).then_some(spot)
}

/// The call that the target takes a result to answer: that of the id with which both are written, or
/// else the one whose number among the calls is the result's among the results.
pub(super) fn taken_for(work: &Work<'_>, (turn, at): Spot) -> Option<Spot> {
    let written = |(turn, at): Spot| pairing::written_id(work, work.block(turn, at));
    let id = written((turn, at));
    let same = |spot: Spot| id.as_ref().is_some_and(|id| written(spot).as_ref() == Some(id));
    let before = &work.blocks(turn)[..at];
    let order = before.iter().filter(|block| pairing::result(block).is_some()).count();
    let mut calls = calls_before(work, turn).map(|(spot, _)| spot);
    calls
        .find(|spot| same(*spot))
        .or_else(|| calls_before(work, turn).map(|(spot, _)| spot).nth(order))
}

/// The calls of the turn before, whoever makes them.
pub(super) fn calls_before<'w>(
    work: &'w Work<'_>,
    turn: usize,
) -> impl Iterator<Item = (Spot, &'w interlingua_model::ToolCall)> {
    let before = turn.saturating_sub(1)..turn;
    pairing::blocks(work, before).filter_map(|(spot, block)| Some((spot, pairing::call(block)?)))
}

fn name(work: &mut Work<'_>, (turn, at): Spot, call: Spot) {
    let Some(called) = pairing::call(work.block(call.0, call.1)) else { return };
    let (id, name) = (called.id.clone(), called.name.clone());
    let what = format!("the result is of `{name}`");
    let mut answer = Block::clone(work.block(turn, at));
    pairing::share_id(work, call, &mut answer);
    if let Body::ToolResult(result) = &mut answer.body {
        (result.call, result.name) = (id, Some(name));
    }
    *work.edit(turn, at) = answer;
    work.change(Place::block(turn, at), what);
}
