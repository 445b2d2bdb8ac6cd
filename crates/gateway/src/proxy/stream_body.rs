//! The body of a streamed response: translated event by event as the provider sends it.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use interlingua::StreamTranslator;
use interlingua_upstream::{self as upstream, IdleTimer};
use serde_json::json;

use crate::config::Config;
use crate::http_util::error_response::shutdown_error;
use crate::proxy::continue_turn::TurnContinuation;
use crate::proxy::request_log::RequestLog;
use crate::services::store::FlushFuture;
use crate::telemetry::capture::CaptureStage;

/// A streamed response. It owns the provider's body: when the client disconnects, the provider's
/// connection is closed, and when the client does not read, the provider's body is not read either.
pub(crate) struct StreamBody {
    provider_body: Option<upstream::UpstreamBody>,
    translator: StreamTranslator,
    /// Translated bytes that the client has not read yet.
    output: Vec<u8>,
    /// With this many bytes of output, nothing more is read.
    flush_threshold: usize,
    /// How often flushing was postponed for data that the provider's connection may still have
    /// buffered.
    extra_polls: u8,
    batch_probe: BatchProbe,
    /// Continues the turn if the provider pauses it.
    pub(crate) continuation: Option<Box<TurnContinuation>>,
    /// Time since the last frame.
    idle_timer: IdleTimer,
    /// The stop reason was received; only usage may still follow.
    is_lingering: bool,
    /// The reply is being stored; the end of the response waits for it.
    pending_flush: Option<FlushFuture>,
    /// The shutdown drain time is over: end with an error.
    drain_expired: Arc<AtomicBool>,
    log: RequestLog,
}

impl StreamBody {
    /// Continues a stream; its beginning is already translated into `output`.
    pub(crate) fn new(
        provider_body: Option<upstream::UpstreamBody>,
        translator: StreamTranslator,
        output: Vec<u8>,
        config: &Config,
        drain_expired: &Arc<AtomicBool>,
        mut log: RequestLog,
    ) -> Self {
        let flush_threshold = FLUSH_THRESHOLD_BYTES.min(config.limits.buffer);
        let idle_timer = IdleTimer::new(config.timeouts.heartbeat);
        log.begin_stage(CaptureStage::ClientReply, || json!({"status": 200}), None);
        Self {
            provider_body,
            translator,
            output,
            flush_threshold,
            extra_polls: 0,
            batch_probe: BatchProbe::default(),
            continuation: None,
            idle_timer,
            is_lingering: false,
            pending_flush: None,
            drain_expired: Arc::clone(drain_expired),
            log,
        }
    }

    /// Reads what the provider has sent, or waits for more.
    ///
    /// The provider's connection delivers one event per poll of its own task, even if several
    /// arrived together. Where more may follow, the flush is postponed by a few polls, so that
    /// events that arrive together leave in one write.
    fn poll_provider(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if self.translator.is_paused() {
                if self.has_output() {
                    return Poll::Ready(());
                }
                std::task::ready!(self.poll_continuation(cx));
            }
            let Some(body) = &mut self.provider_body else { return Poll::Ready(()) };
            match Pin::new(&mut *body).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => {
                    if std::mem::take(&mut self.extra_polls) > 0 {
                        self.batch_probe.record_hit();
                    }
                    if let Ok(data) = frame.into_data() {
                        self.log.append_stage_body(CaptureStage::ProviderReply, &data);
                        self.translator.push(&data, &mut self.output);
                    }
                    if self.translator.is_closed() {
                        self.provider_body = None;
                        return Poll::Ready(());
                    }
                    // hyper polls again after writing this frame.
                    let is_drained =
                        body.is_buffer_empty() && has_output(&self.output, &self.translator);
                    if is_drained || self.output.len() >= self.flush_threshold {
                        return Poll::Ready(());
                    }
                }
                Poll::Ready(Some(Err(error))) => {
                    self.translator.fail(error, &mut self.output);
                    self.provider_body = None;
                }
                Poll::Ready(None) => {
                    self.translator.finish(&mut self.output);
                    self.provider_body = None;
                }
                Poll::Pending if !self.has_output() => return Poll::Pending,
                Poll::Pending if self.extra_polls == 0 && !self.batch_probe.should_probe() => {
                    return Poll::Ready(());
                }
                Poll::Pending if self.extra_polls == EXTRA_POLLS => {
                    self.batch_probe.record_miss();
                    return Poll::Ready(());
                }
                Poll::Pending => {
                    self.extra_polls += 1;
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
            }
        }
    }

    /// Continues a paused reply, or lets it end there.
    fn poll_continuation(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.provider_body = None;
        let partial = &self.translator.partial_reply().turn;
        let next = self
            .continuation
            .as_mut()
            .map(|continuation| continuation.poll_next_reply(partial, Some(&mut self.log), cx));
        match (next.map_or(Poll::Ready(None), |next| next), &self.continuation) {
            (Poll::Pending, _) => return Poll::Pending,
            (Poll::Ready(Some(response)), Some(continuation)) => {
                self.provider_body = Some(response.body);
                self.translator.resume(continuation.provider_dialect, &continuation.exchange);
            }
            _ => self.translator.release_stop(&mut self.output),
        }
        Poll::Ready(())
    }

    /// Whether something can be sent: bytes, or an end that waits until the reply is stored.
    fn has_output(&self) -> bool {
        has_output(&self.output, &self.translator)
    }

    /// Emits a frame; the last one only after the reply is stored.
    fn poll_emit(&mut self, cx: &mut Context<'_>) -> Poll<Frame<Bytes>> {
        // Guard answers must be stored before the client has the call: it may answer it
        // immediately.
        self.log.report_findings(&self.translator.take_findings());
        if self.translator.has_ended()
            && self.translator.error().is_none()
            && let Some(flush) = self.log.persist_reply(self.translator.partial_reply(), None)
        {
            self.pending_flush = Some(flush);
        }
        if let Some(flush) = &mut self.pending_flush {
            let flushed = std::task::ready!(flush.as_mut().poll(cx));
            self.pending_flush = None;
            if let Err(unstored) = flushed {
                self.translator.fail_end(unstored.into(), &mut self.output);
            }
        }
        self.translator.release_end(&mut self.output);
        Poll::Ready(self.emit())
    }

    /// Sends a heartbeat after the idle time, or ends a stream that only lingers.
    fn poll_idle(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if !self.is_lingering && self.translator.can_end() && !self.translator.has_ended() {
            self.is_lingering = true;
            self.idle_timer = IdleTimer::new(LINGER_TIMEOUT);
        }
        std::task::ready!(self.idle_timer.poll_elapsed(cx));
        if self.translator.can_end() {
            // No usage followed in time: end without it.
            if self.provider_body.take().is_some() {
                self.translator.finish(&mut self.output);
            }
            if !self.has_output() {
                return Poll::Ready(None);
            }
            return self.poll_emit(cx).map(|frame| Some(Ok(frame)));
        }
        self.translator.write_heartbeat(&mut self.output);
        if self.output.is_empty() {
            // The dialect has no heartbeat between events; poll again to restart the timer.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.poll_emit(cx).map(|frame| Some(Ok(frame)))
    }

    fn emit(&mut self) -> Frame<Bytes> {
        self.idle_timer.record_activity();
        self.log.record_sent(self.translator.has_content());
        if self.translator.has_ended() {
            // Give the provider time to close, so that its connection returns to the pool.
            self.idle_timer.set_timeout(CLOSE_GRACE);
        }
        let next = Vec::with_capacity(OUTPUT_BUFFER_BYTES);
        let bytes = std::mem::replace(&mut self.output, next).into();
        self.log.append_stage_body(CaptureStage::ClientReply, &bytes);
        Frame::data(bytes)
    }
}

fn has_output(output: &[u8], translator: &StreamTranslator) -> bool {
    !output.is_empty() || translator.holds_end()
}

/// Decides whether to postpone a flush: rarely where that gained nothing lately.
#[derive(Clone, Copy, Debug, Default)]
struct BatchProbe {
    /// Flushes left without probing.
    skips_left: u8,
    /// Flushes to skip after the next probe without gain; doubles each time.
    next_skips: u8,
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

impl Body for StreamBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        let is_paused = this.translator.is_paused();
        if this.drain_expired.load(Ordering::Relaxed)
            && (this.provider_body.take().is_some() || is_paused)
        {
            this.translator.fail(shutdown_error(), &mut this.output);
            this.extra_polls = 0;
        }
        if this.extra_polls > 0 || !this.has_output() {
            match this.poll_provider(cx) {
                Poll::Ready(()) => this.extra_polls = 0,
                Poll::Pending if this.extra_polls > 0 => return Poll::Pending,
                Poll::Pending => return this.poll_idle(cx),
            }
            if !this.has_output() {
                return Poll::Ready(None);
            }
        }
        this.poll_emit(cx).map(|frame| Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.provider_body.is_none() && !self.has_output() && !self.translator.is_paused()
    }
}

impl Drop for StreamBody {
    fn drop(&mut self) {
        let is_complete = self.provider_body.is_none() && !self.translator.is_paused();
        self.log.finish_stream(&self.translator, is_complete);
    }
}

/// Extra polls before flushing: after the second one, the provider's connection task has run too.
const EXTRA_POLLS: u8 = 2;
/// Flushes without probing before the stream is probed again, at most.
const MAX_SKIPPED_PROBES: u8 = 31;
/// Maximum bytes per flush of a provider that is faster than its client.
const FLUSH_THRESHOLD_BYTES: usize = 16 * 1024;
/// Capacity for one or two events of most dialects.
const OUTPUT_BUFFER_BYTES: usize = 512;
/// Time for the provider to close its side.
pub(crate) const CLOSE_GRACE: Duration = Duration::from_millis(200);
/// Time for the provider to send usage after the stop reason.
pub(crate) const LINGER_TIMEOUT: Duration = Duration::from_secs(3);
