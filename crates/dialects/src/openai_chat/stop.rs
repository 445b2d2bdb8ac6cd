//! Decodes and encodes finish reasons.

use interlingua_model::{Ledger, LedgerPath, Stop, StopReason};
use interlingua_wire::JsonString;

use super::id::ID;
use crate::common::stop_notice;
use crate::note;

pub(super) fn decode(reason_name: JsonString) -> Stop {
    let reason =
        FINISH_REASONS.iter().find(|(name, _)| reason_name == *name).map(|(_, reason)| *reason);
    Stop {
        original_reason: Some((ID, reason_name)),
        ..Stop::new(reason.unwrap_or(StopReason::Other))
    }
}

/// Encodes the finish reason. A reply with a refusal text ends with `stop`: SDKs raise an error for
/// `content_filter`.
pub(super) fn encode(stop: &Stop, has_refusal: bool, ledger: &mut Ledger) -> JsonString {
    if let Some(reason_name) = stop.original_reason_for(ID) {
        return reason_name.clone();
    }
    let mut note_reduced = |reason_name: &'static str| {
        let message = match &stop.original_reason {
            Some((dialect, original_name)) => {
                format!("`{original_name}` of {dialect} is encoded as `{reason_name}`")
            }
            None => format!("the stop reason is encoded as `{reason_name}`"),
        };
        ledger.record_change(note::STOP_REDUCED, LedgerPath::REPLY, message);
        reason_name
    };
    JsonString::from_static(match stop.reason {
        StopReason::EndTurn | StopReason::StopSequence => "stop",
        StopReason::Pause | StopReason::Other => note_reduced("stop"),
        StopReason::MaxTokens | StopReason::ContextFull => "length",
        StopReason::ToolUse => "tool_calls",
        StopReason::Refusal if has_refusal => "stop",
        StopReason::Refusal => "content_filter",
        // An agent would take `stop` without content for a final answer.
        StopReason::MalformedCall => note_reduced("error"),
        StopReason::Error => "error",
    })
}

/// The notice text for an abnormal end with a message that the finish reason cannot carry.
pub(super) fn notice_text(stop: &Stop) -> Option<JsonString> {
    let has_lost_message = stop.message.is_some() && stop.original_reason_for(ID).is_none();
    has_lost_message.then(|| stop_notice::notice_text(stop)).flatten()
}

/// Corrects the stop reason: a reply with calls ends for them, and a reply without calls does not.
pub(super) fn correct_tool_use(stop: Stop, has_calls: bool, ledger: &mut Ledger) -> Stop {
    if has_calls || stop.reason != StopReason::ToolUse {
        return stop.adjusted_for_tool_calls(has_calls);
    }
    let message = "the finish reason is `tool_calls`, but the reply has no calls";
    ledger.record_change(note::ODD_INPUT, LedgerPath::REPLY, message);
    Stop::new(StopReason::EndTurn)
}

/// Corrects the stop reason of a reply with a truncated last call: it ended for its length,
/// although many servers report `tool_calls`.
pub(super) fn correct_truncated_call(stop: Stop, is_truncated: bool, ledger: &mut Ledger) -> Stop {
    if !is_truncated || stop.reason != StopReason::ToolUse {
        return stop;
    }
    let message = "the last call is truncated: the stop reason is read as `length`";
    ledger.record_change(note::ODD_INPUT, LedgerPath::REPLY, message);
    Stop::new(StopReason::MaxTokens)
}

const FINISH_REASONS: &[(&str, StopReason)] = &[
    ("stop", StopReason::EndTurn),
    ("length", StopReason::MaxTokens),
    ("tool_calls", StopReason::ToolUse),
    ("function_call", StopReason::ToolUse),
    ("content_filter", StopReason::Refusal),
    ("sensitive", StopReason::Refusal),
    ("model_length", StopReason::ContextFull),
    ("error", StopReason::Error),
    ("network_error", StopReason::Error),
    ("insufficient_system_resource", StopReason::Error),
];
