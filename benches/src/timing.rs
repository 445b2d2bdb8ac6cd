//! Times two functions alternately, so that a noisy machine affects both equally.

use std::hint::black_box;
use std::time::Duration;

/// The best time of each of the two functions.
#[derive(Clone, Copy, Debug)]
pub struct BestTimes {
    pub candidate: Duration,
    pub baseline: Duration,
}

impl BestTimes {
    pub fn ratio(&self) -> f64 {
        self.baseline.as_secs_f64() / self.candidate.as_secs_f64()
    }
}

pub fn best_of<A, B>(
    rounds: usize,
    candidate: impl Fn() -> A,
    baseline: impl Fn() -> B,
) -> BestTimes {
    let time = |work: &dyn Fn()| {
        let start = thread_cpu_time();
        work();
        thread_cpu_time().saturating_sub(start)
    };
    let mut best = BestTimes { candidate: Duration::MAX, baseline: Duration::MAX };
    for _ in 0..rounds {
        best.candidate = best.candidate.min(time(&|| {
            black_box(candidate());
        }));
        best.baseline = best.baseline.min(time(&|| {
            black_box(baseline());
        }));
    }
    best
}

/// CPU time of this thread, so that other load on the machine does not count.
#[cfg(unix)]
fn thread_cpu_time() -> Duration {
    cpu_time(rustix::time::ClockId::ThreadCPUTime)
}

/// CPU time of this process, with all its threads.
#[cfg(unix)]
pub fn process_cpu_time() -> Duration {
    cpu_time(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn cpu_time(clock: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(clock);
    let (seconds, nanos) = (time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs());
    Duration::from_secs(seconds) + Duration::from_nanos(nanos)
}

#[cfg(not(unix))]
fn thread_cpu_time() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

#[cfg(not(unix))]
pub fn process_cpu_time() -> Duration {
    thread_cpu_time()
}
