//! The last stage: sends frames to the client, heartbeats while the provider is silent, and ends a
//! stream that only lingers.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use interlingua_upstream::IdleTimer;

use super::translation::StreamStage;
use crate::telemetry::capture::CaptureStage;

pub(super) struct IdleStream<S> {
    inner: S,
    /// Time since the last frame.
    timer: IdleTimer,
    /// The stop reason was received; only usage may still follow.
    is_lingering: bool,
}

impl<S: StreamStage> IdleStream<S> {
    pub(super) fn new(inner: S, heartbeat: Duration) -> Self {
        Self { inner, timer: IdleTimer::new(heartbeat), is_lingering: false }
    }

    /// After the idle time, writes a heartbeat or ends the stream.
    fn poll_idle(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let translation = self.inner.translation_mut();
        let can_end = translation.translator.can_end();
        if !self.is_lingering && can_end && !translation.translator.has_ended() {
            self.is_lingering = true;
            self.timer = IdleTimer::new(LINGER_TIMEOUT);
        }
        ready!(self.timer.poll_elapsed(cx));
        if can_end {
            // No usage followed in time: end without it.
            translation.finish();
            return self.inner.poll_output(cx);
        }
        translation.translator.write_heartbeat(&mut translation.output);
        if translation.output.is_empty() {
            // The dialect has no heartbeat between events; poll again to restart the timer.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.inner.poll_output(cx)
    }

    fn take_frame(&mut self) -> Option<Frame<Bytes>> {
        let translation = self.inner.translation_mut();
        if translation.is_complete() && !translation.has_output() {
            return None;
        }
        self.timer.record_activity();
        translation.log.record_sent(translation.translator.has_content());
        if translation.translator.has_ended() {
            // Give the provider time to close, so that its connection returns to the pool.
            self.timer.set_timeout(CLOSE_GRACE);
        }
        let next = Vec::with_capacity(OUTPUT_BUFFER_BYTES);
        let bytes = std::mem::replace(&mut translation.output, next).into();
        translation.log.append_stage_body(CaptureStage::ClientReply, &bytes);
        Some(Frame::data(bytes))
    }
}

impl<S: StreamStage + Unpin> Body for IdleStream<S> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        if this.inner.poll_output(cx).is_pending() {
            // Output that is not ready waits for the store, or for more.
            if this.inner.translation().has_output() {
                return Poll::Pending;
            }
            ready!(this.poll_idle(cx));
        }
        Poll::Ready(this.take_frame().map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        let translation = self.inner.translation();
        translation.is_complete() && !translation.has_output()
    }
}

/// Capacity for one or two events of most dialects.
const OUTPUT_BUFFER_BYTES: usize = 512;
/// Time for the provider to close its side.
pub(crate) const CLOSE_GRACE: Duration = Duration::from_millis(200);
/// Time for the provider to send usage after the stop reason.
pub(crate) const LINGER_TIMEOUT: Duration = Duration::from_secs(3);
