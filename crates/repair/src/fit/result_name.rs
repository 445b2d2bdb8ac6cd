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
        while let Some((spot, call)) = misnamed(work, &round, calls.named_results) {
            name(work, spot, call);
        }
        start = round.end();
    }
}

/// The first result without a name, or with another than its call has; and that call.
fn misnamed(work: &Work<'_>, round: &Round, by_call: bool) -> Option<(Spot, Spot)> {
    round.results(work).enumerate().find_map(|(order, (spot, result))| {
        let is_empty = result.name.as_ref().is_none_or(Text::is_empty);
        if !is_empty && !by_call {
            return None;
        }
        let of_id = round.calls(work).find(|(_, call)| call.id == result.call);
        let (at, call) = of_id.or_else(|| round.calls(work).nth(order))?;
        let differs = result.name.as_ref() != Some(&call.name);
        (differs && !call.name.is_empty()).then_some((spot, at))
    })
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
