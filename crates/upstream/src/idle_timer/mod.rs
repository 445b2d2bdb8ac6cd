//! An idle timeout with nearly free recording of activity.

#[cfg(test)]
mod tests;

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// Fires when there was no activity for the timeout, or up to an eighth of it (at most half a
/// second) earlier.
///
/// Events are much more frequent than timeouts. Only the first activity after a check reads the
/// clock and requests an early check; further activity until then only tests a flag.
pub struct IdleTimer {
    timeout: Duration,
    /// Start of the idle period: the first activity since the last check, or an earlier one; `None`
    /// until the timer is polled first.
    idle_since: Option<Instant>,
    /// There was activity since the last check.
    had_activity: bool,
    /// The timer must be reset to the next check.
    needs_rearm: bool,
    armed: Option<ArmedTimer>,
}

/// The timer and the waker that is registered with it.
struct ArmedTimer {
    timer: Pin<Box<Sleep>>,
    waker: Waker,
}

impl IdleTimer {
    /// Creates a timer. The idle period begins with the first poll; most data is available without
    /// one, and then the clock is never read.
    pub fn new(timeout: Duration) -> Self {
        Self { timeout, idle_since: None, had_activity: false, needs_rearm: false, armed: None }
    }

    /// Records activity.
    #[inline]
    pub fn record_activity(&mut self) {
        if !self.had_activity && self.idle_since.is_some() {
            self.had_activity = true;
            self.needs_rearm = true;
            self.idle_since = Some(Instant::now());
        }
    }

    /// Changes the timeout, from now on.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
        self.armed = None;
    }

    /// Ready with the timeout when it has elapsed; a new idle period begins then.
    pub fn poll_elapsed(&mut self, context: &mut Context<'_>) -> Poll<Duration> {
        // Nothing to do while the same task waits for the same timer.
        if let Some(armed) = &self.armed
            && !self.needs_rearm
            && !armed.timer.is_elapsed()
            && armed.waker.will_wake(context.waker())
        {
            return Poll::Pending;
        }
        loop {
            let since = *self.idle_since.get_or_insert_with(Instant::now);
            let Some(end) = since.checked_add(self.timeout) else { return Poll::Pending };
            let next = if self.had_activity { since + self.recheck_interval() } else { end };
            let armed = self.armed.get_or_insert_with(|| ArmedTimer {
                timer: Box::pin(sleep_until(next)),
                waker: Waker::noop().clone(),
            });
            if std::mem::take(&mut self.needs_rearm) {
                armed.timer.as_mut().reset(next);
                armed.waker.clone_from(Waker::noop());
            }
            if armed.timer.as_mut().poll(context).is_pending() {
                armed.waker.clone_from(context.waker());
                return Poll::Pending;
            }
            let now = Instant::now();
            if now >= end {
                (self.idle_since, self.had_activity) = (Some(now), false);
                self.needs_rearm = true;
                return Poll::Ready(self.timeout);
            }
            self.had_activity = false;
            self.needs_rearm = true;
        }
    }

    /// Time from activity to the next check.
    fn recheck_interval(&self) -> Duration {
        (self.timeout / 8).min(MAX_RECHECK_INTERVAL)
    }
}

impl fmt::Debug for IdleTimer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdleTimer").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

/// Maximum time between two checks while there is activity.
const MAX_RECHECK_INTERVAL: Duration = Duration::from_millis(500);
