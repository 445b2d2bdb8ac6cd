//! Adds empty reasoning to calls that lost their reasoning, or turns reasoning off.
//!
//! Some providers require the reasoning of a reply with tool calls in later requests. Where it was
//! lost, or another model made the call, empty reasoning is sent if the provider accepts that;
//! otherwise reasoning is turned off for this request.
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

use interlingua_model::{
    Block, BlockContent, LedgerPath, Reasoning, ReasoningForm, Role, Turn, Verbatim,
};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::forced_while_thinking::{self, turn_off_reasoning};
use super::strange_calls::CALLS_FIELD;
use crate::profile::reasoning::ReasoningEcho;
use crate::{Work, stand_in, thoughts};

pub fn apply(work: &mut Work<'_>) {
    work.set_rule("forced-while-thinking");
    forced_while_thinking::recheck(work);
    work.set_rule("missing-reasoning");
    let reasoning = &work.profile.reasoning;
    if reasoning.echo == ReasoningEcho::NotRequired || !work.is_reasoning_enabled() {
        return;
    }
    if reasoning.echo == ReasoningEcho::NonEmpty {
        remove_stray_calls(work);
        return require_reasoning(work);
    }
    if reasoning.echo == ReasoningEcho::WithCallsMayBeEmpty {
        add_before_calls(work);
    }
}

/// Adds empty reasoning to the replies around calls where the target accepts it. If the request is
/// encoded, replies without calls get it too: a later call would require it, and the prefix must
/// not change then.
pub(super) fn add_empty_reasoning(work: &mut Work<'_>) {
    if work.profile.reasoning.echo != ReasoningEcho::MayBeEmpty || !work.is_reasoning_enabled() {
        return;
    }
    let may_call = |at: usize| has_calls(&work.turns()[at]) || has_stray_calls(work, at);
    let (with_calls, without_calls): (Vec<_>, Vec<_>) =
        user_intervals(work).into_iter().partition(|interval| interval.clone().any(may_call));
    let runs = thoughts::assistant_runs(work);
    for interval in with_calls {
        for reply in answer_ranges(work, &runs, &interval) {
            add_to_answer(work, reply);
        }
    }
    if work.is_verbatim() {
        return;
    }
    for interval in without_calls {
        // If the model may continue before the next user turn, calls may still follow; the texts
        // before them must be encoded in the same way then.
        for reply in answer_ranges(work, &runs, &interval) {
            if reply.end != interval.end {
                add_to_answer(work, reply);
            }
        }
    }
}

fn add_to_answer(work: &mut Work<'_>, reply: Range<usize>) {
    if work.turns()[reply.clone()].iter().any(|turn| has_reasoning(turn, true)) {
        return rewrite_reasoning_field(work, reply);
    }
    insert_empty_reasoning(work, reply.start);
}

/// Inserts empty reasoning as the turn's first block. The client's verbatim text stays, unless it
/// has another reasoning field.
fn insert_empty_reasoning(work: &mut Work<'_>, turn: usize) {
    let field = work.profile.reasoning.echo_field;
    let written_doc = work.turns()[turn].text_for(work.profile.dialect);
    let written_doc = written_doc.map(RawJson::to_doc).filter(|doc| {
        let is_reasoning_field =
            |name: &str| name.contains("reasoning") || name.contains("thinking");
        doc.root().is_object() && !doc.root().fields().any(|field| is_reasoning_field(&field.key()))
    });
    let empty = Reasoning { text: JsonString::EMPTY, form: ReasoningForm::Full };
    work.insert_block(turn, 0, Block::new(BlockContent::Reasoning(empty)));
    if let Some(written_doc) = written_doc.filter(|_| !field.is_empty()) {
        let text =
            stand_in::with_field(written_doc.root(), field, &RawJson::string(&JsonString::EMPTY));
        work.edit_turn_with_text(turn, text, |_| {});
    }
    work.record_change(
        LedgerPath::block(turn, 0),
        "added empty reasoning: that of the calls is missing",
    );
}

/// Adds empty reasoning before the calls of assistant runs that have none.
fn add_before_calls(work: &mut Work<'_>) {
    for run in thoughts::assistant_runs(work).into_iter().rev() {
        let turns = &work.turns()[run.clone()];
        let Some(calls) = turns.iter().position(|turn| has_calls(turn)) else { continue };
        if !turns.iter().any(|turn| has_reasoning(turn, true)) {
            insert_empty_reasoning(work, run.start + calls);
        }
    }
}

/// Removes calls in messages that are not the assistant's: no reasoning led to them.
fn remove_stray_calls(work: &mut Work<'_>) {
    let dialect = work.profile.dialect;
    for turn in 0..work.turns().len() {
        if has_stray_calls(work, turn) {
            work.record_loss(
                LedgerPath::turn(turn),
                "left out calls in a message that is not the assistant's",
            );
            work.edit_turn(turn).extras.retain(dialect, |key, value| !is_call(key, value));
        }
    }
}

/// Whether a message that is not the assistant's has calls.
fn has_stray_calls(work: &Work<'_>, turn: usize) -> bool {
    let this = &work.turns()[turn];
    let mut fields = this.extras.fields_for(work.profile.dialect).iter();
    this.role != Role::Assistant && fields.any(|(key, value)| is_call(key, value))
}

fn is_call(key: &JsonString, value: &RawJson) -> bool {
    key == CALLS_FIELD || key == LEGACY_CALL_FIELD && value.is_object()
}

/// Turns reasoning off if a reply with calls lacks reasoning. Reasoning fields are rewritten in
/// either case, so that a later reply without reasoning changes nothing before it.
fn require_reasoning(work: &mut Work<'_>) {
    let all = 0..work.turns().len();
    let mut missing = false;
    for reply in answer_ranges(work, &thoughts::assistant_runs(work), &all) {
        let turns = &work.turns()[reply.clone()];
        if turns.iter().any(|turn| has_calls(turn)) {
            missing |= !turns.iter().any(|turn| has_reasoning(turn, false));
            rewrite_reasoning_field(work, reply);
        }
    }
    if missing {
        turn_off_reasoning(work, "reasoning is off for this request: calls lack their reasoning");
    }
}

/// Rewrites replies that have their reasoning in a field of another server.
fn rewrite_reasoning_field(work: &mut Work<'_>, reply: Range<usize>) {
    let (dialect, field) = (work.profile.dialect, work.profile.reasoning.echo_field);
    let may_be_empty = work.profile.reasoning.echo == ReasoningEcho::MayBeEmpty;
    let has_text = |value: JsonNode<'_>| {
        value.is_string() && (may_be_empty || !value.str_or_empty().is_empty())
    };
    for turn in reply {
        let text = work.turns()[turn].text_for(dialect);
        let is_elsewhere =
            text.is_some_and(|text| !text.to_doc().root().get(field).is_some_and(has_text));
        if is_elsewhere && has_reasoning(&work.turns()[turn], may_be_empty) {
            work.edit_turn(turn);
            work.record_change(LedgerPath::turn(turn), format!("moved the reasoning to `{field}`"));
        }
    }
}

fn has_calls(turn: &Turn) -> bool {
    turn.role == Role::Assistant
        && turn.blocks.iter().any(|block| matches!(block.content, BlockContent::ToolCall(_)))
}

fn has_reasoning(turn: &Turn, even_empty: bool) -> bool {
    turn.blocks.iter().any(|block| match &block.content {
        BlockContent::Reasoning(reasoning) => {
            reasoning.form != ReasoningForm::Redacted && (even_empty || !reasoning.text.is_empty())
        }
        _ => false,
    })
}

/// The turn ranges between user messages.
fn user_intervals(work: &Work<'_>) -> Vec<Range<usize>> {
    let mut intervals = Vec::new();
    let mut start = 0;
    for (at, turn) in work.turns().iter().enumerate() {
        let is_user_content = |block: &Verbatim<Block>| {
            !matches!(block.content, BlockContent::ToolResult(_)) && work.is_encoded(block)
        };
        let has_user_content = turn.blocks.is_empty() || turn.blocks.iter().any(is_user_content);
        if turn.role == Role::User && has_user_content {
            intervals.push(start..at);
            start = at + 1;
        }
    }
    intervals.push(start..work.turns().len());
    intervals
}

/// The replies within an interval: turns, or runs of turns where they are encoded as one message.
fn answer_ranges(
    work: &Work<'_>,
    runs: &[Range<usize>],
    interval: &Range<usize>,
) -> Vec<Range<usize>> {
    if work.is_same_dialect() {
        let is_assistant_turn = |at: &usize| work.turns()[*at].role == Role::Assistant;
        return interval.clone().filter(is_assistant_turn).map(|at| at..at + 1).collect();
    }
    let first = runs.partition_point(|run| run.start < interval.start);
    runs[first..].iter().take_while(|run| run.end <= interval.end).cloned().collect()
}

/// The field of a message with a legacy call.
const LEGACY_CALL_FIELD: &str = "function_call";
