//! What is kept, and what is found.

use std::fmt;

use bytes::Bytes;

/// A namespace for records, with a retention of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Turns of a model with what its provider sealed.
    Sealed,
    /// What the model is to be told of its calls.
    Answer,
    /// What was learned of a provider.
    Lesson,
    /// What happened, for looking at.
    Capture,
    /// Replies that a later request may name, each with what was said to it.
    Response,
    /// Keys of clients that were made while the gateway runs.
    Key,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Record {
    pub kind: Kind,
    /// Whose it is: the name of a client's key, or nothing. Nobody else finds it.
    pub owner: String,
    /// What it is found by.
    pub keys: Vec<String>,
    pub body: Bytes,
}

/// One record under one of the keys that were asked for.
#[derive(Clone, PartialEq, Eq)]
pub struct Found {
    pub key: String,
    pub body: Bytes,
}

impl Kind {
    pub const ALL: [Self; 6] =
        [Self::Sealed, Self::Answer, Self::Lesson, Self::Capture, Self::Response, Self::Key];

    pub fn name(self) -> &'static str {
        match self {
            Self::Sealed => "sealed",
            Self::Answer => "answer",
            Self::Lesson => "lesson",
            Self::Capture => "capture",
            Self::Response => "response",
            Self::Key => "key",
        }
    }

    /// As databases write it: never to be changed.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Sealed => 1,
            Self::Answer => 2,
            Self::Lesson => 3,
            Self::Capture => 4,
            Self::Response => 5,
            Self::Key => 6,
        }
    }

    pub(crate) fn place(self) -> usize {
        usize::from(self.number()) - 1
    }
}

/// Contents are nobody's business.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("kind", &self.kind)
            .field("owner", &self.owner)
            .field("keys", &self.keys.len())
            .field("bytes", &self.body.len())
            .finish()
    }
}

impl fmt::Debug for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Found").field("bytes", &self.body.len()).finish_non_exhaustive()
    }
}
