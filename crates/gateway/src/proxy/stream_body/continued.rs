//! Continues a turn that the provider has paused, or lets it end there.

use std::task::{Context, Poll, ready};

use super::translation::{StreamStage, Translation};
use crate::proxy::continue_turn::TurnContinuation;

pub(super) struct ContinuedStream<S> {
    inner: S,
    continuation: Option<Box<TurnContinuation>>,
}

impl<S: StreamStage> ContinuedStream<S> {
    pub(super) fn new(inner: S, continuation: Option<Box<TurnContinuation>>) -> Self {
        Self { inner, continuation }
    }

    fn poll_continuation(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let translation = self.inner.translation_mut();
        translation.set_provider_body(None);
        if let Some(continuation) = &mut self.continuation {
            let partial = &translation.translator.partial_reply().turn;
            let next = continuation.poll_next_reply(partial, Some(&mut translation.log), cx);
            if let Some(response) = ready!(next) {
                translation.set_provider_body(Some(response.body));
                let (dialect, exchange) = (continuation.provider_dialect, &continuation.exchange);
                translation.translator.resume(dialect, exchange);
                return Poll::Ready(());
            }
        }
        translation.translator.release_stop(&mut translation.output);
        Poll::Ready(())
    }
}

impl<S: StreamStage> StreamStage for ContinuedStream<S> {
    fn poll_output(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(self.inner.poll_output(cx));
            let translation = self.inner.translation();
            if !translation.translator.is_paused() || translation.has_output() {
                return Poll::Ready(());
            }
            ready!(self.poll_continuation(cx));
        }
    }

    fn translation(&self) -> &Translation {
        self.inner.translation()
    }

    fn translation_mut(&mut self) -> &mut Translation {
        self.inner.translation_mut()
    }
}
