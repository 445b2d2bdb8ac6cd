//! The error of an attempt: what the client gets, and what it says about further attempts.

use std::time::Duration;

use bytes::Bytes;
use interlingua::{ApiError, Dialect};
use interlingua_model::RetryAdvice;
use interlingua_repair::rejection;
use interlingua_upstream::{UpstreamResponse, retry};
use tokio::time::timeout;

use crate::http_util::error_response::ErrorResponse;
use crate::proxy::request::RoutedRequest;
use crate::proxy::request_log::{RequestLog, capture_provider_bytes};

/// Why an attempt has no response for the client.
#[derive(Debug)]
pub(crate) struct AttemptError {
    pub(crate) response: ErrorResponse,
    pub(crate) cause: ErrorCause,
    /// The body that the provider rejected for its shape.
    pub(crate) rejected_body: Option<Bytes>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ErrorCause {
    /// The provider responded, or the gateway rejected the request.
    #[default]
    Responded,
    /// The provider rejected the request with a server error: another one may accept it.
    RejectedAsServerError,
    /// The connection to the provider failed or timed out.
    NoResponse,
    /// The model's call was malformed: it may succeed if the request is sent again unchanged.
    MalformedCall,
    /// Nothing was sent, because the provider has rejected the same body.
    SameBody,
}

impl<E: Into<ErrorResponse>> From<E> for AttemptError {
    fn from(error: E) -> Self {
        Self::new(ErrorCause::default(), error)
    }
}

impl AttemptError {
    pub(crate) fn new(cause: ErrorCause, error: impl Into<ErrorResponse>) -> Self {
        Self { response: error.into(), cause, rejected_body: None }
    }

    /// An error that a provider sent. A server error that is about the request becomes a rejection.
    pub(crate) fn from_provider(dialect: &dyn Dialect, mut error: ApiError) -> Self {
        let is_rejection = rejection::reclassify(dialect.id(), &mut error);
        let rejected = is_rejection.then_some(ErrorCause::RejectedAsServerError);
        Self::new(rejected.unwrap_or_default(), error)
    }

    /// An error of the connection to a provider. Those that make no retry worthwhile, such as an
    /// unexpected redirect, come from a provider that can be reached.
    pub(crate) fn from_connection(error: ApiError) -> Self {
        let no_response = (error.retry == RetryAdvice::Yes).then_some(ErrorCause::NoResponse);
        Self::new(no_response.unwrap_or_default(), error)
    }
}

impl RoutedRequest<'_> {
    /// Reads a provider's error; the body stays verbatim if both sides use one dialect.
    pub(crate) async fn read_provider_error(
        &self,
        response: UpstreamResponse,
        to: &dyn Dialect,
        log: &mut Option<RequestLog>,
    ) -> AttemptError {
        let UpstreamResponse { status, headers, body } = response;
        let status = if status > MAX_HTTP_STATUS { BAD_GATEWAY } else { status };
        let max_wait = ERROR_BODY_TIMEOUT.min(self.config.timeouts.answer);
        let body = timeout(max_wait, body.collect(MAX_ERROR_BYTES)).await;
        let body = body.unwrap_or_else(|_| Ok(Bytes::new())).unwrap_or_default();
        capture_provider_bytes(log, &body);
        let mut error = to.decode_error(status, &body);
        if let Some(wait) = retry::retry_after(&headers) {
            let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            error.retry = RetryAdvice::AfterMillis(millis);
        }
        // An error page of a proxy in between is in no dialect.
        let same_dialect = to.id() == self.client_dialect.id() && error.original.is_some();
        let verbatim = same_dialect.then(|| Box::new((body, headers.content_type().cloned())));
        let mut error = AttemptError::from_provider(to, error);
        error.response.verbatim = verbatim;
        error
    }
}

/// Time for the body of an error.
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Some servers send statuses such as 999, which HTTP clients may reject.
const MAX_HTTP_STATUS: u16 = 599;
const BAD_GATEWAY: u16 = 502;
const MAX_ERROR_BYTES: usize = 1024 * 1024;
