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

use interlingua_model::{Args, Place};
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
        while let Some(((turn, at), is_freeform)) = other_kind(work, &round, mark) {
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

/// The first result that is not of the kind of its call, and whether the call takes free text.
fn other_kind(work: &Work<'_>, round: &Round, mark: &str) -> Option<(Spot, bool)> {
    let dialect = work.profile.dialect;
    let is_marked = |(turn, at): Spot| work.block(turn, at).extras.find(dialect, mark).is_some();
    // What the provider holds may have a call for any result: only a call that lacks one counts.
    let held = pairing::continues(work);
    round.results(work).find_map(|(spot, result)| {
        let own = round.calls(work).find(|(_, call)| call.id == result.call);
        let earlier = || work.conversation().call_of(spot.0, &result.call).filter(|_| !held);
        let call = own.map(|(_, call)| call).or_else(earlier)?;
        let is_freeform = matches!(call.args, Args::Freeform(_));
        let mut same = round.results(work).filter(|(_, other)| other.call == result.call);
        let answered = held && same.any(|(other, _)| is_marked(other) == is_freeform);
        (is_freeform != is_marked(spot) && !answered).then_some((spot, is_freeform))
    })
}
