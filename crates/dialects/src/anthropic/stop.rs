//! Why a reply ended, both ways.

use interlingua_model::{Ledger, Place, Stop, StopReason};
use interlingua_wire::{Node, Text};

use super::ID;
use crate::note;

pub(super) fn decode(word: Text, sequence: Option<Text>) -> Stop {
    let reason = match &*word.contents() {
        // A request for a summary ends with it.
        "end_turn" | "compaction" => StopReason::End,
        "stop_sequence" => StopReason::Sequence,
        "max_tokens" => StopReason::MaxTokens,
        "tool_use" => StopReason::ToolUse,
        "pause_turn" => StopReason::Pause,
        "refusal" => StopReason::Refusal,
        "model_context_window_exceeded" => StopReason::ContextFull,
        _ => StopReason::Other,
    };
    Stop { sequence, word: Some((ID, word)), ..Stop::new(reason) }
}

/// The stop that an object with `stop_reason` and `stop_sequence` tells of.
pub(super) fn of(node: Node<'_>) -> Option<Stop> {
    let word = node.get("stop_reason")?.text()?;
    Some(decode(word, node.get("stop_sequence").and_then(Node::text)))
}

/// The word for it. Where others decline in words of their own and then end as usual, this dialect
/// ends with a refusal.
pub(super) fn word(stop: &Stop, declines: bool, ledger: &mut Ledger) -> Text {
    if let Some(word) = stop.word_for(ID) {
        return word.clone();
    }
    Text::word(match stop.reason {
        StopReason::End if declines => "refusal",
        StopReason::End => "end_turn",
        StopReason::Sequence => "stop_sequence",
        StopReason::MaxTokens => "max_tokens",
        StopReason::ToolUse => "tool_use",
        StopReason::ContextFull => "model_context_window_exceeded",
        StopReason::Refusal => "refusal",
        StopReason::Pause => "pause_turn",
        StopReason::MalformedCall | StopReason::Error | StopReason::Other => {
            let what = match &stop.word {
                Some((dialect, word)) => format!("`{word}` of {dialect} is said as `end_turn`"),
                None => "the reason for the end is said as `end_turn`".to_owned(),
            };
            ledger.change(note::STOP_REDUCED, Place::REPLY, what);
            "end_turn"
        }
    })
}
