//! Decodes and encodes stop reasons. This dialect expresses them as a status, with a reason if the
//! response is incomplete.

use interlingua_model::{Ledger, LedgerPath, Stop, StopReason};
use interlingua_wire::{JsonNode, JsonString};

use super::id::ID;
use crate::note;

/// Status of a response on the wire.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ResponseStatus {
    pub(super) status: JsonString,
    pub(super) incomplete_reason: Option<JsonString>,
}

/// The stop of a response that did not fail.
pub(super) fn decode(response: JsonNode<'_>, has_calls: bool, has_refusal: bool) -> Stop {
    let status = response.get("status").and_then(JsonNode::json_string).unwrap_or(COMPLETED);
    let details = response.get("incomplete_details");
    let reason = details.and_then(|details| details.get("reason")).and_then(JsonNode::json_string);
    let stop = match (&*status.unescape(), reason) {
        ("completed", _) if has_refusal && !has_calls => Stop::new(StopReason::Refusal),
        ("completed", _) => Stop::new(StopReason::EndTurn),
        ("incomplete", Some(reason)) if reason == "max_output_tokens" => {
            Stop::new(StopReason::MaxTokens)
        }
        ("incomplete", Some(reason)) if reason == "content_filter" => {
            Stop::new(StopReason::Refusal)
        }
        (_, reason) => Stop {
            original_reason: Some((ID, reason.unwrap_or(status))),
            ..Stop::new(StopReason::Other)
        },
    };
    stop.adjusted_for_tool_calls(has_calls)
}

pub(super) fn encode(stop: &Stop, has_refusal: bool, ledger: &mut Ledger) -> ResponseStatus {
    let incomplete = |reason: JsonString| ResponseStatus {
        status: JsonString::from_static("incomplete"),
        incomplete_reason: Some(reason),
    };
    if let Some(reason_name) = stop.original_reason_for(ID) {
        let is_status = STATUSES.contains(&reason_name.raw());
        let status = ResponseStatus { status: reason_name.clone(), incomplete_reason: None };
        return if is_status { status } else { incomplete(reason_name.clone()) };
    }
    let mut note_reduced = |message: &'static str| {
        ledger.record_loss(note::STOP_REDUCED, LedgerPath::REPLY, message);
    };
    match stop.reason {
        StopReason::EndTurn | StopReason::ToolUse => {}
        StopReason::Refusal if has_refusal => {}
        StopReason::Refusal => return incomplete(JsonString::from_static("content_filter")),
        StopReason::MaxTokens => return incomplete(JsonString::from_static("max_output_tokens")),
        StopReason::ContextFull => {
            note_reduced("the stop reason `context-full` is encoded as `max_output_tokens`");
            return incomplete(JsonString::from_static("max_output_tokens"));
        }
        StopReason::StopSequence => note_reduced("left out the matched stop sequence"),
        StopReason::Pause => note_reduced("a pause is encoded as `completed`"),
        StopReason::Other => note_reduced("an unknown stop reason is encoded as `completed`"),
        // A client would take a completed response without output for a final answer.
        StopReason::MalformedCall => {
            note_reduced("a malformed tool call is encoded as `failed`");
            return ResponseStatus {
                status: JsonString::from_static(FAILED),
                incomplete_reason: None,
            };
        }
        StopReason::Error => {
            return ResponseStatus {
                status: JsonString::from_static(FAILED),
                incomplete_reason: None,
            };
        }
    }
    ResponseStatus { status: COMPLETED, incomplete_reason: None }
}

pub(super) const FAILED: &str = "failed";
pub(super) const COMPLETED: JsonString = JsonString::from_static("completed");

const STATUSES: &[&str] = &["completed", "incomplete", "cancelled", "in_progress", "queued"];
