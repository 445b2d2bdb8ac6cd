//! Reasoning that must come back with its calls, and is gone, comes back empty; or the model does not think.
//!
//! Some providers want the reasoning of an answer that called tools back in later requests. Where it was
//! lost, or another model made the call, an empty text is sent if the provider takes that; otherwise
//! thinking is turned off for this request.
//!
//! ## Why
//! > The `reasoning_content` in the thinking mode must be passed back to the API.
//!
//! > thinking is enabled but reasoning_content is missing in assistant tool call message at index 2
//!
//! ## Example
//! ```text
//! before   assistant: call 1
//! after    assistant: reasoning "", call 1
//! ```

use std::ops::Range;

use interlingua_model::{Block, Body, Form, Place, Role, Thinking, Turn, Verbatim};
use interlingua_wire::{Json, Node, Text};

use super::forced_while_thinking::{self, turn_off};
use super::strange_calls::CALLS;
use crate::profile::thinking::Echo;
use crate::{Work, stand_in, thoughts};

pub fn apply(work: &mut Work<'_>) {
    work.begin("forced-while-thinking");
    forced_while_thinking::look_again(work);
    work.begin("missing-reasoning");
    let row = &work.profile.thinking;
    if row.echo == Echo::Free || !work.thinks() {
        return;
    }
    if row.echo == Echo::Said {
        strange_calls(work);
        return said(work);
    }
    if row.echo == Echo::WithCalls {
        with_calls(work);
    }
}

/// Where reasoning may be empty, that of the answers around calls is. What need not be there is, if the
/// request is written anew, also for those around calls: whether it is must be known.
pub(super) fn echo(work: &mut Work<'_>) {
    if work.profile.thinking.echo != Echo::Empty || !work.thinks() {
        return;
    }
    let calls = |at: usize| has_calls(&work.turns()[at]) || calls_strangely(work, at);
    let (called, silent): (Vec<_>, Vec<_>) =
        stretches(work).into_iter().partition(|stretch| stretch.clone().any(calls));
    let runs = thoughts::runs(work);
    for stretch in called {
        for answer in answers(work, &runs, &stretch) {
            echo_in(work, answer);
        }
    }
    if work.is_untouched() {
        return;
    }
    for stretch in silent {
        // Where the model may go on before the user speaks, calls may come yet: what is said before them
        // is to be said the same way then.
        for answer in answers(work, &runs, &stretch) {
            if answer.end != stretch.end {
                echo_in(work, answer);
            }
        }
    }
}

fn echo_in(work: &mut Work<'_>, answer: Range<usize>) {
    if work.turns()[answer.clone()].iter().any(|turn| has_reasoning(turn, true)) {
        return respell(work, answer);
    }
    put_empty(work, answer.start);
}

/// Puts reasoning without a word before all else in the turn. What the client wrote stays as it is,
/// unless it has another field for reasoning.
fn put_empty(work: &mut Work<'_>, turn: usize) {
    let field = work.profile.thinking.echo_field;
    let written = work.turns()[turn].text_for(work.profile.dialect);
    let written = written.map(Json::doc).filter(|doc| {
        let thinks = |name: &str| name.contains("reasoning") || name.contains("thinking");
        doc.root().is_object() && !doc.root().fields().any(|field| thinks(&field.name()))
    });
    let empty = Thinking { text: Text::EMPTY, form: Form::Full };
    work.insert(turn, 0, Block::new(Body::Thinking(empty)));
    if let Some(written) = written.filter(|_| !field.is_empty()) {
        let text = stand_in::with(written.root(), field, &Json::string(&Text::EMPTY));
        work.reword(turn, text, |_| {});
    }
    work.change(Place::block(turn, 0), "the reasoning of the calls is gone: it is empty");
}

/// What the model says in a row and calls tools in has reasoning before them, if it has none.
fn with_calls(work: &mut Work<'_>) {
    for run in thoughts::runs(work).into_iter().rev() {
        let turns = &work.turns()[run.clone()];
        let Some(calls) = turns.iter().position(|turn| has_calls(turn)) else { continue };
        if !turns.iter().any(|turn| has_reasoning(turn, true)) {
            put_empty(work, run.start + calls);
        }
    }
}

/// Leaves out calls in messages that are not the model's: no reasoning led to them.
fn strange_calls(work: &mut Work<'_>) {
    let dialect = work.profile.dialect;
    for turn in 0..work.turns().len() {
        if calls_strangely(work, turn) {
            work.loss(Place::turn(turn), "left out calls in a message that is not the model's");
            work.turn(turn).extras.retain(dialect, |key, value| !is_call(key, value));
        }
    }
}

/// Whether a message that is not the model's calls all the same.
fn calls_strangely(work: &Work<'_>, turn: usize) -> bool {
    let this = &work.turns()[turn];
    let mut fields = this.extras.of(work.profile.dialect).iter();
    this.role != Role::Assistant && fields.any(|(key, value)| is_call(key, value))
}

fn is_call(key: &Text, value: &Json) -> bool {
    key == CALLS || key == OLD_CALL && value.is_object()
}

/// Every answer with calls brings its reasoning, or the model does not think. What is respelled does
/// not depend on that: an answer that lacks it may come later.
fn said(work: &mut Work<'_>) {
    let all = 0..work.turns().len();
    let mut missing = false;
    for answer in answers(work, &thoughts::runs(work), &all) {
        let turns = &work.turns()[answer.clone()];
        if turns.iter().any(|turn| has_calls(turn)) {
            missing |= !turns.iter().any(|turn| has_reasoning(turn, false));
            respell(work, answer);
        }
    }
    if missing {
        turn_off(work, "thinking is off for this request: calls lack their reasoning");
    }
}

/// Writes an answer anew whose reasoning stands in a field of another server's.
fn respell(work: &mut Work<'_>, answer: Range<usize>) {
    let (dialect, field) = (work.profile.dialect, work.profile.thinking.echo_field);
    let silent = work.profile.thinking.echo == Echo::Empty;
    let tells = |value: Node<'_>| value.is_string() && (silent || !value.word().is_empty());
    for turn in answer {
        let text = work.turns()[turn].text_for(dialect);
        let strange = text.is_some_and(|text| !text.doc().root().get(field).is_some_and(tells));
        if strange && has_reasoning(&work.turns()[turn], silent) {
            work.turn(turn);
            work.change(Place::turn(turn), format!("the reasoning stands in `{field}`"));
        }
    }
}

fn has_calls(turn: &Turn) -> bool {
    turn.role == Role::Assistant
        && turn.blocks.iter().any(|block| matches!(block.body, Body::ToolCall(_)))
}

fn has_reasoning(turn: &Turn, even_empty: bool) -> bool {
    turn.blocks.iter().any(|block| match &block.body {
        Body::Thinking(one) => one.form != Form::Redacted && (even_empty || !one.text.is_empty()),
        _ => false,
    })
}

/// What lies between two messages of the user.
fn stretches(work: &Work<'_>) -> Vec<Range<usize>> {
    let mut stretches = Vec::new();
    let mut start = 0;
    for (at, turn) in work.turns().iter().enumerate() {
        let speech = |block: &Verbatim<Block>| {
            !matches!(block.body, Body::ToolResult(_)) && work.is_said(block)
        };
        let says = turn.blocks.is_empty() || turn.blocks.iter().any(speech);
        if turn.role == Role::User && says {
            stretches.push(start..at);
            start = at + 1;
        }
    }
    stretches.push(start..work.turns().len());
    stretches
}

/// The answers within: turns, or runs of turns where they are written as one.
fn answers(work: &Work<'_>, runs: &[Range<usize>], stretch: &Range<usize>) -> Vec<Range<usize>> {
    if work.is_own() {
        let answer = |at: &usize| work.turns()[*at].role == Role::Assistant;
        return stretch.clone().filter(answer).map(|at| at..at + 1).collect();
    }
    let first = runs.partition_point(|run| run.start < stretch.start);
    runs[first..].iter().take_while(|run| run.end <= stretch.end).cloned().collect()
}

/// The field of a message that calls in the old way.
const OLD_CALL: &str = "function_call";
