//! Why a body cannot take the road.

use std::fmt;

use interlingua_model::Failure;
use interlingua_wire::{Kind, Malformed};

/// The body is nothing a dialect could read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranslateError {
    Malformed(Malformed),
    /// JSON, but requests and replies are objects; `at` is the byte where the value begins.
    NotAnObject {
        at: usize,
        found: Kind,
    },
}

/// A reply that cannot be given to the client as a reply.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyError {
    Unreadable(TranslateError),
    /// The provider put an error into a reply that says 200: the client gets it as an error, written
    /// by its dialect's `encode_error`.
    Failed(Box<Failure>),
}

impl TranslateError {
    /// The byte of the body where it showed.
    pub fn at(&self) -> usize {
        match self {
            Self::Malformed(malformed) => malformed.at,
            Self::NotAnObject { at, .. } => *at,
        }
    }

    /// Line and column of that byte, both from 1.
    pub fn line_and_column(&self, body: &[u8]) -> (usize, usize) {
        match self {
            Self::Malformed(malformed) => malformed.line_and_column(body),
            Self::NotAnObject { at, .. } => {
                let why = interlingua_wire::json::Why::Expected("an object");
                Malformed { at: *at, why }.line_and_column(body)
            }
        }
    }
}

impl From<Malformed> for TranslateError {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

impl<E: Into<TranslateError>> From<E> for ReplyError {
    fn from(error: E) -> Self {
        Self::Unreadable(error.into())
    }
}

impl fmt::Display for TranslateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(malformed) => malformed.fmt(f),
            Self::NotAnObject { found, .. } => {
                write!(f, "expected a JSON object, found {}", name_of(*found))
            }
        }
    }
}

impl fmt::Display for ReplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(f),
            Self::Failed(failure) => {
                write!(f, "the reply is an error ({}): {}", failure.status, failure.message)
            }
        }
    }
}

impl std::error::Error for TranslateError {}
impl std::error::Error for ReplyError {}

fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}
