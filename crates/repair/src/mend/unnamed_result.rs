//! A result that does not say which call it answers answers the first one that is open.
//!
//! Some clients lose the id on the way. Among the calls right before the result that no other result
//! answers, the first of the same tool is taken, or the first at all: the position tells more than a
//! name that several calls share.
//!
//! ## Why
//! > messages.2.content.0.tool_result.tool_use_id: Field required
//!
//! > missing field `tool_call_id`
//!
//! ## Example
//! ```text
//! before   assistant: call 1, call 2        user: result of ?, result 2
//! after    assistant: call 1, call 2        user: result 1, result 2
//! ```

use interlingua_model::{Body, Place};
use interlingua_wire::Text;

use crate::Work;
use crate::pairing::{Round, Spot};

pub fn apply(work: &mut Work<'_>) {
    let mut start = 0;
    while let Some(round) = Round::at(work.turns(), start) {
        while let Some((spot, id)) = unnamed(work, &round) {
            name(work, spot, id);
        }
        start = round.end();
    }
}

/// The first result without an id, if there is a call for it.
fn unnamed(work: &Work<'_>, round: &Round) -> Option<(Spot, Text)> {
    let (spot, result) = round.results(work).find(|(_, result)| result.call.is_empty())?;
    let open = || round.calls(work).filter(|(_, call)| !round.has_result(work, &call.id));
    let same = open().find(|(_, call)| result.name.as_ref() == Some(&call.name));
    let (_, call) = same.or_else(|| open().next())?;
    Some((spot, call.id.clone()))
}

fn name(work: &mut Work<'_>, (turn, at): Spot, id: Text) {
    let what = format!("a result without an id is taken to answer the open call {id}");
    if let Body::ToolResult(result) = &mut work.edit(turn, at).body {
        result.call = id;
    }
    work.change(Place::block(turn, at), what);
}
