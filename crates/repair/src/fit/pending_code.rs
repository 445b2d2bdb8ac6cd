//! A call made by code that does not wait any more is the model's own.
//!
//! While code that the provider runs waits for the results of its calls, nothing else may be said, the
//! results are text, and its container is named. Where that is not so the code waits in vain: its
//! calls become plain ones, which any result answers.
//!
//! ## Why
//! > messages.2.content.1: only `tool_result` blocks may be provided while a programmatic tool call is
//! > pending
//!
//! > container: the container id is required while a programmatic tool call is pending
//!
//! ## Example
//! ```text
//! before   assistant: call 1 of the code        user: result 1, "and hurry"
//! after    assistant: call 1                    user: result 1, "and hurry"
//! ```

use interlingua_model::{Block, Body, Place, Role, ToolResult};
use interlingua_wire::Json;

use crate::Work;
use crate::pairing::{self, Round, Spot};

pub fn apply(work: &mut Work<'_>) {
    let Some(key) = work.profile.calls.caller else { return };
    let Some(round) = last_round(work) else { return };
    let by_code: Vec<Spot> = round
        .calls(work)
        .map(|(spot, _)| spot)
        .filter(|(turn, at)| is_by_code(work.block(*turn, *at).extras.find(dialect(work), key)))
        .collect();
    if by_code.is_empty() || may_wait(work, &round) {
        return;
    }
    for (turn, at) in by_code {
        let kept = crate::extras::without(&work.block(turn, at).extras, dialect(work), key);
        work.edit(turn, at).extras = kept;
        let what = format!("left out `{key}`: the code does not wait for this call any more");
        work.loss(Place::block(turn, at), what);
    }
}

fn dialect(work: &Work<'_>) -> interlingua_model::DialectId {
    work.profile.dialect
}

/// What the model said last, and what came after it.
fn last_round(work: &Work<'_>) -> Option<Round> {
    let is_speech = |at: &usize| work.turns()[*at].role == Role::Assistant;
    let last = (0..work.turns().len()).rev().find(is_speech)?;
    let start = (0..=last).rev().take_while(is_speech).last()?;
    Round::at(work.turns(), start).filter(|round| !round.answers.is_empty())
}

fn is_by_code(caller: Option<&Json>) -> bool {
    caller.is_some_and(|caller| {
        let doc = caller.doc();
        doc.root().get("type").is_some_and(|kind| kind.is_string() && kind.word() != "direct")
    })
}

/// Whether all that came is what the code waits for, and where it runs is known.
fn may_wait(work: &Work<'_>, round: &Round) -> bool {
    let fields = &work.conversation().fields;
    let has_container = !pairing::crosses(work)
        && fields.iter().any(|field| field.key == "container" && field.value != Json::NULL);
    let is_text = |result: &ToolResult| {
        result.content.iter().all(|block| matches!(block.body, Body::Text { .. }))
    };
    let answers = |block: &Block| pairing::result(block).is_some_and(is_text);
    has_container && pairing::blocks(work, round.answers.clone()).all(|(_, block)| answers(block))
}
