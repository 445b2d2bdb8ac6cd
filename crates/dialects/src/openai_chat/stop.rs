//! Why a reply ended: an open set of words in, a closed one out.

use interlingua_model::{Stop, StopReason};
use interlingua_wire::Text;

use super::ID;

pub(super) fn decode(word: Text) -> Stop {
    let reason = WORDS.iter().find(|(known, _)| word == *known).map(|(_, reason)| *reason);
    Stop { word: Some((ID, word)), ..Stop::new(reason.unwrap_or(StopReason::Other)) }
}

pub(super) fn encode(stop: &Stop) -> Text {
    if let Some(word) = stop.word_for(ID) {
        return word.clone();
    }
    Text::word(match stop.reason {
        StopReason::End
        | StopReason::Sequence
        | StopReason::Pause
        | StopReason::MalformedCall
        | StopReason::Other => "stop",
        StopReason::MaxTokens | StopReason::ContextFull => "length",
        StopReason::ToolUse => "tool_calls",
        StopReason::Refusal => "content_filter",
        StopReason::Error => "error",
    })
}

const WORDS: &[(&str, StopReason)] = &[
    ("stop", StopReason::End),
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
