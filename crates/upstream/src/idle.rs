//! A timer for silence that sound hardly touches.

#[cfg(test)]
mod tests;

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// Rings when nothing was heard for so long, or up to an eighth of that and half a second sooner.
///
/// Events come much faster than silence is measured: the first after a look at the clock leaves its
/// time and asks for the next look soon, and those that come before that leave nothing.
pub struct Idle {
    limit: Duration,
    /// Where silence is counted from: what was heard first since the last look, or before it; from the next look,
    /// while nobody has waited yet.
    since: Option<Instant>,
    /// Something was heard since the last look.
    heard: bool,
    /// The timer is to be moved to the next look.
    soon: bool,
    set: Option<Set>,
}

/// The timer, and who is woken by it.
struct Set {
    timer: Pin<Box<Sleep>>,
    wakes: Waker,
}

impl Idle {
    /// Silence begins when it is first waited for. Most is there at once, and nobody looks at a clock.
    pub fn new(limit: Duration) -> Self {
        Self { limit, since: None, heard: false, soon: false, set: None }
    }

    /// Something was heard just now.
    #[inline]
    pub fn heard(&mut self) {
        if !self.heard && self.since.is_some() {
            self.heard = true;
            self.soon = true;
            self.since = Some(Instant::now());
        }
    }

    /// From now on, silence is too long after this time, which may be shorter than it was.
    pub fn limit(&mut self, limit: Duration) {
        self.limit = limit;
        self.set = None;
    }

    /// Ready when nothing was heard for too long; gives how long that is. Silence begins anew then.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<Duration> {
        // While the same task waits for the same ring, asking costs nothing.
        if let Some(set) = &self.set
            && !self.soon
            && !set.timer.is_elapsed()
            && set.wakes.will_wake(context.waker())
        {
            return Poll::Pending;
        }
        loop {
            let since = *self.since.get_or_insert_with(Instant::now);
            let Some(end) = since.checked_add(self.limit) else { return Poll::Pending };
            let next = if self.heard { since + self.between() } else { end };
            let set = self.set.get_or_insert_with(|| Set {
                timer: Box::pin(sleep_until(next)),
                wakes: Waker::noop().clone(),
            });
            if std::mem::take(&mut self.soon) {
                set.timer.as_mut().reset(next);
                set.wakes.clone_from(Waker::noop());
            }
            if set.timer.as_mut().poll(context).is_pending() {
                set.wakes.clone_from(context.waker());
                return Poll::Pending;
            }
            let now = Instant::now();
            if now >= end {
                (self.since, self.heard) = (Some(now), false);
                self.soon = true;
                return Poll::Ready(self.limit);
            }
            self.heard = false;
            self.soon = true;
        }
    }

    /// From what is heard to the next look at the clock.
    fn between(&self) -> Duration {
        (self.limit / 8).min(SOON)
    }
}

impl fmt::Debug for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Idle").field("limit", &self.limit).finish_non_exhaustive()
    }
}

/// Between two looks at the clock while there is something to hear, at the most.
const SOON: Duration = Duration::from_millis(500);
