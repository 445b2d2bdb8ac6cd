//! Recognizes errors that providers report as their own although the request causes them.
//!
//! Some servers answer every exception with 500. Sent again, or sent by another client, such a
//! request fails again, while every other request works.

use interlingua_model::{ApiError, ApiErrorKind, DialectId};

use super::find_rejection;

/// Wording of an error about the request.
#[derive(Debug)]
pub struct RequestErrorWording {
    /// A substring of the message in lower case.
    pub phrase: &'static str,
    /// Substrings with which it is about something else.
    pub unless: &'static [&'static str],
}

/// All wordings, in addition to [`super::patterns`].
pub fn request_error_wordings() -> &'static [RequestErrorWording] {
    WORDINGS
}

/// Gives a server error that is about the request the kind and status of a rejected request.
/// Returns whether it did: another provider may accept the request.
pub fn reclassify(dialect: DialectId, error: &mut ApiError) -> bool {
    let is_request_error = match error.kind {
        ApiErrorKind::InvalidRequest => error.status >= 500,
        ApiErrorKind::ServerError => {
            is_about_request(&error.message.unescape().to_lowercase())
                || find_rejection(dialect, error).is_some()
        }
        // "No endpoints found that support image input"
        ApiErrorKind::NotFound => find_rejection(dialect, error).is_some(),
        _ => false,
    };
    if is_request_error {
        error.kind = ApiErrorKind::InvalidRequest;
        (error.origin, error.status, error.retry) = error.kind.defaults();
    }
    is_request_error
}

fn is_about_request(message: &str) -> bool {
    WORDINGS.iter().any(|wording| {
        message.contains(wording.phrase)
            && !wording.unless.iter().any(|phrase| message.contains(phrase))
    })
}

const fn wording(phrase: &'static str) -> RequestErrorWording {
    RequestErrorWording { phrase, unless: &[] }
}

/// A wording that is also used for what the model or another server wrote.
const fn wording_of_input(phrase: &'static str) -> RequestErrorWording {
    RequestErrorWording { phrase, unless: OUTPUT_PHRASES }
}

static WORDINGS: &[RequestErrorWording] = &[
    // llama.cpp: media without a projector, tools, and arguments of earlier calls.
    // <https://github.com/ggml-org/llama.cpp/issues/13566>, <https://github.com/am17an/llama.cpp/issues/43>
    wording("input is not supported"),
    wording("unsupported content[].type"),
    wording("expected 'content' to be a string or an array"),
    wording("cannot determine type of 'item'"),
    wording_of_input("failed to parse"),
    wording_of_input("parse error"),
    // Exceptions of chat templates: llama.cpp, llama-cpp-python, LM Studio.
    wording("jinja"),
    wording("raise_exception"),
    wording("unable to generate parser for this template"),
    wording("roles must alternate"),
    wording("system message must be at the beginning"),
    wording("system role not supported"),
    wording("only user and assistant roles"),
    wording("message has tool role, but there was no previous assistant message"),
    wording("this model only supports single tool-calls at once"),
    wording("tool call ids should be alphanumeric"),
    // Validation by pydantic: llama-cpp-python, and servers on FastAPI.
    wording_of_input("validation error"),
    wording("'loc': ('body'"),
];

/// "Failed to parse input at pos 12: …" is about the reply.
const OUTPUT_PHRASES: &[&str] = &["input at pos", "response", "output", "upstream"];
