//! The error of an LLM API: its kind, origin, HTTP status and advice on retries.

use std::fmt;

use interlingua_wire::{JsonString, RawJson};

use crate::DialectId;

/// An API error in no dialect.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    /// Which side caused the error.
    pub origin: ErrorOrigin,
    /// What went wrong.
    pub kind: ApiErrorKind,
    /// The HTTP status; the usual one of the kind, if the error arrived inside a stream.
    pub status: u16,
    /// Whether and when the request may be repeated.
    pub retry: RetryAdvice,
    /// The provider's message, for people.
    pub message: JsonString,
    /// The error as JSON of the dialect that encoded it: clients match on its text.
    pub original: Option<(DialectId, RawJson)>,
    /// The provider's id of the failed request, for support inquiries.
    pub request_id: Option<Box<JsonString>>,
}

/// Which side caused an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorOrigin {
    /// The client: the same request fails again.
    Client,
    /// The provider.
    Upstream,
    /// The gateway itself.
    Gateway,
}

/// Kinds of API errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiErrorKind {
    /// The provider rejects the form of the request.
    InvalidRequest,
    /// The API key is missing or unknown.
    Authentication,
    /// The key may not use the model or the endpoint.
    Permission,
    /// The model, the endpoint or an id in the request does not exist.
    NotFound,
    /// No credit or quota is left.
    Billing,
    /// Too many requests or tokens in a time.
    RateLimit,
    /// The provider has no capacity at the moment.
    Overloaded,
    /// The conversation is longer than the model's context window.
    ContextOverflow,
    /// The body is larger than the provider accepts.
    RequestTooLarge,
    /// The provider's content filter blocked the request or the reply.
    ContentFiltered,
    /// There was no reply in time.
    Timeout,
    /// The provider failed.
    ServerError,
}

/// Whether and when a request may be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAdvice {
    /// The same request fails again.
    No,
    /// The same request may succeed, after the caller's own delay.
    Yes,
    /// The same request may succeed after this many milliseconds.
    AfterMillis(u64),
}

impl ApiError {
    /// Creates an error of this kind, with its usual origin, status and retry advice.
    pub fn new(kind: ApiErrorKind, message: JsonString) -> Self {
        let (origin, status, retry) = kind.defaults();
        Self { origin, kind, status, retry, message, original: None, request_id: None }
    }

    /// The stream ended before the reply was complete.
    pub fn truncated_stream() -> Self {
        Self::new(
            ApiErrorKind::ServerError,
            JsonString::from_static("the stream ended before the reply was complete"),
        )
    }

    /// A success response without a reply in its body.
    pub fn empty_reply() -> Self {
        Self::new(
            ApiErrorKind::ServerError,
            JsonString::from_static("the provider's reply has no content"),
        )
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message.unescape())
    }
}

impl std::error::Error for ApiError {}

impl ApiErrorKind {
    /// The origin, status and retry advice of this kind if nothing more is known.
    pub fn defaults(self) -> (ErrorOrigin, u16, RetryAdvice) {
        match self {
            Self::Authentication => (ErrorOrigin::Client, 401, RetryAdvice::No),
            Self::Billing => (ErrorOrigin::Client, 402, RetryAdvice::No),
            Self::Permission => (ErrorOrigin::Client, 403, RetryAdvice::No),
            Self::NotFound => (ErrorOrigin::Client, 404, RetryAdvice::No),
            Self::InvalidRequest | Self::ContextOverflow | Self::ContentFiltered => {
                (ErrorOrigin::Client, 400, RetryAdvice::No)
            }
            Self::RequestTooLarge => (ErrorOrigin::Client, 413, RetryAdvice::No),
            Self::RateLimit => (ErrorOrigin::Upstream, 429, RetryAdvice::Yes),
            Self::ServerError => (ErrorOrigin::Upstream, 500, RetryAdvice::Yes),
            Self::Timeout => (ErrorOrigin::Upstream, 504, RetryAdvice::Yes),
            Self::Overloaded => (ErrorOrigin::Upstream, 529, RetryAdvice::Yes),
        }
    }

    /// Returns the status to send for this kind, given the received one. Clients decide by the
    /// status whether to retry, so a kind that they must recognize gets its usual status.
    pub fn response_status(self, received: u16) -> u16 {
        match (self, received) {
            (Self::Authentication, 401 | 403) | (Self::ContextOverflow, 400..=499) => received,
            (
                Self::Authentication | Self::ContextOverflow | Self::RateLimit | Self::Overloaded,
                _,
            ) => self.defaults().1,
            _ => received,
        }
    }

    /// The kind that a status implies if the body does not tell more.
    pub fn from_status(status: u16) -> Self {
        match status {
            401 => Self::Authentication,
            402 => Self::Billing,
            403 => Self::Permission,
            404 => Self::NotFound,
            408 | 504 => Self::Timeout,
            413 => Self::RequestTooLarge,
            429 => Self::RateLimit,
            503 | 529 => Self::Overloaded,
            400..=499 => Self::InvalidRequest,
            _ => Self::ServerError,
        }
    }
}
