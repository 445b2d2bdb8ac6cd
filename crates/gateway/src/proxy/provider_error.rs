//! Decodes a provider's error for the client.

use std::time::Duration;

use bytes::Bytes;
use interlingua::Dialect;
use interlingua_model::RetryAdvice;
use interlingua_upstream::{UpstreamResponse, retry};
use tokio::time::timeout;

use crate::http_util::error_response::ErrorResponse;
use crate::proxy::reply::capture_provider_bytes;
use crate::proxy::request::RoutedRequest;
use crate::proxy::request_log::RequestLog;

impl RoutedRequest<'_> {
    /// Reads a provider's error; the body stays verbatim if both sides use one dialect.
    pub(crate) async fn read_provider_error(
        &self,
        response: UpstreamResponse,
        to: &dyn Dialect,
        log: &mut Option<RequestLog>,
    ) -> ErrorResponse {
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
        ErrorResponse { verbatim, ..ErrorResponse::from_provider(to, error) }
    }
}

/// Time for the body of an error.
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Some servers send statuses such as 999, which HTTP clients may reject.
const MAX_HTTP_STATUS: u16 = 599;
const BAD_GATEWAY: u16 = 502;
const MAX_ERROR_BYTES: usize = 1024 * 1024;
