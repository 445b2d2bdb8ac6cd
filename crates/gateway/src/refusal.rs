//! Encodes errors in the client's dialect.

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use interlingua::model::{ApiErrorKind, RetryAdvice};
use interlingua::{ApiError, Dialect, JsonString};

use crate::out::ResponseBody;

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
}

impl From<ApiError> for ErrorResponse {
    fn from(error: ApiError) -> Self {
        Self {
            failure: Box::new(error),
            verbatim: None,
            rejected_body: None,
            retry_unchanged: false,
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
