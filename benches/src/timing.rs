//! Two pieces of work timed turn by turn, so that a noisy machine disturbs both alike.

use std::hint::black_box;
use std::time::Duration;

/// The best time of each.
#[derive(Clone, Copy, Debug)]
pub struct Timed {
    pub ours: Duration,
    pub theirs: Duration,
}

impl Timed {
    pub fn ratio(&self) -> f64 {
        self.theirs.as_secs_f64() / self.ours.as_secs_f64()
    }
}

pub fn best_of<A, B>(rounds: usize, ours: impl Fn() -> A, theirs: impl Fn() -> B) -> Timed {
    let time = |work: &dyn Fn()| {
        let start = now();
        work();
        now().saturating_sub(start)
    };
    let mut best = Timed { ours: Duration::MAX, theirs: Duration::MAX };
    for _ in 0..rounds {
        best.ours = best.ours.min(time(&|| {
            black_box(ours());
        }));
        best.theirs = best.theirs.min(time(&|| {
            black_box(theirs());
        }));
    }
    best
}

/// The time this thread has had of a processor: what others do on the machine is not counted.
#[cfg(unix)]
fn now() -> Duration {
    spent(rustix::time::ClockId::ThreadCPUTime)
}

/// The time this process has had of processors, with all its threads.
#[cfg(unix)]
pub fn process_time() -> Duration {
    spent(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn spent(clock: rustix::time::ClockId) -> Duration {
    let spent = rustix::time::clock_gettime(clock);
    let (seconds, nanos) = (spent.tv_sec.unsigned_abs(), spent.tv_nsec.unsigned_abs());
    Duration::from_secs(seconds) + Duration::from_nanos(nanos)
}

#[cfg(not(unix))]
fn now() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

#[cfg(not(unix))]
pub fn process_time() -> Duration {
    now()
}
