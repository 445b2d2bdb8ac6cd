//! A call without a result gets one that says its outcome is unknown.
//!
//! An interrupted run leaves a call in the history and no result. The result that is added does not
//! claim that the tool did not run: it may have.
//!
//! ## Why
//! > messages.22: `tool_use` ids were found without `tool_result` blocks immediately after:
//! > toolu_01. Each `tool_use` block must have a corresponding `tool_result` block in the next
//! > message.
//!
//! > An assistant message with 'tool_calls' must be followed by tool messages responding to each
//! > 'tool_call_id'. The following tool_call_ids did not have response messages: call_1
//!
//! ## Example
//! ```text
//! before   assistant: call 1 `bash`        user: "stop, do it otherwise"
//! after    assistant: call 1 `bash`        user: result 1 (error) "Interrupted: …", "stop, do it otherwise"
//! ```

use interlingua_model::{Block, Body, Place, Role, ToolResult, Verbatim};
use interlingua_wire::Text;

use crate::Work;
use crate::fit::empty_turn::EMPTY_MESSAGE;
use crate::pairing::{self, Round, Spot};

pub fn apply(work: &mut Work<'_>) {
    pairing::mend_rounds(work, |work, round| {
        let start = round.speech.start;
        while let Some(spot) = unanswered(work, start) {
            answer(work, start, spot);
        }
    });
}

/// The first call that has no result: where calls share an id, each wants one.
fn unanswered(work: &Work<'_>, start: usize) -> Option<Spot> {
    let round = Round::at(work.turns(), start)?;
    let mut calls = round.calls(work);
    let open = calls.find(|(spot, call)| {
        let same = round.calls(work).filter(|(_, other)| other.id == call.id);
        let before = same.take_while(|(other, _)| other < spot).count();
        let results = round.results(work).filter(|(_, result)| result.call == call.id);
        results.count() <= before
    });
    open.map(|(spot, _)| spot)
}

fn answer(work: &mut Work<'_>, start: usize, spot: Spot) {
    let Some(call) = pairing::call(work.block(spot.0, spot.1)) else { return };
    let what = format!("added a result for the call {}: its outcome is unknown", call.id);
    add_result(work, start, spot, Text::new(UNKNOWN_OUTCOME), what);
}

/// Adds a result that says what went wrong, for a call of the round that begins with `start`.
pub(crate) fn add_result(
    work: &mut Work<'_>,
    start: usize,
    spot: Spot,
    message: Text,
    what: String,
) {
    let Some(round) = Round::at(work.turns(), start) else { return };
    let Some(called) = pairing::call(work.block(spot.0, spot.1)) else { return };
    let call = called.id.clone();
    let by_name = work.profile.calls.ordered_results;
    let name = by_name.then(|| called.name.clone());
    let rank = round.rank(work, &call);
    let content = vec![Block::text(message).into()];
    let result = ToolResult { call, name, content, is_error: true };
    let mut block = Block::new(Body::ToolResult(result));
    pairing::share_id(work, spot, &mut block);
    let (turn, mut at) = pairing::place_for_result(work, &round);
    if by_name {
        let later = |block: &Block| {
            let before = pairing::result(block);
            before.is_some_and(|before| round.rank(work, &before.call) > rank)
        };
        at -= work.blocks(turn)[..at].iter().rev().take_while(|block| later(block)).count();
    }
    work.insert(turn, at, block);
    work.change(Place::block(turn, at), what);
    if work.blocks(turn).iter().any(|block| !work.is_said(block)) {
        keep_word(work, turn);
    }
}

/// Where the user's words go and nothing is left but results that were made up, the turn says so: with
/// results alone, the loop of calls would go on, and what was thought in it would stand elsewhere.
pub(crate) fn keep_word(work: &mut Work<'_>, turn: usize) {
    let made_up = |block: &Block| match pairing::result(block).map(|result| &result.content[..]) {
        Some([one]) => one.body.as_text().is_some_and(|text| *text == UNKNOWN_OUTCOME),
        _ => false,
    };
    let blocks = work.blocks(turn);
    let left = |block: &Verbatim<Block>| made_up(block) || !work.is_said(block);
    let users = work.turns()[turn].role == Role::User && work.profile.thinking.in_loop;
    if users && blocks.iter().any(|block| made_up(block)) && blocks.iter().all(left) {
        let at = blocks.len();
        work.insert(turn, at, Block::text(Text::word(EMPTY_MESSAGE)));
        work.change(Place::block(turn, at), "the user's words are gone, and the turn says so");
    }
}

/// What the model reads in place of the result.
pub const UNKNOWN_OUTCOME: &str = "Interrupted: no result was recorded. The tool may or may not \
                                   have completed: outcome unknown, verify before repeating it.";
