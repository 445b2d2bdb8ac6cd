//! What is said in words where a dialect has no word for how a reply ended.

use interlingua_model::{Failure, FailureKind, Stop, StopReason};
use interlingua_wire::Text;

/// What is wrong with a reply that ended so: a usual end alone would say that the answer is complete.
pub(crate) fn notice(stop: &Stop) -> Option<Text> {
    let what = match stop.reason {
        StopReason::MalformedCall => "The provider could not read the model's tool call",
        StopReason::Error => "The provider ended the reply with an error",
        StopReason::End
        | StopReason::Sequence
        | StopReason::MaxTokens
        | StopReason::ToolUse
        | StopReason::ContextFull
        | StopReason::Refusal
        | StopReason::Pause
        | StopReason::Other => return None,
    };
    Some(Text::new(&match &stop.message {
        Some(message) => format!("[{what}: {message}]"),
        None => format!("[{what}.]"),
    }))
}

/// The failure of a reply that its provider ended with an error. Most dialects have no word for such an
/// end, and a usual one would say that the answer is complete.
pub(crate) fn given_up(stop: &Stop) -> Option<Failure> {
    if stop.reason != StopReason::Error {
        return None;
    }
    let mut message = "the provider ended the reply with an error".to_owned();
    if let Some((_, word)) = stop.word.as_ref().filter(|(_, word)| *word != "error") {
        message = format!("{message} (`{word}`)");
    }
    if let Some(said) = &stop.message {
        message = format!("{message}: {said}");
    }
    Some(Failure::new(FailureKind::Upstream, Text::new(&message)))
}
