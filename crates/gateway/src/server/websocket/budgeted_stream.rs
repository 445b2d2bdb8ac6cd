//! A stream that bounds the messages which a client sends: their bytes count towards those of all request
//! bodies, and a message must not stop half way.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use interlingua::ApiError;
use interlingua_model::ApiErrorKind;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::http_util::body_budget::BodyPermit;
use crate::http_util::error_response::failure;

pub(super) struct BudgetedStream<'b, S> {
    stream: S,
    /// Counts the message that is arriving.
    permit: BodyPermit<'b>,
    /// Bytes since the last whole message.
    received: usize,
    max_wait: Duration,
    /// Runs while a message is incomplete.
    timer: Option<Pin<Box<Sleep>>>,
    /// Why nothing more is read.
    pub(super) error: Option<ApiError>,
}

impl<'b, S> BudgetedStream<'b, S> {
    pub(super) fn new(stream: S, permit: BodyPermit<'b>, max_wait: Duration) -> Self {
        Self { stream, permit, received: 0, max_wait, timer: None, error: None }
    }

    /// A message is complete; the next one counts with this permit.
    pub(super) fn finish_message(&mut self, next: BodyPermit<'b>) {
        (self.permit, self.received, self.timer) = (next, 0, None);
    }

    /// A control frame with this payload was among the received bytes.
    pub(super) fn finish_control_frame(&mut self, payload: usize) {
        self.received = self.received.saturating_sub(payload + CONTROL_HEADER_BYTES);
        if self.received == 0 {
            self.timer = None;
        }
    }

    fn poll_timeout(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.received == 0 {
            return Poll::Pending;
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(self.max_wait)));
        ready!(timer.as_mut().poll(cx));
        let error = failure(ApiErrorKind::Timeout, "the message did not arrive in time");
        self.error = Some(ApiError { status: 408, ..error });
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for BudgetedStream<'_, S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        if Pin::new(&mut self.stream).poll_read(cx, buffer)?.is_pending() {
            return self.poll_timeout(cx);
        }
        self.timer = None;
        self.received += buffer.filled().len() - before;
        let received = self.received;
        if let Err(error) = self.permit.reserve(received) {
            self.error = Some(error);
            return Poll::Ready(Err(io::ErrorKind::QuotaExceeded.into()));
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for BudgetedStream<'_, S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// A client's control frame: two bytes and the mask.
const CONTROL_HEADER_BYTES: usize = 6;
