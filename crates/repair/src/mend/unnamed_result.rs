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

use interlingua_model::{Block, Body, Place, ToolResult, Turn, Verbatim};

use crate::Work;
use crate::pairing::{self, Round, Spot};

pub fn apply(work: &mut Work<'_>) {
    let mut start = 0;
    while let Some(round) = Round::at(work.turns(), start) {
        while let Some((spot, call)) = unnamed(work, &round) {
            name(work, spot, call);
        }
        start = round.end();
    }
}

/// Whether the target takes a result as it stands, without an id.
fn is_taken(work: &Work<'_>, round: &Round, (turn, at): Spot) -> bool {
    let (dialect, extras) = (work.profile.dialect, &work.block(turn, at).extras);
    // Where ids are written, a call that is written anew has one.
    let by_id = UNNAMED.iter().any(|mark| extras.find(dialect, mark).is_some());
    let written = |turn: &Verbatim<Turn>| turn.text_for(dialect).is_some();
    pairing::is_fine(work, round)
        && !pairing::is_incomplete(work, extras)
        && (!by_id || work.turns()[round.speech.clone()].iter().all(written))
}

/// The first result without an id and the call for it, if there is one.
fn unnamed(work: &Work<'_>, round: &Round) -> Option<(Spot, Spot)> {
    let mut results = round.results(work);
    let unnamed = |(spot, result): &(Spot, &ToolResult)| {
        result.call.is_empty() && !is_taken(work, round, *spot)
    };
    let (spot, result) = results.find(unnamed)?;
    let open = || round.calls(work).filter(|(_, call)| !round.has_result(work, &call.id));
    let same = open().find(|(_, call)| result.name.as_ref() == Some(&call.name));
    let (call, _) = same.or_else(|| open().next())?;
    Some((spot, call))
}

fn name(work: &mut Work<'_>, (turn, at): Spot, call: Spot) {
    let Some(id) = pairing::call(work.block(call.0, call.1)).map(|call| call.id.clone()) else {
        return;
    };
    let mut answer = Block::clone(work.block(turn, at));
    pairing::share_id(work, call, &mut answer);
    let what = format!("a result without an id is taken to answer the open call {id}");
    if let Body::ToolResult(result) = &mut answer.body {
        result.call = id;
    }
    *work.edit(turn, at) = answer;
    work.change(Place::block(turn, at), what);
}

/// What decoding says of a result whose field for the id names no call.
const UNNAMED: &[&str] = &["no call", "null call"];
