//! Whole replies, decoded.

use interlingua_model::{
    Args, Block, Body, Exchange, Failure, Form, Ledger, Place, Reply, Stop, StopReason, Thinking,
    Verbatim,
};
use interlingua_wire::{Doc, Node, Text};

use crate::note;
use crate::notice::given_up;
use crate::openai_chat::flavor::{Flavor, Skill};
use crate::openai_chat::{ID, calls, decode as messages, error, read, stop, tags, usage};

pub(in crate::openai_chat) fn decode(
    body: &Doc,
    exchange: &Exchange,
    ledger: &mut Ledger,
) -> Result<Verbatim<Reply>, Failure> {
    let root = body.root();
    if let Some(failure) = error::in_band(root) {
        return Err(failure);
    }
    let [choices, id, model, used] = root.pick(["choices", "id", "model", "usage"]);
    let first = choices.and_then(|choices| {
        let is_first = |choice: &Node<'_>| choice.get("index").is_none_or(|at| at.raw() == "0");
        choices.items().find(is_first).or_else(|| choices.items().next())
    });
    let Some(choice) = first else {
        return Err(Failure::no_answer());
    };
    let mut reply = Reply::new();
    let text = |said: Option<Node<'_>>| said.and_then(Node::text).filter(|text| !text.is_empty());
    reply.id = text(id).or_else(|| exchange.id.clone());
    reply.model = text(model).or_else(|| exchange.model.clone());
    if let Some(message) = choice.get("message").or_else(|| choice.get("delta")) {
        reply.turn = messages::answer(message, reply.id.as_ref(), ledger);
    }
    let stop = ending(choice).unwrap_or_default();
    if choices.is_some_and(|choices| choices.len() > 1) {
        let wants = stop.reason == StopReason::ToolUse && !reply.has_calls();
        further(choices, choice, wants, &mut reply, ledger);
    }
    for block in &mut reply.turn.blocks {
        let wrapped =
            matches!(&block.body, Body::ToolCall(call) if exchange.freeform.contains(&call.name));
        if wrapped {
            calls::unwrap(block.edit());
        }
    }
    if Flavor::find(exchange.flavor).can(Skill::ThinkTags) {
        untag(&mut reply.turn.blocks);
    }
    if let Some(node) = used.filter(|usage| usage.is_object()) {
        reply.usage = usage::decode(node);
    }
    let stop = stop::with_calls(stop, reply.has_calls(), ledger);
    if let Some(failure) = error::in_choice(choice).or_else(|| given_up(&stop)) {
        return Err(failure);
    }
    reply.stop = stop::of_cut_call(stop, is_cut(&reply.turn.blocks), ledger);
    extras(root, choice, &mut reply);
    Ok(Verbatim::read(reply, ID, body.whole()))
}

/// What comes of the answers after the first: nothing, but their calls where it ended for calls and has none.
fn further(
    choices: Option<Node<'_>>,
    first: Node<'_>,
    wants: bool,
    reply: &mut Reply,
    ledger: &mut Ledger,
) {
    let (mut lost, mut adopted) = (false, false);
    let others = choices.into_iter().flat_map(Node::items);
    for choice in others.filter(|choice| choice.range() != first.range()) {
        let Some(message) = choice.get("message").or_else(|| choice.get("delta")) else { continue };
        let answer = messages::answer(message, reply.id.as_ref(), &mut Ledger::default());
        for block in answer.blocks {
            if wants && matches!(block.body, Body::ToolCall(_)) {
                reply.turn.blocks.push(block);
                adopted = true;
            } else {
                lost = true;
            }
        }
    }
    if adopted {
        ledger.change(note::ODD_INPUT, Place::REPLY, ADOPTED);
    }
    if lost {
        ledger.loss(note::NO_SUCH_BLOCK, Place::REPLY, "only the first of several answers counts");
    }
}

/// Why an answer ended, if its choice says so.
pub(in crate::openai_chat) fn ending(choice: Node<'_>) -> Option<Stop> {
    let word = choice.get("finish_reason")?.text().filter(|word| !word.is_empty())?;
    let mut ending = stop::decode(word);
    let sequence = choice.get("stop_reason").and_then(Node::text);
    if let Some(sequence) = sequence.filter(|_| ending.reason == StopReason::End) {
        ending.reason = StopReason::Sequence;
        ending.sequence = Some(sequence);
    }
    Some(ending)
}

/// Whether the last call was broken off.
fn is_cut(blocks: &[Verbatim<Block>]) -> bool {
    let args = blocks.iter().rev().find_map(|block| match &block.body {
        Body::ToolCall(call) => Some(&call.args),
        _ => None,
    });
    matches!(args, Some(Args::Malformed(text)) if read::is_cut(text))
}

/// Reasoning in tags at the beginning of the text becomes reasoning.
fn untag(blocks: &mut Vec<Verbatim<Block>>) {
    let Some(Body::Text { text, .. }) = blocks.first().map(|block| &block.body) else { return };
    let Some((thought, rest)) = tags::split(text) else { return };
    if let Some(first) = blocks.first_mut()
        && let Body::Text { text, .. } = &mut first.edit().body
    {
        *text = rest;
    }
    let is_empty = |block: &Verbatim<Block>| block.body.as_text().is_some_and(Text::is_empty);
    if blocks.first().is_some_and(is_empty) {
        blocks.remove(0);
    }
    let thinking = Thinking { text: thought, form: Form::Full };
    blocks.insert(0, Block::new(Body::Thinking(thinking)).into());
}

fn extras(root: Node<'_>, choice: Node<'_>, reply: &mut Reply) {
    for field in root.fields().filter(|field| !field.value.is_null()) {
        let name = field.name();
        if !matches!(&*name, "id" | "object" | "created" | "model" | "choices" | "usage") {
            reply.extras.keep(ID, field);
        }
    }
    if let Some(logprobs) = choice.get("logprobs").filter(|logprobs| !logprobs.is_null()) {
        reply.extras.put(ID, Text::word("logprobs"), logprobs.json());
    }
}

pub(in crate::openai_chat) const ADOPTED: &str =
    "the calls of a further answer are those that the first ended for";
