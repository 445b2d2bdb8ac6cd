//! A timer for silence that sound does not touch.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// Rings when nothing was heard for so long. The timer is set once and moved on only when it rings:
/// what is heard leaves its time and touches no timer, and while the same task waits for the same
/// ring, asking costs a look at the clock.
pub struct Idle {
    limit: Duration,
    heard: Instant,
    set: Option<Set>,
}

/// The timer, and who is woken by it.
struct Set {
    timer: Pin<Box<Sleep>>,
    wakes: Waker,
}

impl Idle {
    /// Silence begins now.
    pub fn new(limit: Duration) -> Self {
        Self { limit, heard: Instant::now(), set: None }
    }

    /// Something was heard just now.
    pub fn heard(&mut self) {
        self.heard = Instant::now();
    }

    /// From now on, silence is too long after this time, which may be shorter than it was.
    pub fn limit(&mut self, limit: Duration) {
        self.limit = limit;
        self.set = None;
    }

    /// Ready when nothing was heard for too long; gives how long that is. Silence begins anew then.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<Duration> {
        loop {
            let Some(end) = self.heard.checked_add(self.limit) else { return Poll::Pending };
            let now = Instant::now();
            if now >= end {
                self.heard = now;
                return Poll::Ready(self.limit);
            }
            let set = self.set.get_or_insert_with(|| Set {
                timer: Box::pin(sleep_until(end)),
                wakes: Waker::noop().clone(),
            });
            if now >= set.timer.deadline() {
                set.timer.as_mut().reset(end);
                set.wakes.clone_from(Waker::noop());
            } else if set.wakes.will_wake(context.waker()) {
                return Poll::Pending;
            }
            if set.timer.as_mut().poll(context).is_pending() {
                set.wakes.clone_from(context.waker());
                return Poll::Pending;
            }
        }
    }
}

impl fmt::Debug for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Idle").field("limit", &self.limit).finish_non_exhaustive()
    }
}
