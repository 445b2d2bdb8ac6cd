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

use std::borrow::Cow;
use std::collections::HashMap;

use interlingua_model::{Block, Body, Place, Role, ToolResult, Verbatim};
use interlingua_wire::Text;

use crate::apart::mend_rounds_apart;
use crate::fit::empty_turn::EMPTY_MESSAGE;
use crate::pairing::{self, Round, Spot};
use crate::{Work, landing};

pub fn apply(work: &mut Work<'_>) {
    mend_rounds_apart(work, |work, round| {
        let calls = unanswered(work, round).into_iter();
        let missing = calls.map(|(spot, id)| Missing {
            call: spot,
            message: Text::new(UNKNOWN_OUTCOME),
            what: format!("added a result for the call {id}: its outcome is unknown"),
        });
        add_results(work, round.speech.start, missing.collect());
    });
}

/// The calls that have no result: where calls share an id, each wants one.
fn unanswered(work: &Work<'_>, round: &Round) -> Vec<(Spot, Text)> {
    let mut results: HashMap<Cow<'_, str>, usize> = HashMap::new();
    for (_, result) in round.results(work) {
        *results.entry(result.call.contents()).or_default() += 1;
    }
    let open = round.calls(work).filter(|(_, call)| match results.get_mut(&call.id.contents()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    });
    open.map(|(spot, call)| (spot, call.id.clone())).collect()
}

/// A result that says what went wrong, for a call.
pub(crate) struct Missing {
    pub call: Spot,
    pub message: Text,
    pub what: String,
}

/// Adds results for calls, in their order, of the round that begins with `start`.
pub(crate) fn add_results(work: &mut Work<'_>, start: usize, missing: Vec<Missing>) {
    let by_name = work.profile.calls.ordered_results;
    let mut added = Vec::with_capacity(missing.len());
    let mut said = Vec::with_capacity(missing.len());
    for Missing { call: spot, message, what } in missing {
        let Some(called) = pairing::call(work.block(spot.0, spot.1)) else { continue };
        let name = by_name.then(|| called.name.clone());
        let content = vec![Block::text(message).into()];
        let result = ToolResult { call: called.id.clone(), name, content, is_error: true };
        let mut block = Block::new(Body::ToolResult(result));
        pairing::share_id(work, spot, &mut block);
        added.push(block.into());
        said.push(what);
    }
    let places = landing::land_in_order(work, start, added, by_name);
    let mut told = None;
    for ((turn, at), what) in places.into_iter().zip(said) {
        work.change(Place::block(turn, at), what);
        if told.replace(turn) != Some(turn)
            && work.blocks(turn).iter().any(|block| !work.is_said(block))
        {
            keep_word(work, turn);
        }
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
    // What is left out is mostly left out from the end: the last block tells soonest.
    if users && blocks.iter().rev().all(left) && blocks.iter().any(|block| made_up(block)) {
        let at = blocks.len();
        work.insert(turn, at, Block::text(Text::word(EMPTY_MESSAGE)));
        work.change(Place::block(turn, at), "the user's words are gone, and the turn says so");
    }
}

/// What the model reads in place of the result.
pub const UNKNOWN_OUTCOME: &str = "Interrupted: no result was recorded. The tool may or may not \
                                   have completed: outcome unknown, verify before repeating it.";
