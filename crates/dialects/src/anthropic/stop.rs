//! Decodes and encodes stop reasons.

use interlingua_model::{Ledger, LedgerPath, Stop, StopReason};
use interlingua_wire::{JsonNode, JsonString};

use super::id::ID;
use crate::note;

pub(super) fn decode(reason_text: JsonString, sequence: Option<JsonString>) -> Stop {
    let reason = match &*reason_text.unescape() {
        // A reply to a compaction request ends with `compaction`.
        "end_turn" | "compaction" => StopReason::EndTurn,
        "stop_sequence" => StopReason::StopSequence,
        "max_tokens" => StopReason::MaxTokens,
        "tool_use" => StopReason::ToolUse,
        "pause_turn" => StopReason::Pause,
        "refusal" => StopReason::Refusal,
        "model_context_window_exceeded" => StopReason::ContextFull,
        _ => StopReason::Other,
    };
    Stop { sequence, original_reason: Some((ID, reason_text)), ..Stop::new(reason) }
}

pub(super) fn decode_fields(node: JsonNode<'_>) -> Option<Stop> {
    let reason_text = node.get("stop_reason")?.json_string()?;
    Some(decode(reason_text, node.get("stop_sequence").and_then(JsonNode::json_string)))
}

/// Encodes the stop reason. A reply with a refusal block that ended normally gets `refusal`.
pub(super) fn encode(stop: &Stop, has_refusal: bool, ledger: &mut Ledger) -> JsonString {
    if let Some(reason_text) = stop.original_reason_for(ID) {
        return reason_text.clone();
    }
    JsonString::from_static(match stop.reason {
        StopReason::EndTurn if has_refusal => "refusal",
        StopReason::EndTurn => "end_turn",
        StopReason::StopSequence => "stop_sequence",
        StopReason::MaxTokens => "max_tokens",
        StopReason::ToolUse => "tool_use",
        StopReason::ContextFull => "model_context_window_exceeded",
        StopReason::Refusal => "refusal",
        StopReason::Pause => "pause_turn",
        StopReason::MalformedCall | StopReason::Error | StopReason::Other => {
            let message = match &stop.original_reason {
                Some((dialect, reason_text)) => {
                    format!("`{reason_text}` of {dialect} is encoded as `end_turn`")
                }
                None => "the stop reason is encoded as `end_turn`".to_owned(),
            };
            ledger.record_change(note::STOP_REDUCED, LedgerPath::REPLY, message);
            "end_turn"
        }
    })
}
