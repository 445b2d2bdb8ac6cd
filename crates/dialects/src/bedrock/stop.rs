//! Decodes and encodes stop reasons.

use interlingua_model::{Ledger, LedgerPath, Stop, StopReason};
use interlingua_wire::{JsonNode, JsonString};

use super::id::ID;
use crate::note;

/// The provider returns the matched stop sequence only if the request lists its path in
/// `additionalModelResponseFieldPaths`.
pub(super) fn stop_sequence(additional_fields: JsonNode<'_>) -> Option<JsonString> {
    additional_fields.get("stop_sequence").and_then(JsonNode::json_string)
}

pub(super) fn read_stop(reason_name: JsonString) -> Stop {
    let known_reason = STOP_REASONS
        .iter()
        .find(|(_, known_reason)| reason_name == *known_reason)
        .map(|(reason, _)| *reason);
    let mut stop = Stop::new(known_reason.unwrap_or(StopReason::Other));
    stop.original_reason = Some((ID, reason_name));
    stop
}

pub(super) fn stop_reason_name(stop: &Stop) -> JsonString {
    if let Some(reason_name) = stop.original_reason_for(ID) {
        return reason_name.clone();
    }
    let entry = STOP_REASONS.iter().find(|(reason, _)| *reason == stop.reason);
    entry.map_or(JsonString::from_static("end_turn"), |(_, reason_name)| {
        JsonString::from_static(reason_name)
    })
}

/// Notes the parts of the stop that this dialect cannot express.
pub(super) fn note_stop(stop: &Stop, ledger: &mut Ledger) {
    if stop.original_reason_for(ID).is_some() {
        return;
    }
    if stop.sequence.is_some() {
        let message = "left out the matched stop sequence";
        ledger.record_loss(note::NO_SUCH_FIELD, LedgerPath::REPLY, message);
    }
    if matches!(stop.reason, StopReason::Pause | StopReason::Error | StopReason::Other) {
        let message = format!("the stop reason is encoded as `{}`", stop_reason_name(stop));
        ledger.record_change(note::STOP_REDUCED, LedgerPath::REPLY, message);
    }
}

/// The first name of a reason is the one that is written.
const STOP_REASONS: &[(StopReason, &str)] = &[
    (StopReason::EndTurn, "end_turn"),
    (StopReason::ToolUse, "tool_use"),
    (StopReason::MaxTokens, "max_tokens"),
    (StopReason::StopSequence, "stop_sequence"),
    (StopReason::Refusal, "content_filtered"),
    (StopReason::Refusal, "guardrail_intervened"),
    (StopReason::Refusal, "refusal"),
    (StopReason::MalformedCall, "malformed_tool_use"),
    (StopReason::MalformedCall, "malformed_model_output"),
    (StopReason::Error, "malformed_model_output"),
    (StopReason::ContextFull, "model_context_window_exceeded"),
];
