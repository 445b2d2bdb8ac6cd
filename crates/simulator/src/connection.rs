//! A connection that can end badly, and a body that plays its steps.

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

use crate::delivery::Step;

/// How a connection ends: in order, or with a reset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fate(Arc<AtomicBool>);

impl Fate {
    pub(crate) fn reset(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_reset(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A connection that is reset when it is dropped, if that is its fate.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TokioIo<TcpStream>,
    fate: Fate,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream, fate: Fate) -> Self {
        Self { stream: TokioIo::new(stream), fate }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.fate.is_reset() {
            // Closing with no time to linger sends a reset.
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

/// A body that plays its steps.
#[derive(Debug)]
pub struct Performance {
    steps: VecDeque<Step>,
    waiting: Option<Pin<Box<Sleep>>>,
    fate: Fate,
    /// The connection breaks when the waiting is over.
    breaks: bool,
}

impl Performance {
    pub(crate) fn new(steps: Vec<Step>, fate: Fate) -> Self {
        Self { steps: steps.into(), waiting: None, fate, breaks: false }
    }
}

impl Body for Performance {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        loop {
            if let Some(waiting) = &mut self.waiting {
                std::task::ready!(waiting.as_mut().poll(context));
                self.waiting = None;
                if self.breaks {
                    return Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into())));
                }
            }
            match self.steps.pop_front() {
                None => return Poll::Ready(None),
                Some(Step::Send(bytes)) if bytes.is_empty() => {}
                Some(Step::Send(bytes)) => return Poll::Ready(Some(Ok(Frame::data(bytes)))),
                Some(Step::Wait(time)) => self.waiting = Some(Box::pin(sleep(time))),
                Some(step) => {
                    if step == Step::Reset {
                        self.fate.reset();
                    }
                    // What was sent before must leave first.
                    self.breaks = true;
                    self.waiting = Some(Box::pin(sleep(LEAVE)));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.steps.is_empty() && self.waiting.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        let whole = self.steps.iter().all(|step| matches!(step, Step::Send(_)));
        let sent = |step: &Step| if let Step::Send(bytes) = step { bytes.len() as u64 } else { 0 };
        match &self.steps {
            steps if whole && steps.len() < 2 => SizeHint::with_exact(steps.iter().map(sent).sum()),
            _ => SizeHint::default(),
        }
    }
}

const LEAVE: Duration = Duration::from_millis(20);
