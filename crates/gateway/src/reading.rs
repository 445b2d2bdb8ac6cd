//! Reading a request's body, within its limits.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use http::request::Parts;
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use interlingua::Failure;
use interlingua::model::FailureKind;
use tokio::time::{error::Elapsed, timeout};

use crate::refusal::failure;

/// Refuses a head that is larger than it may be.
pub(crate) fn is_small(head: &Parts, most: usize) -> Result<(), Failure> {
    let lines = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + LINE);
    let uri = head.uri.path_and_query().map_or(0, |uri| uri.as_str().len());
    if uri + lines.sum::<usize>() <= most {
        return Ok(());
    }
    let message = format!("the headers are larger than the {most} bytes that are read here");
    Err(Failure { status: 431, ..failure(FailureKind::TooLarge, &message) })
}

/// The whole body, unless it is too large, too slow, or compressed.
pub(crate) async fn whole(
    mut body: Incoming,
    headers: &HeaderMap,
    most: usize,
    patience: Duration,
) -> Result<Bytes, Failure> {
    if let Some(coding) = headers.get(CONTENT_ENCODING).filter(|coding| *coding != "identity") {
        let coding = String::from_utf8_lossy(coding.as_bytes());
        let message = format!("the body is compressed ({coding}); send it as it is");
        return Err(Failure { status: 415, ..failure(FailureKind::Shape, &message) });
    }
    let said = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if said.is_some_and(|said: usize| said > most) {
        return Err(too_large(most));
    }
    let mut first = None;
    let mut gathered = BytesMut::new();
    while !body.is_end_stream()
        && let Some(frame) = within(patience, body.frame()).await.map_err(|_| too_slow())?
    {
        let Ok(data) = frame.map_err(|_| broken_off())?.into_data() else { continue };
        if first.as_ref().map_or(0, Bytes::len) + gathered.len() + data.len() > most {
            return Err(too_large(most));
        }
        match first.take() {
            None if gathered.is_empty() => first = Some(data),
            None => gathered.extend_from_slice(&data),
            Some(start) => {
                let expected = said.unwrap_or_default().min(AT_ONCE);
                gathered.reserve(expected.max(start.len() + data.len()));
                gathered.extend_from_slice(&start);
                gathered.extend_from_slice(&data);
            }
        }
    }
    Ok(first.unwrap_or_else(|| gathered.freeze()))
}

/// What a future gives within this time. Where it gives it at once, nobody looks at a clock.
async fn within<F: Future>(patience: Duration, future: F) -> Result<F::Output, Elapsed> {
    let mut future = pin!(future);
    match poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await {
        Poll::Ready(given) => Ok(given),
        Poll::Pending => timeout(patience, future).await,
    }
}

fn too_large(most: usize) -> Failure {
    let message = format!("the body is larger than the {most} bytes that are read here");
    failure(FailureKind::TooLarge, &message)
}

fn too_slow() -> Failure {
    let slow = failure(FailureKind::Timeout, "the body did not arrive in time");
    Failure { status: 408, ..slow }
}

fn broken_off() -> Failure {
    failure(FailureKind::Shape, "the body broke off")
}

/// What stands between a header's name, its value and the next one.
const LINE: usize = 4;
/// Memory is taken ahead for a body that says its length up to this; more, as it comes.
const AT_ONCE: usize = 4 * 1024 * 1024;
