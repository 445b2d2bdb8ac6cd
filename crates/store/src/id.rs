//! Generates record ids that grow with time.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Generates ids: microseconds since 1970 and 8 bits of the process id, so that two processes on
/// one database seldom collide. Ids never decrease, even if the clock does.
#[derive(Debug)]
pub(crate) struct IdGenerator(AtomicI64);

impl IdGenerator {
    /// All ids will be larger than `newest`.
    pub(crate) fn starting_after(newest: i64) -> Self {
        Self(AtomicI64::new(newest))
    }

    pub(crate) fn advance_to(&self, newest: i64) {
        self.0.fetch_max(newest, Ordering::Relaxed);
    }

    pub(crate) fn next(&self) -> i64 {
        let now = unix_micros() << 8 | i64::from(std::process::id() & 0xff);
        let next = |last: i64| Some(now.max(last + 1));
        // The closure always gives a value.
        let last = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        let (Ok(last) | Err(last)) = last;
        now.max(last + 1)
    }
}

pub(crate) fn unix_micros() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX >> 8)
}

pub(crate) fn unix_millis() -> i64 {
    unix_micros() / 1000
}
