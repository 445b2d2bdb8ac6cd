//! Encodes errors in the client's dialect.

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use interlingua::{ApiError, Dialect, JsonString};
use interlingua_model::{ApiErrorKind, RetryAdvice};
use interlingua_repair::rejection;

use crate::http_util::content_coding;
use crate::proxy::stream_body::ResponseBody;

/// An error on its way to the client.
#[derive(Debug)]
pub(crate) struct ErrorResponse {
    pub(crate) failure: Box<ApiError>,
    /// The provider's original body, if the client uses the same dialect: agents match on its text.
    pub(crate) verbatim: Option<Box<(Bytes, Option<HeaderValue>)>>,
    /// The body that the provider rejected.
    pub(crate) rejected_body: Option<Bytes>,
    /// The request is valid: the model may succeed if it is sent again unchanged.
    pub(crate) retry_unchanged: bool,
    pub(crate) route_outcome: RouteOutcome,
}

/// How far the call of a route got, and what its error says about other routes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RouteOutcome {
    /// The provider responded, or the gateway rejected the request.
    #[default]
    Responded,
    /// The provider rejected the request with a server error: another one may accept it.
    RejectedAsServerError,
    /// The connection to the provider failed or timed out.
    NoResponse,
    /// The circuit is open, or the model is rate limited.
    NotCalled,
}

impl From<ApiError> for ErrorResponse {
    fn from(error: ApiError) -> Self {
        Self {
            failure: Box::new(error),
            verbatim: None,
            rejected_body: None,
            retry_unchanged: false,
            route_outcome: RouteOutcome::default(),
        }
    }
}

/// An error of the gateway itself.
pub(crate) fn failure(kind: ApiErrorKind, message: &str) -> ApiError {
    ApiError::new(kind, JsonString::new(message))
}

/// The error of responses that are unfinished at the end of the shutdown drain.
pub(crate) fn shutdown_error() -> ApiError {
    failure(ApiErrorKind::Overloaded, "the gateway stops before this response is complete")
}

impl ErrorResponse {
    /// An error that a provider sent. A server error that is about the request becomes a rejection.
    pub(crate) fn from_provider(dialect: &dyn Dialect, mut error: ApiError) -> Self {
        let is_rejection = rejection::reclassify(dialect.id(), &mut error);
        let rejected = is_rejection.then_some(RouteOutcome::RejectedAsServerError);
        Self { route_outcome: rejected.unwrap_or_default(), ..error.into() }
    }

    /// An error of the connection to a provider. Those that make no retry worthwhile, such as an
    /// unexpected redirect, come from a provider that can be reached.
    pub(crate) fn from_connection(error: ApiError) -> Self {
        let no_response = (error.retry == RetryAdvice::Yes).then_some(RouteOutcome::NoResponse);
        Self { route_outcome: no_response.unwrap_or_default(), ..error.into() }
    }

    pub(crate) fn into_response(self, dialect: &dyn Dialect) -> Response<ResponseBody> {
        let error = &self.failure;
        let (body, content_type, status) = match self.verbatim {
            Some(original) => (original.0, original.1, error.status),
            None => (dialect.encode_error(error).into(), None, dialect.error_status(error)),
        };
        let mut response = Response::new(ResponseBody::Full(body));
        *response.status_mut() =
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, content_type.unwrap_or(APPLICATION_JSON));
        if status == StatusCode::UNSUPPORTED_MEDIA_TYPE.as_u16() {
            let accepted = HeaderValue::from_static(content_coding::ACCEPTED);
            headers.insert(header::ACCEPT_ENCODING, accepted);
        }
        match (error.retry, error.kind) {
            (RetryAdvice::AfterMillis(millis), _) => {
                headers.insert(header::RETRY_AFTER, millis.div_ceil(1000).into());
                if millis > MAX_CLIENT_RETRY_MS {
                    headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
                }
            }
            (_, ApiErrorKind::RateLimit) => {
                headers.insert(header::RETRY_AFTER, DEFAULT_RETRY_AFTER_SECS.into());
            }
            (_, ApiErrorKind::Authentication | ApiErrorKind::Billing) => {
                headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
            }
            _ => {}
        }
        response.extensions_mut().insert(*self.failure);
        response
    }
}

pub(crate) const APPLICATION_JSON: HeaderValue = HeaderValue::from_static("application/json");
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");
/// Seconds, for rate limits of providers that send no `retry-after`.
const DEFAULT_RETRY_AFTER_SECS: u32 = 5;
/// Longer waits are not retried automatically: interactive clients would hang.
const MAX_CLIENT_RETRY_MS: u64 = 10 * 60 * 1000;
