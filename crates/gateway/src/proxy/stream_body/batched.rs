//! Waits a moment for more output before it is sent, where that has helped lately.
//!
//! The provider's connection delivers one event per poll of its own task, even if several arrived
//! together. Where more may follow, the flush is postponed by a few polls, so that events that arrive
//! together leave in one write.

use std::mem;
use std::task::{Context, Poll};

use super::translation::{StreamStage, Translation};

pub(super) struct BatchedStream<S> {
    inner: S,
    /// How often the flush was postponed.
    extra_polls: u8,
    probe: BatchProbe,
}

/// Decides whether to postpone a flush: rarely where that gained nothing lately.
#[derive(Clone, Copy, Debug, Default)]
struct BatchProbe {
    /// Flushes left without probing.
    skips_left: u8,
    /// Flushes to skip after the next probe without gain; doubles each time.
    next_skips: u8,
}

impl<S: StreamStage> BatchedStream<S> {
    pub(super) fn new(inner: S) -> Self {
        Self { inner, extra_polls: 0, probe: BatchProbe::default() }
    }
}

impl<S: StreamStage> StreamStage for BatchedStream<S> {
    fn poll_output(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.extra_polls == 0 && self.inner.translation().has_output() {
            return Poll::Ready(());
        }
        let polled = self.inner.poll_output(cx);
        let translation = self.inner.translation_mut();
        if mem::take(&mut translation.has_received) && mem::take(&mut self.extra_polls) > 0 {
            self.probe.record_hit();
        }
        if polled.is_pending() {
            if !translation.has_output() {
                return Poll::Pending;
            }
            if self.extra_polls < EXTRA_POLLS && (self.extra_polls > 0 || self.probe.should_probe())
            {
                self.extra_polls += 1;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            if self.extra_polls == EXTRA_POLLS {
                self.probe.record_miss();
            }
        }
        self.extra_polls = 0;
        Poll::Ready(())
    }

    fn translation(&self) -> &Translation {
        self.inner.translation()
    }

    fn translation_mut(&mut self) -> &mut Translation {
        self.inner.translation_mut()
    }
}

impl BatchProbe {
    fn should_probe(&mut self) -> bool {
        let is_due = self.skips_left == 0;
        self.skips_left = self.skips_left.saturating_sub(1);
        is_due
    }

    fn record_hit(&mut self) {
        *self = Self::default();
    }

    fn record_miss(&mut self) {
        self.skips_left = self.next_skips;
        self.next_skips = (self.next_skips * 2 + 1).min(MAX_SKIPPED_PROBES);
    }
}

/// Extra polls before flushing: after the second one, the provider's connection task has run too.
const EXTRA_POLLS: u8 = 2;
/// Flushes without probing before the stream is probed again, at most.
const MAX_SKIPPED_PROBES: u8 = 31;
