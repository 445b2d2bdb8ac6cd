//! A result has the name of the tool that was called.
//!
//! Where results find their calls by name, or the name is required, a result without one or with
//! another gets that of its call.
//!
//! ## Why
//! > GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.
//!
//! > Request contains an invalid argument.
//!
//! ## Example
//! ```text
//! before   call 1 `search`, result 1 of `functions.search`
//! after    call 1 `search`, result 1 of `search`
//! ```

use interlingua_model::{Body, Place};
use interlingua_wire::Text;

use crate::Work;
use crate::pairing::{self, Round, Spot};

pub fn apply(work: &mut Work<'_>) {
    let calls = work.profile.calls;
    if pairing::crosses(work) || !calls.ordered_results {
        return;
    }
    let mut start = 0;
    while let Some(round) = Round::at(work.turns(), start) {
        while let Some((spot, name)) = misnamed(work, &round, calls.named_results) {
            let what = format!("the result is of `{name}`");
            if let Body::ToolResult(result) = &mut work.edit(spot.0, spot.1).body {
                result.name = Some(name);
            }
            work.change(Place::block(spot.0, spot.1), what);
        }
        start = round.end();
    }
}

/// The first result without a name, or with another than its call has.
fn misnamed(work: &Work<'_>, round: &Round, by_call: bool) -> Option<(Spot, Text)> {
    round.results(work).enumerate().find_map(|(order, (spot, result))| {
        let is_empty = result.name.as_ref().is_none_or(Text::is_empty);
        if !is_empty && !by_call {
            return None;
        }
        let of_id = round.calls(work).find(|(_, call)| call.id == result.call);
        let (_, call) = of_id.or_else(|| round.calls(work).nth(order))?;
        let differs = result.name.as_ref() != Some(&call.name);
        (differs && !call.name.is_empty()).then(|| (spot, call.name.clone()))
    })
}
