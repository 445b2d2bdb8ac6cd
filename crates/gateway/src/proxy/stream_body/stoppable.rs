//! Ends the stream with an error when the drain time of a shutdown is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use super::translation::{StreamStage, Translation};
use crate::http_util::error_response::shutdown_error;

pub(super) struct StoppableStream<S> {
    inner: S,
    drain_expired: Arc<AtomicBool>,
}

impl<S> StoppableStream<S> {
    pub(super) fn new(inner: S, drain_expired: Arc<AtomicBool>) -> Self {
        Self { inner, drain_expired }
    }
}

impl<S: StreamStage> StreamStage for StoppableStream<S> {
    fn poll_output(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.drain_expired.load(Ordering::Relaxed) && !self.inner.translation().is_complete() {
            self.inner.translation_mut().fail(shutdown_error());
        }
        self.inner.poll_output(cx)
    }

    fn translation(&self) -> &Translation {
        self.inner.translation()
    }

    fn translation_mut(&mut self) -> &mut Translation {
        self.inner.translation_mut()
    }
}
