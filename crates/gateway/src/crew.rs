//! Who serves a connection: as few threads as the work needs.
//!
//! A thread that is at work has at hand what the next request needs, and often finds several of them when it
//! looks. Two that share work which one could do use up more of the processors. So a connection goes to the first
//! thread that has time. One that has no more while another does lets clients go with their answers, and they
//! come back to the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// All threads that serve.
#[derive(Clone, Debug)]
pub(crate) struct Crew {
    hands: Arc<[Hand]>,
    began: Instant,
}

/// A connection at its thread, which has one less when this is dropped.
#[derive(Debug)]
pub(crate) struct Post {
    crew: Crew,
    thread: usize,
}

/// A thread. It alone writes what is measured of it.
#[derive(Debug, Default)]
struct Hand {
    connections: AtomicUsize,
    /// When the share was measured, and how long it had been at work until then, in nanoseconds.
    at: AtomicU64,
    used: AtomicU64,
    /// How much of the time before that it was at work, in thousandths.
    share: AtomicU64,
    /// Clients that may go.
    surplus: AtomicUsize,
}

impl Crew {
    pub(crate) fn of(threads: usize) -> Self {
        let hands = (0..threads.max(1)).map(|_| Hand::default()).collect();
        Self { hands, began: Instant::now() }
    }

    /// A place for one more connection.
    pub(crate) fn post(&self) -> Post {
        let now = self.began.elapsed();
        let has_time = |hand: &Hand| hand.connections() < MANY && hand.has_time(now);
        let fewest =
            || (0..self.hands.len()).min_by_key(|thread| self.hands[*thread].connections());
        let thread = self.hands.iter().position(has_time).or_else(fewest).unwrap_or(0);
        self.hands[thread].connections.fetch_add(1, Relaxed);
        Post { crew: self.clone(), thread }
    }
}

impl Post {
    /// Which thread it is.
    pub(crate) fn thread(&self) -> usize {
        self.thread
    }

    /// Whether the client is to come back to somebody else. To be asked with each request, by the thread itself.
    pub(crate) fn is_over(&self) -> bool {
        self.crew.hands.len() > 1 && self.is_over_at(self.crew.began.elapsed(), at_work)
    }

    fn is_over_at(&self, now: Duration, at_work: impl FnOnce() -> Duration) -> bool {
        let hands = &self.crew.hands;
        let hand = &hands[self.thread];
        if now.saturating_sub(hand.at()) >= WINDOW {
            let is_busy = hand.measure(now, at_work()) >= BUSY;
            let somebody = is_busy && hands.iter().any(|other| other.has_time(now));
            let half = if somebody { hand.connections() / 2 } else { 0 };
            hand.surplus.store(half, Relaxed);
        }
        hand.surplus.fetch_update(Relaxed, Relaxed, |surplus| surplus.checked_sub(1)).is_ok()
    }
}

impl Drop for Post {
    fn drop(&mut self) {
        self.crew.hands[self.thread].connections.fetch_sub(1, Relaxed);
    }
}

impl Hand {
    fn connections(&self) -> usize {
        self.connections.load(Relaxed)
    }

    fn at(&self) -> Duration {
        Duration::from_nanos(self.at.load(Relaxed))
    }

    /// Who has answered nobody for a while is not busy.
    fn has_time(&self, now: Duration) -> bool {
        self.share.load(Relaxed) < HALF || now.saturating_sub(self.at()) > LATELY
    }

    /// The share of the time since it was last measured, in thousandths.
    fn measure(&self, now: Duration, used: Duration) -> u64 {
        let (now, used) = (nanos(now), nanos(used));
        let passed = now.saturating_sub(self.at.swap(now, Relaxed)).max(1);
        let worked = used.saturating_sub(self.used.swap(used, Relaxed));
        let share = worked.saturating_mul(1000) / passed;
        self.share.store(share, Relaxed);
        share
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// How long this thread has used a processor.
#[cfg(unix)]
fn at_work() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}

/// Not known here: nobody is busy, and whoever has the fewest connections gets those beyond the many.
#[cfg(not(unix))]
fn at_work() -> Duration {
    Duration::ZERO
}

/// As many connections as one thread may have while others have none: all of them may ask at the same moment.
const MANY: usize = 64;
/// In thousandths of the time: who works less has time for more.
const HALF: u64 = 500;
/// Who works more has no time.
const BUSY: u64 = 900;
const WINDOW: Duration = Duration::from_millis(500);
const LATELY: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests;
