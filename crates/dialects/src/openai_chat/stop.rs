//! Why a reply ended: an open set of words in, a closed one out.

use interlingua_model::{Ledger, Place, Stop, StopReason};
use interlingua_wire::Text;

use super::ID;
use crate::{note, notice};

pub(super) fn decode(word: Text) -> Stop {
    let reason = WORDS.iter().find(|(known, _)| word == *known).map(|(_, reason)| *reason);
    Stop { word: Some((ID, word)), ..Stop::new(reason.unwrap_or(StopReason::Other)) }
}

/// The word for it. Whoever declines in words of its own ends as usual here: packages raise an error when
/// they meet a filter.
pub(super) fn encode(stop: &Stop, refuses: bool, ledger: &mut Ledger) -> Text {
    if let Some(word) = stop.word_for(ID) {
        return word.clone();
    }
    let mut reduced = |word: &'static str| {
        let what = match &stop.word {
            Some((dialect, own)) => format!("`{own}` of {dialect} is said as `{word}`"),
            None => format!("the reason for the end is said as `{word}`"),
        };
        ledger.change(note::STOP_REDUCED, Place::REPLY, what);
        word
    };
    Text::word(match stop.reason {
        StopReason::End | StopReason::Sequence => "stop",
        StopReason::Pause | StopReason::Other => reduced("stop"),
        StopReason::MaxTokens | StopReason::ContextFull => "length",
        StopReason::ToolUse => "tool_calls",
        StopReason::Refusal if refuses => "stop",
        StopReason::Refusal => "content_filter",
        // An agent takes a clean stop without content for an answer.
        StopReason::MalformedCall => reduced("error"),
        StopReason::Error => "error",
    })
}

/// What the provider says about an end that is only an error here.
pub(super) fn notice(stop: &Stop) -> Option<Text> {
    let untold = stop.message.is_some() && stop.word_for(ID).is_none();
    untold.then(|| notice::notice(stop)).flatten()
}

/// A reply ends for its calls, whatever its provider says; and for none if it has none.
pub(super) fn with_calls(stop: Stop, has_calls: bool, ledger: &mut Ledger) -> Stop {
    if has_calls || stop.reason != StopReason::ToolUse {
        return stop.with_calls(has_calls);
    }
    let what = "the reply is said to end for calls and has none";
    ledger.change(note::ODD_INPUT, Place::REPLY, what);
    Stop::new(StopReason::End)
}

/// The end of a reply whose last call may be `cut`: then it ended for its length, though many servers
/// say it ended for the call.
pub(super) fn of_cut_call(stop: Stop, cut: bool, ledger: &mut Ledger) -> Stop {
    if !cut || stop.reason != StopReason::ToolUse {
        return stop;
    }
    let what = "the last call has no end: the reply ended for its length";
    ledger.change(note::ODD_INPUT, Place::REPLY, what);
    Stop::new(StopReason::MaxTokens)
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
