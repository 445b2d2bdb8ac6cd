//! How a reply ended and what it cost, both ways.

use interlingua_model::{Ledger, Place, Stop, StopReason, Usage};
use interlingua_wire::json::Object;
use interlingua_wire::{Node, Text, Writer};

use super::{ID, names};
use crate::note;

/// The candidate's word for its end, if it has come to one; some relays write an empty one before.
pub(super) fn finish_of(candidate: Node<'_>) -> Option<Text> {
    let word = names::get(candidate, "finishReason").and_then(Node::text);
    word.filter(|word| !word.is_empty())
}

/// What the candidate says about its end beside the word.
pub(super) fn finish_message(candidate: Node<'_>) -> Option<Text> {
    let message = names::get(candidate, "finishMessage").and_then(Node::text);
    message.filter(|message| !message.is_blank())
}

pub(super) fn decode_stop(word: Text) -> Stop {
    let reason = match &*word.contents() {
        "STOP" => StopReason::End,
        "MAX_TOKENS" | "CONTINUATION" => StopReason::MaxTokens,
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION"
        | "IMAGE_OTHER" => StopReason::Refusal,
        "MALFORMED_FUNCTION_CALL"
        | "UNEXPECTED_TOOL_CALL"
        | "TOO_MANY_TOOL_CALLS"
        | "MALFORMED_RESPONSE" => StopReason::MalformedCall,
        "MISSING_THOUGHT_SIGNATURE" => StopReason::Error,
        _ => StopReason::Other,
    };
    Stop { word: Some((ID, word)), ..Stop::new(reason) }
}

/// The provider's word for the end; calls end a reply as plain text does.
pub(super) fn stop_word(stop: &Stop, ledger: &mut Ledger) -> Text {
    if stop.sequence.is_some() {
        let what = "left out which stop sequence was met";
        ledger.loss(note::STOP_REDUCED, Place::REPLY, what);
    }
    if let Some(word) = stop.word_for(ID) {
        return word.clone();
    }
    Text::word(match stop.reason {
        StopReason::End | StopReason::Sequence | StopReason::ToolUse => "STOP",
        StopReason::Pause => {
            let what = "left out that the reply only pauses";
            ledger.loss(note::STOP_REDUCED, Place::REPLY, what);
            "STOP"
        }
        StopReason::MaxTokens | StopReason::ContextFull => "MAX_TOKENS",
        StopReason::Refusal => "SAFETY",
        StopReason::MalformedCall => "MALFORMED_FUNCTION_CALL",
        StopReason::Error | StopReason::Other => "OTHER",
    })
}

/// The prompt's count includes what came from the cache; the answer's does not include thoughts.
pub(super) fn decode_usage(usage: Node<'_>) -> Usage {
    let count = |key: &str| names::get(usage, key).and_then(Node::count);
    let cache_read = count("cachedContentTokenCount");
    let prompt = count("promptTokenCount");
    Usage {
        input: prompt.map(|prompt| prompt.saturating_sub(cache_read.unwrap_or(0))),
        cache_read,
        tool_input: count("toolUsePromptTokenCount"),
        output: count("candidatesTokenCount"),
        reasoning: count("thoughtsTokenCount"),
        written: Some((ID, usage.json())),
        ..Usage::default()
    }
}

/// The last counts are all that counts: what they do not say any more is nothing.
pub(super) fn supersede(early: &Usage, last: &mut Usage) {
    for (early, last) in [
        (early.input, &mut last.input),
        (early.cache_read, &mut last.cache_read),
        (early.tool_input, &mut last.tool_input),
        (early.output, &mut last.output),
        (early.reasoning, &mut last.reasoning),
    ] {
        *last = last.or(early.map(|_| 0));
    }
}

pub(super) fn write_usage(usage: &Usage, out: &mut Writer) {
    if let Some((ID, written)) = &usage.written {
        return out.json(written);
    }
    out.object(|object| write_counts(usage, object));
}

fn write_counts(usage: &Usage, object: &mut Object<'_>) {
    let prompt = usage.all_input().saturating_sub(usage.tool_input.unwrap_or(0));
    object.number("promptTokenCount", prompt);
    object.number("candidatesTokenCount", usage.output.unwrap_or(0));
    for (key, count) in [
        ("cachedContentTokenCount", usage.cache_read),
        ("thoughtsTokenCount", usage.reasoning),
        ("toolUsePromptTokenCount", usage.tool_input),
    ] {
        if let Some(count) = count {
            object.number(key, count);
        }
    }
    object.number("totalTokenCount", usage.all_input().saturating_add(usage.all_output()));
}
