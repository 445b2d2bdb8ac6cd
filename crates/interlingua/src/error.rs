//! Errors for bodies that cannot be translated.

use std::fmt;

use interlingua_model::ApiError;
use interlingua_wire::{JsonError, JsonKind};

/// An error of a body that is not a JSON object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranslateError {
    /// The body is not JSON.
    InvalidJson(JsonError),
    /// The body is JSON, but not an object, as requests and replies are. `offset` is the byte
    /// offset at which the value begins.
    NotAnObject {
        /// Byte offset of the value.
        offset: usize,
        /// The kind of the value.
        found: JsonKind,
    },
}

/// A reply that cannot be passed to the client as a reply.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyError {
    /// The body is not a JSON object.
    InvalidBody(TranslateError),
    /// A reply with status 200 whose body is an API error, or that exceeds a limit. The client gets
    /// an error, encoded by `encode_error` of its dialect.
    Api(Box<ApiError>),
}

impl TranslateError {
    /// Byte offset of the error in the body.
    pub fn offset(&self) -> usize {
        match self {
            Self::InvalidJson(error) => error.offset,
            Self::NotAnObject { offset, .. } => *offset,
        }
    }

    /// Line and column of the error, both counted from 1.
    pub fn line_and_column(&self, body: &[u8]) -> (usize, usize) {
        match self {
            Self::InvalidJson(error) => error.line_and_column(body),
            Self::NotAnObject { offset, .. } => {
                let kind = interlingua_wire::json::JsonErrorKind::Expected("an object");
                JsonError { offset: *offset, kind }.line_and_column(body)
            }
        }
    }
}

impl From<JsonError> for TranslateError {
    fn from(error: JsonError) -> Self {
        Self::InvalidJson(error)
    }
}

impl<E: Into<TranslateError>> From<E> for ReplyError {
    fn from(error: E) -> Self {
        Self::InvalidBody(error.into())
    }
}

impl fmt::Display for TranslateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidJson(error) => error.fmt(f),
            Self::NotAnObject { found, .. } => {
                write!(f, "expected a JSON object, found {}", describe_kind(*found))
            }
        }
    }
}

impl fmt::Display for ReplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidBody(error) => error.fmt(f),
            Self::Api(error) => {
                write!(f, "the reply is an error ({}): {}", error.status, error.message)
            }
        }
    }
}

impl std::error::Error for TranslateError {}
impl std::error::Error for ReplyError {}

fn describe_kind(kind: JsonKind) -> &'static str {
    match kind {
        JsonKind::Null => "null",
        JsonKind::Bool => "a boolean",
        JsonKind::Number => "a number",
        JsonKind::String => "a string",
        JsonKind::Array => "an array",
        JsonKind::Object => "an object",
    }
}
