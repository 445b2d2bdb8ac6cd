//! The TCP stream of a client's connection, with timeouts that hyper does not have.
//!
//! A client that does not read, or that stops within a request head, is disconnected. A connection
//! that is closed while a request body is still arriving is read on for a while: closing it at once
//! makes the kernel send a reset, which can destroy the response before the client reads it.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

/// What the stream of a connection needs to know of its requests.
#[derive(Debug, Default)]
pub(crate) struct ConnectionActivity {
    request_count: AtomicUsize,
    /// A response is not sent completely yet.
    is_responding: AtomicBool,
    /// The last response was sent before its request body was read.
    pub(crate) has_unread_body: AtomicBool,
}

/// The stream of a client's connection.
pub(crate) struct ClientStream<S> {
    stream: S,
    activity: Arc<ConnectionActivity>,
    write_timeout: Duration,
    head_timeout: Duration,
    /// Runs while a write is blocked.
    write_timer: Option<Pin<Box<Sleep>>>,
    /// When the head that is arriving must be complete.
    head_deadline: Option<Instant>,
    /// The number of requests before that head.
    request_count: usize,
    head_timer: Option<Pin<Box<Sleep>>>,
    /// Runs while the rest of a body is discarded after the last response.
    linger_timer: Option<Pin<Box<Sleep>>>,
}

impl<S> ClientStream<S> {
    pub(crate) fn new(
        stream: S,
        activity: Arc<ConnectionActivity>,
        (write_timeout, head_timeout): (Duration, Duration),
    ) -> Self {
        Self {
            stream,
            activity,
            write_timeout,
            head_timeout,
            write_timer: None,
            head_deadline: None,
            request_count: 0,
            head_timer: None,
            linger_timer: None,
        }
    }

    fn poll_write_timeout(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.write_timer = None;
            return written;
        }
        let timer = self.write_timer.get_or_insert_with(|| Box::pin(sleep(self.write_timeout)));
        timer.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Limits the time between the first byte of a head and its last one.
    fn poll_head_timeout(
        &mut self,
        cx: &mut Context<'_>,
        has_received: Poll<bool>,
    ) -> Poll<io::Result<()>> {
        let request_count = self.activity.request_count.load(Ordering::Relaxed);
        if request_count != self.request_count {
            (self.head_deadline, self.head_timer) = (None, None);
            self.request_count = request_count;
        }
        if has_received == Poll::Ready(true)
            && self.head_deadline.is_none()
            && !self.activity.is_responding.load(Ordering::Relaxed)
        {
            self.head_deadline = Some(Instant::now() + self.head_timeout);
        }
        match (has_received, self.head_deadline) {
            (Poll::Ready(_), _) => Poll::Ready(Ok(())),
            (Poll::Pending, None) => Poll::Pending,
            (Poll::Pending, Some(deadline)) => {
                let timer = self.head_timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
                timer.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl<S: AsyncRead + Unpin> ClientStream<S> {
    /// Discards what the client sends, until it closes the connection or [`LINGER_TIMEOUT`] is over.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let timer = self.linger_timer.get_or_insert_with(|| Box::pin(sleep(LINGER_TIMEOUT)));
        let mut discarded = [MaybeUninit::uninit(); DISCARD_BUFFER_BYTES];
        while timer.as_mut().poll(cx).is_pending() {
            let mut buffer = ReadBuf::uninit(&mut discarded);
            let read = ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                break;
            }
        }
        Poll::Ready(())
    }
}

impl<S: AsyncWrite + AsyncRead + Unpin> AsyncWrite for ClientStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.poll_write_timeout(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.poll_write_timeout(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.linger_timer.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
        }
        if self.activity.has_unread_body.load(Ordering::Relaxed) {
            ready!(self.poll_linger(cx));
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ClientStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let has_received = match Pin::new(&mut self.stream).poll_read(cx, buffer) {
            Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) => Poll::Ready(buffer.filled().len() > before),
            Poll::Pending => Poll::Pending,
        };
        self.poll_head_timeout(cx, has_received)
    }
}

/// A response body that marks its connection as idle when it has been sent or dropped.
pub(crate) struct TrackedBody<B> {
    body: B,
    activity: Arc<ConnectionActivity>,
}

impl ConnectionActivity {
    pub(crate) fn begin_request(&self) {
        self.request_count.fetch_add(1, Ordering::Relaxed);
        self.is_responding.store(true, Ordering::Relaxed);
    }

    /// The connection carries another protocol from now on: no head is expected, and its end may
    /// arrive with something unread.
    pub(crate) fn begin_upgrade(&self) {
        self.begin_request();
        self.has_unread_body.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_had_request(&self) -> bool {
        self.request_count.load(Ordering::Relaxed) > 0
    }
}

impl<B> TrackedBody<B> {
    pub(crate) fn new(body: B, activity: Arc<ConnectionActivity>) -> Self {
        Self { body, activity }
    }
}

impl<B> Drop for TrackedBody<B> {
    fn drop(&mut self) {
        self.activity.is_responding.store(false, Ordering::Relaxed);
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for TrackedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Time in which a client reads the response and closes the connection, as nginx has it.
const LINGER_TIMEOUT: Duration = Duration::from_secs(5);
const DISCARD_BUFFER_BYTES: usize = 8 * 1024;
