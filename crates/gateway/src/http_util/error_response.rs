//! Encodes errors in the client's dialect.

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use interlingua::{ApiError, Dialect, JsonString};
use interlingua_model::{ApiErrorKind, RetryAdvice};
use interlingua_store::SessionError;

use crate::http_util::body::ResponseBody;
use crate::http_util::respond::APPLICATION_JSON;

/// An error on its way to the client.
#[derive(Debug)]
pub(crate) struct ErrorResponse {
    pub(crate) failure: Box<ApiError>,
    /// The provider's original body, if the client uses the same dialect: agents match on its text.
    pub(crate) verbatim: Option<Box<(Bytes, Option<HeaderValue>)>>,
}

impl From<ApiError> for ErrorResponse {
    fn from(error: ApiError) -> Self {
        Self { failure: Box::new(error), verbatim: None }
    }
}

impl From<SessionError> for ErrorResponse {
    fn from(error: SessionError) -> Self {
        let (kind, status) = match error {
            SessionError::NotFound | SessionError::Disabled => (ApiErrorKind::NotFound, 404),
            SessionError::Conflict { .. } => (ApiErrorKind::InvalidRequest, 409),
            SessionError::TooLarge { .. } => (ApiErrorKind::RequestTooLarge, 413),
            SessionError::Store(_) => (ApiErrorKind::ServerError, 503),
        };
        let failure = ApiError::new(kind, JsonString::new(&error.to_string()));
        let retry = match error {
            SessionError::Store(_) => RetryAdvice::AfterMillis(STORE_RETRY_MILLIS),
            _ => failure.retry,
        };
        ApiError { status, retry, ..failure }.into()
    }
}

/// An error of the gateway itself.
pub(crate) fn failure(kind: ApiErrorKind, message: &str) -> ApiError {
    ApiError::new(kind, JsonString::new(message))
}

pub(crate) fn body_too_large(max: usize) -> ApiError {
    let message = format!("the body is larger than the limit of {max} bytes");
    failure(ApiErrorKind::RequestTooLarge, &message)
}

/// The error of responses that are unfinished at the end of the shutdown drain.
pub(crate) fn shutdown_error() -> ApiError {
    failure(ApiErrorKind::Overloaded, "the gateway stops before this response is complete")
}

/// The canonical name of an error kind, in logs and metrics.
pub(crate) fn error_kind_name(kind: ApiErrorKind) -> &'static str {
    match kind {
        ApiErrorKind::InvalidRequest => "shape",
        ApiErrorKind::Authentication => "auth",
        ApiErrorKind::Permission => "permission",
        ApiErrorKind::NotFound => "not-found",
        ApiErrorKind::Billing => "billing",
        ApiErrorKind::RateLimit => "rate-limit",
        ApiErrorKind::Overloaded => "overloaded",
        ApiErrorKind::ContextOverflow => "context-overflow",
        ApiErrorKind::RequestTooLarge => "too-large",
        ApiErrorKind::ContentFiltered => "filtered",
        ApiErrorKind::Timeout => "timeout",
        ApiErrorKind::ServerError => "upstream",
    }
}

impl ErrorResponse {
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
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED_CODINGS));
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

/// Until a store that cannot be used now is tried again.
const STORE_RETRY_MILLIS: u64 = 1000;
/// The codings that a request body may have.
pub(crate) const ACCEPTED_CODINGS: &str = "gzip, deflate, br, zstd";
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");
/// Seconds, for rate limits of providers that send no `retry-after`.
const DEFAULT_RETRY_AFTER_SECS: u32 = 5;
/// Longer waits are not retried automatically: interactive clients would hang.
const MAX_CLIENT_RETRY_MS: u64 = 10 * 60 * 1000;
