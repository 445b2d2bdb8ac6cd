//! Decodes and encodes finish reasons.

use interlingua_model::{Ledger, LedgerPath, Stop, StopReason};
use interlingua_wire::{JsonNode, JsonString};

use super::field_name;
use super::id::ID;
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
