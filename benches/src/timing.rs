//! Two pieces of work timed turn by turn, so that a noisy machine disturbs both alike.

use std::hint::black_box;
use std::time::{Duration, Instant};

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
        let start = Instant::now();
        work();
        start.elapsed()
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
