//! Decides when a stream's head is sent although the provider has sent no content yet.

use std::time::Duration;

use tokio::time::Instant;

use crate::proxy::request::RoutedRequest;

/// The wait for the first content of one attempt's stream.
pub(crate) struct EarlyHead {
    /// The client expects an event stream, in which heartbeats can come before the first event.
    can_be_early: bool,
    /// Heartbeats keep the client waiting, so that content is waited for without a deadline.
    has_heartbeats: bool,
    /// The first chunk has come, and the head is sent soon unless content is.
    is_due: bool,
    /// A client without heartbeats gets the beginning of the stream then.
    pub(crate) last_wait: Instant,
}

/// What follows when the timer has elapsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EarlyHeadStep {
    SendHead,
    /// The stream is passed on without content.
    PassOn,
    KeepWaiting,
}

impl EarlyHead {
    pub(crate) fn new(request: &RoutedRequest<'_>) -> Self {
        let can_be_early = request.stream_start.turn_id.get().is_some();
        let max_wait = FIRST_CONTENT_WAIT.min(request.config.timeouts.heartbeat);
        Self {
            can_be_early,
            has_heartbeats: can_be_early && request.client_dialect.heartbeat_extends_timeout(),
            is_due: false,
            last_wait: Instant::now() + max_wait,
        }
    }

    /// After a chunk without content: when the head is due, if it is the first such chunk.
    pub(crate) fn schedule(&mut self) -> Option<Instant> {
        let is_first = self.can_be_early && !std::mem::replace(&mut self.is_due, true);
        is_first.then(|| (Instant::now() + FIRST_CHUNK_WAIT).min(self.last_wait))
    }

    /// The step that is due, and the time of the next one.
    pub(crate) fn advance(&mut self, now: Instant) -> (EarlyHeadStep, Option<Instant>) {
        let is_last = now >= self.last_wait && !self.has_heartbeats;
        let next = (!self.has_heartbeats).then_some(self.last_wait);
        match (is_last, self.is_due && self.can_be_early) {
            (true, _) => (EarlyHeadStep::PassOn, None),
            (false, true) => (EarlyHeadStep::SendHead, next),
            (false, false) => (EarlyHeadStep::KeepWaiting, next),
        }
    }
}

/// Many streams begin with a chunk that has only a role, and content follows at once: their head is
/// sent with it.
const FIRST_CHUNK_WAIT: Duration = Duration::from_millis(50);
/// For clients without heartbeats.
const FIRST_CONTENT_WAIT: Duration = Duration::from_secs(10);
