//! Decodes complete replies.

use interlingua_model::{
    ApiError, Block, BlockContent, Ledger, LedgerPath, Reasoning, ReasoningForm, Reply,
    ReplyContext, Stop, StopReason, ToolArgs, Verbatim,
};
use interlingua_wire::{JsonDoc, JsonNode, JsonString};

use crate::name_set::NameSet;
use crate::note;
use crate::notice::error_from_stop;
use crate::openai_chat::flavor::{Capability, Flavor};
use crate::openai_chat::{ID, calls, decode as messages, error, read, stop, think_tags, usage};

pub(in crate::openai_chat) fn decode(
    body: &JsonDoc,
    cx: &ReplyContext,
    ledger: &mut Ledger,
) -> Result<Verbatim<Reply>, ApiError> {
    let root = body.root();
    if let Some(error) = error::decode_embedded(root) {
        return Err(error);
    }
    let [choices, id, model, usage_node] = root.get_many(["choices", "id", "model", "usage"]);
    let first = choices.and_then(|choices| {
        let is_first = |choice: &JsonNode<'_>| choice.get("index").is_none_or(|at| at.raw() == "0");
        choices.items().find(is_first).or_else(|| choices.items().next())
    });
    let Some(choice) = first else {
        return Err(ApiError::empty_reply());
    };
    let mut reply = Reply::new();
    let text = |value: Option<JsonNode<'_>>| {
        value.and_then(JsonNode::json_string).filter(|text| !text.is_empty())
    };
    reply.id = text(id).or_else(|| cx.fallback_id.clone());
    reply.model = text(model).or_else(|| cx.client_model.clone());
    if let Some(message) = choice.get("message").or_else(|| choice.get("delta")) {
        reply.turn = messages::decode_reply_message(message, reply.id.as_ref(), ledger);
    }
    let stop = decode_choice_stop(choice).unwrap_or_default();
    if choices.is_some_and(|choices| choices.len() > 1) {
        let adopts_calls = stop.reason == StopReason::ToolUse && !reply.has_tool_calls();
        merge_other_choices(choices, choice, adopts_calls, &mut reply, ledger);
    }
    let freeform_tools = NameSet::new(&cx.freeform_tools);
    for block in &mut reply.turn.blocks {
        let is_freeform = matches!(&block.content, BlockContent::ToolCall(call) if freeform_tools.contains(&call.name));
        if is_freeform {
            calls::unwrap_freeform_call(block.edit());
        }
    }
    if Flavor::find(cx.flavor).has(Capability::ThinkTags) {
        split_think_tags(&mut reply.turn.blocks);
    }
    if let Some(node) = usage_node.filter(|usage| usage.is_object()) {
        reply.usage = usage::decode(node);
    }
    let stop = stop::correct_tool_use(stop, reply.has_tool_calls(), ledger);
    if let Some(error) = error::decode_in_choice(choice).or_else(|| error_from_stop(&stop)) {
        return Err(error);
    }
    reply.stop =
        stop::correct_truncated_call(stop, is_last_call_truncated(&reply.turn.blocks), ledger);
    keep_extras(root, choice, &mut reply);
    Ok(Verbatim::with_text(reply, ID, body.to_json()))
}

/// Handles the choices after the first. They are dropped, except their calls if the first choice
/// ended for calls and has none.
fn merge_other_choices(
    choices: Option<JsonNode<'_>>,
    first: JsonNode<'_>,
    adopts_calls: bool,
    reply: &mut Reply,
    ledger: &mut Ledger,
) {
    let (mut has_dropped, mut has_adopted) = (false, false);
    let others = choices.into_iter().flat_map(JsonNode::items);
    for choice in others.filter(|choice| choice.range() != first.range()) {
        let Some(message) = choice.get("message").or_else(|| choice.get("delta")) else { continue };
        let turn =
            messages::decode_reply_message(message, reply.id.as_ref(), &mut Ledger::default());
        for block in turn.blocks {
            if adopts_calls && matches!(block.content, BlockContent::ToolCall(_)) {
                reply.turn.blocks.push(block);
                has_adopted = true;
            } else {
                has_dropped = true;
            }
        }
    }
    if has_adopted {
        ledger.record_change(note::ODD_INPUT, LedgerPath::REPLY, ADOPTED_CALLS_NOTE);
    }
    if has_dropped {
        ledger.record_loss(
            note::NO_SUCH_BLOCK,
            LedgerPath::REPLY,
            "left out all choices except the first",
        );
    }
}

/// The stop reason of a choice, if it has one.
pub(in crate::openai_chat) fn decode_choice_stop(choice: JsonNode<'_>) -> Option<Stop> {
    let reason_name =
        choice.get("finish_reason")?.json_string().filter(|reason_name| !reason_name.is_empty())?;
    let mut stop = stop::decode(reason_name);
    let sequence = choice.get("stop_reason").and_then(JsonNode::json_string);
    if let Some(sequence) = sequence.filter(|_| stop.reason == StopReason::EndTurn) {
        stop.reason = StopReason::StopSequence;
        stop.sequence = Some(sequence);
    }
    Some(stop)
}

/// Returns whether the arguments of the last call are truncated.
fn is_last_call_truncated(blocks: &[Verbatim<Block>]) -> bool {
    let args = blocks.iter().rev().find_map(|block| match &block.content {
        BlockContent::ToolCall(call) => Some(&call.args),
        _ => None,
    });
    matches!(args, Some(ToolArgs::Malformed(text)) if read::is_truncated(text))
}

/// Converts reasoning in tags at the beginning of the text to a reasoning block.
fn split_think_tags(blocks: &mut Vec<Verbatim<Block>>) {
    let Some(BlockContent::Text { text, .. }) = blocks.first().map(|block| &block.content) else {
        return;
    };
    let Some((reasoning, rest)) = think_tags::split_reasoning(text) else { return };
    if let Some(first) = blocks.first_mut()
        && let BlockContent::Text { text, .. } = &mut first.edit().content
    {
        *text = rest;
    }
    let is_empty =
        |block: &Verbatim<Block>| block.content.as_text().is_some_and(JsonString::is_empty);
    if blocks.first().is_some_and(is_empty) {
        blocks.remove(0);
    }
    let thinking = Reasoning { text: reasoning, form: ReasoningForm::Full };
    blocks.insert(0, Block::new(BlockContent::Reasoning(thinking)).into());
}

fn keep_extras(root: JsonNode<'_>, choice: JsonNode<'_>, reply: &mut Reply) {
    for field in root.fields().filter(|field| !field.value.is_null()) {
        let name = field.key();
        if !matches!(&*name, "id" | "object" | "created" | "model" | "choices" | "usage") {
            reply.extras.push_field(ID, field);
        }
    }
    if let Some(logprobs) = choice.get("logprobs").filter(|logprobs| !logprobs.is_null()) {
        reply.extras.push(ID, JsonString::from_static("logprobs"), logprobs.json());
    }
}

pub(in crate::openai_chat) const ADOPTED_CALLS_NOTE: &str =
    "the calls of a further choice are used: the first one ended for calls and has none";
