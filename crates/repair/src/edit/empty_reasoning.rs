//! Adds empty reasoning to replies whose reasoning is missing, and moves reasoning to the field that
//! the target reads.

use std::ops::Range;

use interlingua_model::{
    Block, BlockContent, LedgerPath, Reasoning, ReasoningForm, Role, Turn, Verbatim,
};
use interlingua_providers::profile::reasoning::ReasoningEcho;
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::edit::call_seal;
use crate::engine::Work;
use crate::query::reasoning;
use crate::query::written_calls::CALLS_FIELD;

/// Adds empty reasoning to the replies around calls where the target accepts it. If the request is
/// encoded, replies without calls get it too: a later call would require it, and the prefix must
/// not change then.
pub(crate) fn add_empty_reasoning(work: &mut Work<'_>) {
    if work.profile.reasoning.echo != ReasoningEcho::MayBeEmpty || !work.is_reasoning_enabled() {
        return;
    }
    let may_call = |at: usize| has_calls(&work.turns()[at]) || has_stray_calls(work, at);
    let (with_calls, without_calls): (Vec<_>, Vec<_>) =
        user_intervals(work).into_iter().partition(|interval| interval.clone().any(may_call));
    let runs = reasoning::assistant_runs(work);
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
pub(crate) fn insert_empty_reasoning(work: &mut Work<'_>, turn: usize) {
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
            call_seal::with_field(written_doc.root(), field, &RawJson::string(&JsonString::EMPTY));
        work.edit_turn_with_text(turn, text, |_| {});
    }
    work.record_change(
        LedgerPath::block(turn, 0),
        "added empty reasoning: that of the calls is missing",
    );
}

/// Whether a message that is not the assistant's has calls.
pub(crate) fn has_stray_calls(work: &Work<'_>, turn: usize) -> bool {
    let this = &work.turns()[turn];
    let mut fields = this.extras.fields_for(work.profile.dialect).iter();
    this.role != Role::Assistant && fields.any(|(key, value)| is_call(key, value))
}

pub(crate) fn is_call(key: &JsonString, value: &RawJson) -> bool {
    key == CALLS_FIELD || key == LEGACY_CALL_FIELD && value.is_object()
}

/// Rewrites replies that have their reasoning in a field of another server.
pub(crate) fn rewrite_reasoning_field(work: &mut Work<'_>, reply: Range<usize>) {
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
            work.discard_turn_text(turn);
            work.record_change(LedgerPath::turn(turn), format!("moved the reasoning to `{field}`"));
        }
    }
}

pub(crate) fn has_calls(turn: &Turn) -> bool {
    turn.role == Role::Assistant
        && turn.blocks.iter().any(|block| matches!(block.content, BlockContent::ToolCall(_)))
}

pub(crate) fn has_reasoning(turn: &Turn, even_empty: bool) -> bool {
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
pub(crate) fn answer_ranges(
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
