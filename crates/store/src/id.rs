//! The identity of a record: newer records have larger ones.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Gives out identities. They begin with the time, so that two processes on one database do not
/// meet, and never go back, whatever the clock does.
#[derive(Debug)]
pub(crate) struct Ids(AtomicI64);

impl Ids {
    /// All will be newer than this one.
    pub(crate) fn after(newest: i64) -> Self {
        Self(AtomicI64::new(newest))
    }

    pub(crate) fn raise(&self, newest: i64) {
        self.0.fetch_max(newest, Ordering::Relaxed);
    }

    pub(crate) fn next(&self) -> i64 {
        let now = micros() << 8 | i64::from(std::process::id() & 0xff);
        let next = |last: i64| Some(now.max(last + 1));
        // The closure always gives a value.
        let last = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        let (Ok(last) | Err(last)) = last;
        now.max(last + 1)
    }
}

pub(crate) fn micros() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX >> 8)
}

/// Milliseconds since 1970, for what is forgotten after a time.
pub(crate) fn now() -> i64 {
    micros() / 1000
}
