//! A TCP connection that can be reset on drop, and a body that plays timed actions.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use crate::response::TimedAction;

/// Shared flag: the connection is reset when it is dropped.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResetFlag(Arc<AtomicBool>);

impl ResetFlag {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A connection that sends RST when it is dropped with the flag set.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TokioIo<TcpStream>,
    reset_flag: ResetFlag,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream, reset_flag: ResetFlag) -> Self {
        Self { stream: TokioIo::new(stream), reset_flag }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.reset_flag.is_set() {
            // Closing with SO_LINGER 0 sends RST.
            let _ = self.stream.inner().set_zero_linger();
        }
    }
}

impl Read for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl Write for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }
}

/// A body that sends, waits and aborts as its actions say.
#[derive(Debug)]
pub struct TimedBody {
    actions: VecDeque<TimedAction>,
    sleep: Option<Pin<Box<Sleep>>>,
    reset_flag: ResetFlag,
    /// The body fails when the current wait ends.
    aborts_after_wait: bool,
}

impl TimedBody {
    pub(crate) fn new(actions: Vec<TimedAction>, reset_flag: ResetFlag) -> Self {
        Self { actions: actions.into(), sleep: None, reset_flag, aborts_after_wait: false }
    }
}

impl Body for TimedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        loop {
            if let Some(sleep) = &mut self.sleep {
                std::task::ready!(sleep.as_mut().poll(context));
                self.sleep = None;
                if self.aborts_after_wait {
                    return Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into())));
                }
            }
            match self.actions.pop_front() {
                None => return Poll::Ready(None),
                Some(TimedAction::Send(bytes)) if bytes.is_empty() => {}
                Some(TimedAction::Send(bytes)) => return Poll::Ready(Some(Ok(Frame::data(bytes)))),
                Some(TimedAction::Wait(time)) => self.sleep = Some(Box::pin(sleep(time))),
                Some(action) => {
                    if action == TimedAction::Reset {
                        self.reset_flag.set();
                    }
                    // Bytes that were sent before must reach the socket first.
                    self.aborts_after_wait = true;
                    self.sleep = Some(Box::pin(sleep(FLUSH_DELAY)));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.actions.is_empty() && self.sleep.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        let only_sends = self.actions.iter().all(|action| matches!(action, TimedAction::Send(_)));
        let length = |action: &TimedAction| {
            if let TimedAction::Send(bytes) = action { bytes.len() as u64 } else { 0 }
        };
        match &self.actions {
            actions if only_sends && actions.len() < 2 => {
                SizeHint::with_exact(actions.iter().map(length).sum())
            }
            _ => SizeHint::default(),
        }
    }
}

const FLUSH_DELAY: Duration = Duration::from_millis(20);
