//! A result is of the kind that its call asks for.
//!
//! A tool that takes free text has results of a kind of its own. One that was written as the other
//! kind finds no call.
//!
//! ## Why
//! > No tool call found for function call output with call_id call_1.
//!
//! ## Example
//! ```text
//! before   custom_tool_call call_1, function_call_output call_1
//! after    custom_tool_call call_1, custom_tool_call_output call_1
//! ```

use std::collections::{HashMap, HashSet};

use interlingua_model::{Args, Calls, Place, ToolResult};
use interlingua_wire::{Json, Text};

use crate::pairing::{self, Round, Spot};
use crate::{About, Work};

pub fn apply(work: &mut Work<'_>) {
    let Some(mark) = work.profile.calls.freeform_mark.filter(|_| !pairing::crosses(work)) else {
        return;
    };
    if !work.holds(About::Freeform) && !work.holds(About::Extras) {
        return;
    }
    let mut start = 0;
    while let Some(round) = Round::at(work.turns(), start) {
        for ((turn, at), is_freeform) in other_kinds(work, &round, mark) {
            let dialect = work.profile.dialect;
            let mut extras = crate::extras::without(&work.block(turn, at).extras, dialect, mark);
            if is_freeform {
                extras.put(dialect, Text::word(mark), Json::NULL);
            }
            work.edit(turn, at).extras = extras;
            work.change(Place::block(turn, at), "the result is of the kind of its call");
        }
        start = round.end();
    }
}

/// The results that are not of the kind of their call, and whether the call takes free text.
fn other_kinds(work: &Work<'_>, round: &Round, mark: &str) -> Vec<(Spot, bool)> {
    let dialect = work.profile.dialect;
    let is_marked = |(turn, at): Spot| work.block(turn, at).extras.find(dialect, mark).is_some();
    // What the provider holds may have a call for any result: only a call that lacks one counts.
    let held = pairing::continues(work);
    let mut own = HashMap::new();
    for (_, call) in round.calls(work) {
        own.entry(call.id.contents()).or_insert(call);
    }
    let calls = Calls::of(work.conversation());
    let is_freeform = |spot: Spot, result: &ToolResult| {
        let earlier = || calls.call_of(spot.0, &result.call).filter(|_| !held);
        let call = own.get(&result.call.contents()).copied().or_else(earlier)?;
        Some(matches!(call.args, Args::Freeform(_)))
    };
    let right =
        |(spot, result): &(Spot, &ToolResult)| is_freeform(*spot, result) == Some(is_marked(*spot));
    let mut answered: HashSet<_> = round
        .results(work)
        .filter(|one| held && right(one))
        .map(|(_, one)| one.call.contents())
        .collect();
    let mut found = Vec::new();
    for (spot, result) in round.results(work) {
        let Some(is_freeform) = is_freeform(spot, result) else { continue };
        if is_freeform != is_marked(spot) && (!held || answered.insert(result.call.contents())) {
            found.push((spot, is_freeform));
        }
    }
    found
}
