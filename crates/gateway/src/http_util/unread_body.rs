//! Discards the rest of request bodies that were answered before they were read, so that their
//! connections can carry another request.

use std::time::Duration;

use bytes::Bytes;
use http::header::{EXPECT, HeaderMap};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use tokio::time::timeout;

/// Reads the rest of a body if it is short. Returns whether the body has ended; otherwise the
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

const MAX_DRAINED_BYTES: u64 = 256 * 1024;
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);
