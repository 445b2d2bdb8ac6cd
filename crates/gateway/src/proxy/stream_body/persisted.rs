//! Sends the end of a reply only after everything that is stored of it is written.

use std::task::{Context, Poll, ready};

use super::translation::{StreamStage, Translation};
use crate::services::store::FlushFuture;

pub(super) struct PersistedStream<S> {
    inner: S,
    /// The reply is being stored.
    pending_flush: Option<FlushFuture>,
}

impl<S> PersistedStream<S> {
    pub(super) fn new(inner: S) -> Self {
        Self { inner, pending_flush: None }
    }
}

impl<S: StreamStage> StreamStage for PersistedStream<S> {
    fn poll_output(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        ready!(self.inner.poll_output(cx));
        if !self.inner.translation().has_output() {
            return Poll::Ready(());
        }
        let Translation { translator, output, log, .. } = self.inner.translation_mut();
        // Guard answers must be stored before the client has the call: it may answer it
        // immediately.
        log.report_findings(&translator.take_findings());
        if translator.has_ended()
            && translator.error().is_none()
            && let Some(flush) = log.persist_reply(translator.partial_reply(), None)
        {
            self.pending_flush = Some(flush);
        }
        if let Some(flush) = &mut self.pending_flush {
            let flushed = ready!(flush.as_mut().poll(cx));
            self.pending_flush = None;
            if let Err(unstored) = flushed {
                translator.fail_end(unstored.into(), output);
            }
        }
        translator.release_end(output);
        Poll::Ready(())
    }

    fn translation(&self) -> &Translation {
        self.inner.translation()
    }

    fn translation_mut(&mut self) -> &mut Translation {
        self.inner.translation_mut()
    }
}
