//! An error, in the words and the envelope of the dialect that was asked in.

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use interlingua::model::{FailureKind, Retry};
use interlingua::{Dialect, Failure, Text};

use crate::out::Out;

/// What a client is told that gets no answer.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) failure: Box<Failure>,
    /// The provider's own words, where the client speaks its dialect: agents match on them.
    pub(crate) as_it_came: Option<Box<(Bytes, Option<HeaderValue>)>>,
    /// What was refused, where a provider did.
    pub(crate) sent: Option<Bytes>,
    /// Nothing is wrong with what was sent: the model may say it better when it is asked once more.
    pub(crate) by_chance: bool,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self { failure: Box::new(failure), as_it_came: None, sent: None, by_chance: false }
    }
}

/// A failure with words of our own.
pub(crate) fn failure(kind: FailureKind, message: &str) -> Failure {
    Failure::new(kind, Text::new(message))
}

/// What those are told who are still being answered when nobody waits for them any longer.
pub(crate) fn stopped() -> Failure {
    failure(FailureKind::Overloaded, "the gateway stops before this answer is complete")
}

impl Refusal {
    pub(crate) fn response(self, dialect: &dyn Dialect) -> Response<Out> {
        let failure = &self.failure;
        let (body, content_type, status) = match self.as_it_came {
            Some(came) => (came.0, came.1, failure.status),
            None => (dialect.encode_error(failure).into(), None, dialect.status(failure)),
        };
        let mut response = Response::new(Out::Whole(body));
        *response.status_mut() =
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, content_type.unwrap_or(JSON));
        match (failure.retry, failure.kind) {
            (Retry::AfterMillis(millis), _) => {
                headers.insert(header::RETRY_AFTER, millis.div_ceil(1000).into());
                if millis > LONG {
                    headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
                }
            }
            (_, FailureKind::RateLimit) => {
                headers.insert(header::RETRY_AFTER, MOMENT.into());
            }
            (_, FailureKind::Auth | FailureKind::Billing) => {
                headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
            }
            _ => {}
        }
        response.extensions_mut().insert(*self.failure);
        response
    }
}

pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");
/// Seconds after which a client may come back, if nobody says more.
const MOMENT: u32 = 5;
/// Milliseconds that nobody waits in front of a screen.
const LONG: u64 = 10 * 60 * 1000;
