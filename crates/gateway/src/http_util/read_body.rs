//! Reads request bodies within the configured limits, and discards what is left of them.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, EXPECT, TRANSFER_ENCODING};
use http::request::Parts;
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use interlingua::ApiError;
use interlingua_model::ApiErrorKind;
use tokio::time::{Instant, error::Elapsed, timeout};

use crate::config::Config;
use crate::http_util::body_budget::BodyPermit;
use crate::http_util::content_coding;
use crate::http_util::error_response::{body_too_large, failure};

/// Rejects a head that exceeds the limit.
pub(crate) fn check_head_size(head: &Parts, max: usize) -> Result<(), ApiError> {
    let lines = head
        .headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + HEADER_LINE_OVERHEAD);
    let uri = head.uri.path_and_query().map_or(0, |uri| uri.as_str().len());
    if uri + lines.sum::<usize>() <= max {
        return Ok(());
    }
    let message = format!("the headers are larger than the limit of {max} bytes");
    Err(ApiError { status: 431, ..failure(ApiErrorKind::RequestTooLarge, &message) })
}

/// The whole body, decompressed, unless it is too large or too slow, or unless the bodies of all
/// requests are too large together.
pub(crate) async fn read_body(
    body: &mut Incoming,
    headers: &HeaderMap,
    config: &Config,
    permit: &mut BodyPermit<'_>,
) -> Result<Bytes, ApiError> {
    let (max, max_wait) = (config.limits.body, config.timeouts.body);
    let codings = content_coding::parse(headers)?;
    let content_length =
        headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if content_length.is_some_and(|content_length: usize| content_length > max) {
        return Err(body_too_large(max));
    }
    if content_length.is_none() {
        check_transfer_codings(headers)?;
    }
    let mut first = None;
    let mut buffer = BytesMut::new();
    let mut rate_check = RateCheck::default();
    while !body.is_end_stream()
        && let Some(frame) =
            poll_then_timeout(max_wait, body.frame()).await.map_err(|_| body_timed_out())?
    {
        let Ok(data) = frame.map_err(|_| body_incomplete())?.into_data() else { continue };
        let received = first.as_ref().map_or(0, Bytes::len) + buffer.len() + data.len();
        if received > max {
            return Err(body_too_large(max));
        }
        permit.reserve(received)?;
        if received > data.len() {
            rate_check.check(received, Instant::now())?;
        }
        match first.take() {
            None if buffer.is_empty() => first = Some(data),
            None => buffer.extend_from_slice(&data),
            Some(start) => {
                let expected = content_length.unwrap_or_default().min(MAX_PREALLOCATED_BYTES);
                buffer.reserve(expected.max(start.len() + data.len()));
                buffer.extend_from_slice(&start);
                buffer.extend_from_slice(&data);
            }
        }
    }
    let body = first.unwrap_or_else(|| buffer.freeze());
    if codings.is_empty() || body.is_empty() {
        return Ok(body);
    }
    content_coding::decode(body, &codings, max, permit).await
}

/// Refuses bodies that are more than chunked: their content would be taken for the body.
fn check_transfer_codings(headers: &HeaderMap) -> Result<(), ApiError> {
    let mut codings = headers.get_all(TRANSFER_ENCODING).into_iter();
    if codings.all(|coding| coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked")) {
        return Ok(());
    }
    let message = "the only transfer coding that is supported is `chunked`; \
                   compress with `content-encoding`";
    Err(ApiError { status: 501, ..failure(ApiErrorKind::InvalidRequest, message) })
}

/// Reads the rest of a body that was answered before it was read, if it is short, so that its
/// connection can carry another request. Returns whether the body has ended; otherwise the
/// connection cannot be used again, and the response must say so.
pub(crate) async fn drain(body: &mut Incoming, headers: &HeaderMap) -> bool {
    if body.is_end_stream() {
        return true;
    }
    // Reading would ask a client that waits for `100 Continue` to send the body.
    if headers.contains_key(EXPECT) || body.size_hint().lower() > MAX_DRAINED_BYTES {
        return false;
    }
    timeout(DRAIN_TIMEOUT, read_rest(body)).await.unwrap_or(false)
}

async fn read_rest(body: &mut Incoming) -> bool {
    let mut total_bytes = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return false };
        total_bytes += frame.data_ref().map_or(0, Bytes::len) as u64;
        if total_bytes > MAX_DRAINED_BYTES {
            return false;
        }
    }
    true
}

/// Ends a body that arrives in so small pieces that every wait is short enough.
#[derive(Default)]
struct RateCheck {
    /// The start of the current interval, and the bytes received before it.
    interval: Option<(Instant, usize)>,
}

impl RateCheck {
    fn check(&mut self, received: usize, now: Instant) -> Result<(), ApiError> {
        let Some((start, received_before)) = self.interval else {
            self.interval = Some((now, received));
            return Ok(());
        };
        let elapsed = now.duration_since(start);
        if elapsed < RATE_INTERVAL {
            return Ok(());
        }
        let min_bytes = MIN_BYTES_PER_SECOND * elapsed.as_secs() as usize;
        if received - received_before < min_bytes {
            return Err(body_timed_out());
        }
        self.interval = Some((now, received));
        Ok(())
    }
}

/// The future's output within this time. Polls once first, so that data already there needs no
/// timer.
async fn poll_then_timeout<F: Future>(max_wait: Duration, future: F) -> Result<F::Output, Elapsed> {
    let mut future = pin!(future);
    match poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await {
        Poll::Ready(output) => Ok(output),
        Poll::Pending => timeout(max_wait, future).await,
    }
}

fn body_timed_out() -> ApiError {
    let error = failure(ApiErrorKind::Timeout, "the body did not arrive in time");
    ApiError { status: 408, ..error }
}

fn body_incomplete() -> ApiError {
    failure(ApiErrorKind::InvalidRequest, "the body is incomplete")
}

/// The least rate of a body, over an interval of this length.
const MIN_BYTES_PER_SECOND: usize = 1024;
const RATE_INTERVAL: Duration = Duration::from_secs(30);
/// `: ` and CR LF.
const HEADER_LINE_OVERHEAD: usize = 4;
/// Maximum capacity allocated from `content-length`; longer bodies grow as they arrive.
const MAX_PREALLOCATED_BYTES: usize = 4 * 1024 * 1024;
const MAX_DRAINED_BYTES: u64 = 256 * 1024;
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::{Duration, Instant, RateCheck};

    /// Whether a body ends early that arrives in pieces of this size at this interval.
    fn is_refused(bytes: usize, interval: Duration) -> bool {
        let (start, mut rate_check) = (Instant::now(), RateCheck::default());
        (1..200).any(|at| rate_check.check(at * bytes, start + interval * at as u32).is_err())
    }

    #[test]
    fn a_body_has_a_least_rate() {
        assert!(is_refused(1, Duration::from_secs(1)));
        assert!(is_refused(1000, Duration::from_secs(1)));
        assert!(!is_refused(1100, Duration::from_secs(1)));
        assert!(is_refused(1, Duration::from_secs(29)));
        assert!(!is_refused(40_000, Duration::from_secs(29)));
        assert!(!is_refused(1, Duration::from_millis(100)));
    }
}
