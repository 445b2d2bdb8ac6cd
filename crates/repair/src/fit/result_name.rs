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

use std::collections::HashMap;

use interlingua_model::{Block, Body, Place};
use interlingua_wire::Text;

use crate::Work;
use crate::pairing::{self, Spot};

pub fn apply(work: &mut Work<'_>) {
    if !work.profile.calls.ordered_results {
        return;
    }
    let crosses = pairing::crosses(work);
    for turn in 1..work.turns().len() {
        let mut calls = None;
        let mut order = 0;
        for at in 0..work.blocks(turn).len() {
            if pairing::result(work.block(turn, at)).is_none() {
                continue;
            }
            let call = if crosses {
                nameless(work, (turn, at))
            } else {
                let calls = calls.get_or_insert_with(|| CallsBefore::of(work, turn));
                misnamed(work, calls, (turn, at), order)
            };
            order += 1;
            if let Some(call) = call {
                name(work, (turn, at), call);
            }
        }
    }
}

/// The call of a result without a name, or with another than its call has.
fn misnamed(work: &Work<'_>, calls: &CallsBefore, spot: Spot, order: usize) -> Option<Spot> {
    let result = pairing::result(work.block(spot.0, spot.1))?;
    let by_call = work.profile.calls.named_results;
    if !by_call && result.name.as_ref().is_some_and(|name| !name.is_empty()) {
        return None;
    }
    let own = calls.rank(&result.call).map(|rank| calls.spots[rank]).filter(|_| !by_call);
    let at = own.or_else(|| calls.taken_for(work, spot, order))?;
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

/// The calls of the turn before, whoever makes them.
pub(super) struct CallsBefore {
    spots: Vec<Spot>,
    /// The number of the first with an id, and of the first that is written with one.
    ids: HashMap<String, usize>,
    written: HashMap<String, usize>,
}

impl CallsBefore {
    pub(super) fn of(work: &Work<'_>, turn: usize) -> Self {
        let mut calls = Self { spots: Vec::new(), ids: HashMap::new(), written: HashMap::new() };
        for (spot, block) in pairing::blocks(work, turn.saturating_sub(1)..turn) {
            let Some(call) = pairing::call(block) else { continue };
            let rank = calls.spots.len();
            calls.spots.push(spot);
            calls.ids.entry(call.id.contents().into_owned()).or_insert(rank);
            if let Some(id) = pairing::written_id(work, block) {
                calls.written.entry(id.contents().into_owned()).or_insert(rank);
            }
        }
        calls
    }

    /// The number of the first call with this id.
    pub(super) fn rank(&self, id: &Text) -> Option<usize> {
        self.ids.get(&*id.contents()).copied()
    }

    /// The call that the target takes a result to answer: that of the id with which both are written, or
    /// else the one whose number among the calls is the result's among the results.
    pub(super) fn taken_for(&self, work: &Work<'_>, spot: Spot, order: usize) -> Option<Spot> {
        let id = pairing::written_id(work, work.block(spot.0, spot.1));
        let same = id.and_then(|id| self.written.get(&*id.contents()).copied());
        self.spots.get(same.unwrap_or(order)).copied()
    }
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
