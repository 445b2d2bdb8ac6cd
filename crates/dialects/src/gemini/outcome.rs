//! Decodes and encodes finish reasons and token counts.

use interlingua_model::{Ledger, LedgerPath, Stop, StopReason, Usage};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonNode, JsonString, JsonWriter};

use super::{ID, field_name};
use crate::note;

/// The finish reason of a candidate. Some relays send an empty one before the end.
pub(super) fn finish_reason(candidate: JsonNode<'_>) -> Option<JsonString> {
    let reason_name = field_name::get(candidate, "finishReason").and_then(JsonNode::json_string);
    reason_name.filter(|reason_name| !reason_name.is_empty())
}

pub(super) fn finish_message(candidate: JsonNode<'_>) -> Option<JsonString> {
    let message = field_name::get(candidate, "finishMessage").and_then(JsonNode::json_string);
    message.filter(|message| !message.is_blank())
}

pub(super) fn decode_stop(reason_name: JsonString) -> Stop {
    let reason = match &*reason_name.unescape() {
        "STOP" => StopReason::EndTurn,
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
    Stop { original_reason: Some((ID, reason_name)), ..Stop::new(reason) }
}

/// The finish reason. Tool calls have none of their own: they end with `STOP`.
pub(super) fn encode_stop_reason(stop: &Stop, ledger: &mut Ledger) -> JsonString {
    if stop.sequence.is_some() {
        let message = "left out the matched stop sequence";
        ledger.record_loss(note::STOP_REDUCED, LedgerPath::REPLY, message);
    }
    if let Some(reason_name) = stop.original_reason_for(ID) {
        return reason_name.clone();
    }
    JsonString::from_static(match stop.reason {
        StopReason::EndTurn | StopReason::StopSequence | StopReason::ToolUse => "STOP",
        StopReason::Pause => {
            let message = "left out that the reply is only paused";
            ledger.record_loss(note::STOP_REDUCED, LedgerPath::REPLY, message);
            "STOP"
        }
        StopReason::MaxTokens | StopReason::ContextFull => "MAX_TOKENS",
        StopReason::Refusal => "SAFETY",
        StopReason::MalformedCall => "MALFORMED_FUNCTION_CALL",
        StopReason::Error | StopReason::Other => "OTHER",
    })
}

/// `promptTokenCount` includes cached tokens; `candidatesTokenCount` does not include thoughts.
pub(super) fn decode_usage(usage: JsonNode<'_>) -> Usage {
    let count = |key: &str| field_name::get(usage, key).and_then(JsonNode::as_u64);
    let cache_read = count("cachedContentTokenCount");
    let prompt = count("promptTokenCount");
    Usage {
        input: prompt.map(|prompt| prompt.saturating_sub(cache_read.unwrap_or(0))),
        cache_read,
        tool_input: count("toolUsePromptTokenCount"),
        output: count("candidatesTokenCount"),
        reasoning: count("thoughtsTokenCount"),
        original: Some((ID, usage.json())),
        ..Usage::default()
    }
}

/// Only the last counts are valid: a count that they no longer contain is set to 0.
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

pub(super) fn write_usage(usage: &Usage, out: &mut JsonWriter) {
    if let Some((ID, original)) = &usage.original {
        return out.json(original);
    }
    out.object(|object| write_counts(usage, object));
}

fn write_counts(usage: &Usage, object: &mut ObjectWriter<'_>) {
    let prompt = usage.total_input().saturating_sub(usage.tool_input.unwrap_or(0));
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
    object.number("totalTokenCount", usage.total_input().saturating_add(usage.total_output()));
}
