//! Whole replies, both ways; usage and the reasons to stop.

use interlingua_model::{
    Args, Block, Body, Exchange, Failure, Ledger, Place, Reply, Stop, StopReason, Usage, Verbatim,
};
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Json, Node, Text, Writer};

use super::encode::{self, Way};
use super::{ID, decode, error};
use crate::{freeform, note};

pub(super) fn decode(
    doc: &Doc,
    exchange: &Exchange,
    ledger: &mut Ledger,
) -> Result<Verbatim<Reply>, Failure> {
    let root = doc.root();
    if let Some(failure) = error::within_reply(root) {
        return Err(failure);
    }
    let mut reply = Reply::new();
    match root.get("output").and_then(|output| output.get("message")) {
        Some(message) => {
            let mut aside = Ledger::default();
            reply.turn = decode::turn(message, 0, &mut aside).into_value();
            let notes = aside.entries.into_iter();
            ledger.entries.extend(notes.map(|entry| interlingua_model::Entry {
                place: Place { section: Place::REPLY.section, index: None, ..entry.place },
                ..entry
            }));
        }
        None if root.get("stopReason").is_none() => return Err(Failure::no_answer()),
        None => ledger.change(note::ODD_INPUT, Place::REPLY, "a reply without a message"),
    }
    for block in &mut reply.turn.blocks {
        let Body::ToolCall(call) = &block.body else { continue };
        if exchange.freeform.contains(&call.name) {
            let args = unwrapped(&call.args);
            if let Body::ToolCall(call) = &mut block.edit().body {
                call.args = args;
            }
        }
    }
    reply.usage = root.get("usage").map(read_usage).unwrap_or_default();
    reply.stop = root.get("stopReason").and_then(Node::text).map(read_stop).unwrap_or_default();
    let more = root.get("additionalModelResponseFields");
    reply.stop.sequence = more.and_then(stop_sequence);
    reply.stop = reply.stop.clone().with_calls(reply.has_calls());
    for field in root.fields().filter(|field| !KNOWN.contains(&&*field.name())) {
        reply.extras.keep(ID, field);
    }
    Ok(Verbatim::read(reply, ID, doc.whole()))
}

/// The free text that was wrapped for the provider; whatever else came, as it came.
pub(super) fn unwrapped(args: &Args) -> Args {
    match args {
        Args::Json(json) => {
            let text = freeform::unwrapped(json);
            Args::Freeform(text.unwrap_or_else(|| Text::new(json.as_str())))
        }
        Args::Malformed(text) | Args::Freeform(text) => Args::Freeform(text.clone()),
    }
}

/// Which stop sequence was met is told only to those who ask for the field by its path.
pub(super) fn stop_sequence(more: Node<'_>) -> Option<Text> {
    more.get("stop_sequence").and_then(Node::text)
}

pub(super) fn read_stop(word: Text) -> Stop {
    let known = STOPS.iter().find(|(_, known)| word == *known).map(|(reason, _)| *reason);
    let mut stop = Stop::new(known.unwrap_or(StopReason::Other));
    stop.word = Some((ID, word));
    stop
}

pub(super) fn stop_word(stop: &Stop) -> Text {
    if let Some(word) = stop.word_for(ID) {
        return word.clone();
    }
    let known = STOPS.iter().find(|(reason, _)| *reason == stop.reason);
    known.map_or(Text::word("end_turn"), |(_, word)| Text::word(word))
}

/// Notes what of the stop has no word here.
pub(super) fn note_stop(stop: &Stop, ledger: &mut Ledger) {
    if stop.word_for(ID).is_some() {
        return;
    }
    if stop.sequence.is_some() {
        let what = "left out which stop sequence was met";
        ledger.loss(note::NO_SUCH_FIELD, Place::REPLY, what);
    }
    if matches!(stop.reason, StopReason::Pause | StopReason::Error | StopReason::Other) {
        let what = format!("the reply ended otherwise than `{}`", stop_word(stop));
        ledger.change(note::STOP_REDUCED, Place::REPLY, what);
    }
}

/// Reading from and writing to the cache are counted beside the input.
pub(super) fn read_usage(node: Node<'_>) -> Usage {
    let count = |key: &str| node.get(key).and_then(Node::count);
    let details = node.get("cacheDetails").into_iter().flat_map(Node::items);
    let hours: Vec<u64> = details
        .filter(|detail| detail.get("ttl").is_some_and(|ttl| ttl.word() == "1h"))
        .filter_map(|detail| detail.get("inputTokens").and_then(Node::count))
        .collect();
    Usage {
        input: count("inputTokens"),
        cache_read: count("cacheReadInputTokens"),
        cache_write: count("cacheWriteInputTokens"),
        cache_write_hour: hours.iter().copied().reduce(u64::saturating_add),
        tool_input: None,
        output: count("outputTokens"),
        reasoning: None,
        written: Some((ID, node.json())),
    }
}

pub(super) fn write_usage(usage: &Usage, out: &mut Writer) {
    if let Some((_, json)) = usage.written.as_ref().filter(|(from, _)| *from == ID) {
        out.json(json);
        return;
    }
    let input = usage.input.unwrap_or(0).saturating_add(usage.tool_input.unwrap_or(0));
    out.object(|o| {
        o.number("inputTokens", input);
        o.number("outputTokens", usage.all_output());
        o.number("totalTokens", usage.all_input().saturating_add(usage.all_output()));
        if let Some(read) = usage.cache_read {
            o.number("cacheReadInputTokens", read);
        }
        if let Some(write) = usage.cache_write {
            o.number("cacheWriteInputTokens", write);
        }
        if let Some(hour) = usage.cache_write_hour.filter(|hour| *hour > 0) {
            let rest = usage.cache_write.unwrap_or(0).saturating_sub(hour);
            o.array("cacheDetails", |a| {
                for (ttl, tokens) in [("1h", hour), ("5m", rest)] {
                    if tokens > 0 {
                        a.object(|o| {
                            o.word("ttl", ttl);
                            o.number("inputTokens", tokens);
                        });
                    }
                }
            });
        }
    });
}

pub(super) fn encode(reply: &Reply, ledger: &mut Ledger) -> Vec<u8> {
    let mut out = Writer::default();
    out.object(|o| {
        o.object("output", |o| o.object("message", |o| write_message(reply, ledger, o)));
        o.text("stopReason", &stop_word(&reply.stop));
        write_usage(&reply.usage, o.key("usage"));
        if reply.extras.find(ID, "metrics").is_none() {
            o.json("metrics", &no_metrics());
        }
        reply.extras.write(ID, o);
    });
    note_stop(&reply.stop, ledger);
    out.into_bytes()
}

fn write_message(reply: &Reply, ledger: &mut Ledger, o: &mut Object<'_>) {
    o.known("role", "assistant");
    o.array("content", |a| {
        for (index, block) in reply.turn.blocks.iter().enumerate() {
            let place = Place::reply(index);
            match encode::refusal(block, Way::Reply) {
                Some((rule, what)) => ledger.loss(rule, place, what),
                None if is_bare_seal(block) => {
                    encode::note_extras(&block.extras, place, ledger);
                    let what = "a seal stays behind: only its issuer can read it";
                    ledger.loss(note::FOREIGN_SEAL, place, what);
                }
                None => encode::write(block, Way::Reply, place, ledger, a),
            }
        }
    });
    reply.turn.extras.write(ID, o);
}

/// All that a text holds is a seal for another provider.
fn is_bare_seal(block: &Verbatim<Block>) -> bool {
    let sealed = block.seal.as_deref().is_some_and(|seal| !encode::is_ours(seal));
    let Body::Text { text, citations } = &block.body else { return false };
    sealed && text.is_empty() && citations.is_empty()
}

/// Clients expect metrics; how long the provider took is not known here.
pub(super) fn no_metrics() -> Json {
    Json::object(|o| o.number("latencyMs", 0))
}

/// The first word of a reason is the one written.
const STOPS: &[(StopReason, &str)] = &[
    (StopReason::End, "end_turn"),
    (StopReason::ToolUse, "tool_use"),
    (StopReason::MaxTokens, "max_tokens"),
    (StopReason::Sequence, "stop_sequence"),
    (StopReason::Refusal, "content_filtered"),
    (StopReason::Refusal, "guardrail_intervened"),
    (StopReason::Refusal, "refusal"),
    (StopReason::MalformedCall, "malformed_tool_use"),
    (StopReason::MalformedCall, "malformed_model_output"),
    (StopReason::Error, "malformed_model_output"),
    (StopReason::ContextFull, "model_context_window_exceeded"),
];
const KNOWN: &[&str] = &["output", "stopReason", "usage"];
