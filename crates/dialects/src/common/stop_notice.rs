//! Text and errors for stop reasons that most dialects do not have.

use interlingua_model::{ApiError, ApiErrorKind, Stop, StopReason};
use interlingua_wire::JsonString;

/// Notice text for a reply that ended abnormally: a normal stop reason alone would report a
/// complete answer.
pub(crate) fn notice_text(stop: &Stop) -> Option<JsonString> {
    let problem = match stop.reason {
        StopReason::MalformedCall => "The provider could not read the model's tool call",
        StopReason::Error => "The provider ended the reply with an error",
        StopReason::EndTurn
        | StopReason::StopSequence
        | StopReason::MaxTokens
        | StopReason::ToolUse
        | StopReason::ContextFull
        | StopReason::Refusal
        | StopReason::Pause
        | StopReason::Other => return None,
    };
    Some(JsonString::new(&match &stop.message {
        Some(message) => format!("[{problem}: {message}]"),
        None => format!("[{problem}.]"),
    }))
}

/// The error of a reply that its provider ended with an error. Most dialects have no such stop
/// reason, and a normal one would report a complete answer.
pub(crate) fn error_from_stop(stop: &Stop) -> Option<ApiError> {
    if stop.reason != StopReason::Error {
        return None;
    }
    let mut message = "the provider ended the reply with an error".to_owned();
    if let Some((_, reason_name)) =
        stop.original_reason.as_ref().filter(|(_, reason_name)| *reason_name != "error")
    {
        message = format!("{message} (`{reason_name}`)");
    }
    if let Some(detail) = &stop.message {
        message = format!("{message}: {detail}");
    }
    Some(ApiError::new(ApiErrorKind::ServerError, JsonString::new(&message)))
}
