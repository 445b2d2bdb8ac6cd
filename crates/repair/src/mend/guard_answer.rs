//! A call that did not fit its tool's schema has the guard's words in its result.
//!
//! When the model made the call, the guard found it wrong and kept an error for it. The client saw the
//! call as it was. If it answered, its own words stay, and the error follows them; if it did not, the
//! error is the result. The same call gets the same words in every request of the conversation.
//!
//! ## Why
//! A model that is not told of its mistake repeats it: an agent that meets `{}` where a path is required
//! may show an empty call, fail in words of its own, or send the history on without a result.
//!
//! ## Example
//! ```text
//! before   assistant: call 1 `read` of `{}`   user: "go on"
//! after    assistant: call 1 `read` of `{}`   user: result 1 (error) "Error: Tool 'read' was called with
//!                                             empty arguments. …", "go on"
//! ```

use interlingua_model::{Block, Body, Place, Told, ToolResult};
use interlingua_wire::Text;

use super::unanswered_call::{Missing, add_results};
use crate::Work;
use crate::pairing::{self, Round, Spot};

pub fn apply(work: &mut Work<'_>) {
    if work.recalled.told.is_empty() {
        return;
    }
    let mut start = 0;
    while let Some(round) = Round::at(work.turns(), start) {
        let calls = round.calls(work).filter_map(|(spot, call)| {
            let told = work.recalled.told.iter().find(|told| told.call == *call)?;
            Some((spot, told))
        });
        for (spot, told) in calls.collect::<Vec<_>>() {
            tell(work, start, spot, told);
        }
        start = Round::at(work.turns(), start).map_or(start + 1, |round| round.end());
    }
}

/// What is added comes after the call: where that stands does not change.
fn tell(work: &mut Work<'_>, start: usize, spot: Spot, told: &Told) {
    let id = &told.call.id;
    let at = answered(work, spot, id).or_else(|| answered_by_place(work, start, spot));
    let Some(at) = at else {
        let what = format!("added the guard's result for the call {id}: it did not fit its schema");
        let missing = Missing { call: spot, message: told.message.clone(), what };
        add_results(work, start, vec![missing]);
        return;
    };
    let Body::ToolResult(result) = &work.block(at.0, at.1).body else { return };
    if says(result, &told.message) {
        return;
    }
    if let Body::ToolResult(result) = &mut work.edit(at.0, at.1).body {
        add(result, &told.message);
    }
    let what = format!("added the guard's words to the result of the call {id}");
    work.change(Place::block(at.0, at.1), what);
}

/// The result of a call, wherever it stands before its id is used again.
fn answered(work: &Work<'_>, call: Spot, id: &Text) -> Option<Spot> {
    let later = pairing::blocks(work, call.0..work.turns().len()).filter(|(spot, _)| *spot > call);
    for (spot, block) in later {
        if pairing::result(block).is_some_and(|result| result.call == *id) {
            return Some(spot);
        }
        if pairing::call(block).is_some_and(|again| again.id == *id) {
            break;
        }
    }
    None
}

/// The result of a call where results need not say which call they answer: of those that answer no
/// call by its id, the one in its place.
fn answered_by_place(work: &Work<'_>, start: usize, call: Spot) -> Option<Spot> {
    let round = Round::at(work.turns(), start)?;
    let (called, answered) = (round.called(work), round.answered(work));
    let mut open = round.calls(work).filter(|(_, open)| !answered.has(&open.id));
    let place = open.position(|(spot, _)| spot == call)?;
    let mut stray = round.results(work).filter(|(_, one)| !called.has(&one.call));
    stray.nth(place).map(|(spot, _)| spot)
}

fn says(result: &ToolResult, message: &Text) -> bool {
    let texts = result.content.iter().filter_map(|block| block.body.as_text());
    let message = message.contents();
    texts.into_iter().any(|text| text.contents().contains(&*message))
}

fn add(result: &mut ToolResult, message: &Text) {
    // Where a result may not be an error and hold media, the media is worth more.
    let words = |block: &Block| matches!(block.body, Body::Text { .. });
    result.is_error |= result.content.iter().all(|block| words(block));
    if let Some(Body::Text { text, .. }) = result.content.last().map(|last| &last.body) {
        let joined =
            if text.is_blank() { message.clone() } else { Text::join([text, message], "\n\n") };
        if let Some(last) = result.content.last_mut()
            && let Body::Text { text, .. } = &mut last.edit().body
        {
            *text = joined;
        }
        return;
    }
    result.content.push(Block::text(message.clone()).into());
}
