//! Why a reply ended. This dialect has no word for it: a status, and a reason where it is incomplete.

use interlingua_model::{Ledger, Place, Stop, StopReason};
use interlingua_wire::{Node, Text};

use super::ID;
use crate::note;

/// How a response ends on the wire.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ending {
    pub(super) status: Text,
    /// Why it is incomplete.
    pub(super) reason: Option<Text>,
}

/// The stop of a response that did not fail.
pub(super) fn decode(response: Node<'_>, has_calls: bool, has_refusal: bool) -> Stop {
    let status = response.get("status").and_then(Node::text).unwrap_or(COMPLETED);
    let details = response.get("incomplete_details");
    let reason = details.and_then(|details| details.get("reason")).and_then(Node::text);
    let stop = match (&*status.contents(), reason) {
        ("completed", _) if has_refusal && !has_calls => Stop::new(StopReason::Refusal),
        ("completed", _) => Stop::new(StopReason::End),
        ("incomplete", Some(reason)) if reason == "max_output_tokens" => {
            Stop::new(StopReason::MaxTokens)
        }
        ("incomplete", Some(reason)) if reason == "content_filter" => {
            Stop::new(StopReason::Refusal)
        }
        (_, reason) => {
            Stop { word: Some((ID, reason.unwrap_or(status))), ..Stop::new(StopReason::Other) }
        }
    };
    stop.with_calls(has_calls)
}

pub(super) fn encode(stop: &Stop, has_refusal: bool, ledger: &mut Ledger) -> Ending {
    let incomplete =
        |reason: Text| Ending { status: Text::word("incomplete"), reason: Some(reason) };
    if let Some(word) = stop.word_for(ID) {
        let is_status = STATUSES.contains(&word.raw());
        let status = Ending { status: word.clone(), reason: None };
        return if is_status { status } else { incomplete(word.clone()) };
    }
    let mut reduced = |what: &'static str| {
        ledger.loss(note::STOP_REDUCED, Place::REPLY, what);
    };
    match stop.reason {
        StopReason::End | StopReason::ToolUse => {}
        StopReason::Refusal if has_refusal => {}
        StopReason::Refusal => return incomplete(Text::word("content_filter")),
        StopReason::MaxTokens => return incomplete(Text::word("max_output_tokens")),
        StopReason::ContextFull => {
            reduced("that the context is full is said as an end of the allowed output");
            return incomplete(Text::word("max_output_tokens"));
        }
        StopReason::Sequence => reduced("which stop sequence ended the reply is not said"),
        StopReason::Pause => reduced("a pause is said as an end"),
        StopReason::Other => reduced("an end of no known kind is said as a usual one"),
        // A client takes a completed response without output for an answer.
        StopReason::MalformedCall => {
            reduced("a call the provider could not read is said as a failure");
            return Ending { status: Text::word(FAILED), reason: None };
        }
        StopReason::Error => return Ending { status: Text::word(FAILED), reason: None },
    }
    Ending { status: COMPLETED, reason: None }
}

pub(super) const FAILED: &str = "failed";
pub(super) const COMPLETED: Text = Text::word("completed");

const STATUSES: &[&str] = &["completed", "incomplete", "cancelled", "in_progress", "queued"];
