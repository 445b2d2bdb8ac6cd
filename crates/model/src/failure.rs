//! What went wrong, who is to blame, and whether to try again.

use std::fmt;

use interlingua_wire::{Json, Text};

use crate::DialectId;

#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub blame: Blame,
    pub kind: FailureKind,
    /// As HTTP says it; what the kind implies where the error came inside a stream.
    pub status: u16,
    pub retry: Retry,
    pub message: Text,
    /// The error as its dialect wrote it: clients match on its words.
    pub written: Option<(DialectId, Json)>,
    /// What the request is called that failed, to ask about it.
    pub request: Option<Box<Text>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    Client,
    Upstream,
    Gateway,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The request has a form the provider refuses.
    Shape,
    Auth,
    Permission,
    NotFound,
    /// No money or quota left.
    Billing,
    RateLimit,
    Overloaded,
    /// The conversation is longer than the model can read.
    ContextOverflow,
    /// The body is larger than the provider takes.
    TooLarge,
    /// The provider declines the content.
    Filtered,
    Timeout,
    /// The provider broke.
    Upstream,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    No,
    Yes,
    AfterMillis(u64),
}

impl Failure {
    /// A failure of this kind, with the blame, status and retry that usually go with it.
    pub fn new(kind: FailureKind, message: Text) -> Self {
        let (blame, status, retry) = kind.usually();
        Self { blame, kind, status, retry, message, written: None, request: None }
    }

    /// The stream ended before its end.
    pub fn cut_short() -> Self {
        Self::new(
            FailureKind::Upstream,
            Text::word("the stream ended before the reply was complete"),
        )
    }

    /// A body came that says all is well, and says nothing else.
    pub fn no_answer() -> Self {
        Self::new(FailureKind::Upstream, Text::word("the provider's reply holds no answer"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message.contents())
    }
}

impl std::error::Error for Failure {}

impl FailureKind {
    /// Who is to blame, the status, and whether to retry, if nothing more is known.
    pub fn usually(self) -> (Blame, u16, Retry) {
        match self {
            Self::Auth => (Blame::Client, 401, Retry::No),
            Self::Billing => (Blame::Client, 402, Retry::No),
            Self::Permission => (Blame::Client, 403, Retry::No),
            Self::NotFound => (Blame::Client, 404, Retry::No),
            Self::Shape | Self::ContextOverflow | Self::Filtered => (Blame::Client, 400, Retry::No),
            Self::TooLarge => (Blame::Client, 413, Retry::No),
            Self::RateLimit => (Blame::Upstream, 429, Retry::Yes),
            Self::Upstream => (Blame::Upstream, 500, Retry::Yes),
            Self::Timeout => (Blame::Upstream, 504, Retry::Yes),
            Self::Overloaded => (Blame::Upstream, 529, Retry::Yes),
        }
    }

    /// The status for a failure of this kind that came with another: clients go by it.
    pub fn status(self, came: u16) -> u16 {
        match (self, came) {
            (Self::Auth, 401 | 403) | (Self::ContextOverflow, 400..=499) => came,
            (Self::Auth | Self::ContextOverflow | Self::RateLimit | Self::Overloaded, _) => {
                self.usually().1
            }
            _ => came,
        }
    }

    /// What a status says when the body does not say more.
    pub fn of_status(status: u16) -> Self {
        match status {
            401 => Self::Auth,
            402 => Self::Billing,
            403 => Self::Permission,
            404 => Self::NotFound,
            408 | 504 => Self::Timeout,
            413 => Self::TooLarge,
            429 => Self::RateLimit,
            503 | 529 => Self::Overloaded,
            400..=499 => Self::Shape,
            _ => Self::Upstream,
        }
    }
}
