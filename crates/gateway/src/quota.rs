//! How often and how much at once: per key, and per address that guesses keys.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use interlingua::Failure;
use interlingua::model::{FailureKind, Retry};

use crate::config::{Config, Key};
use crate::refusal::failure;

/// What is remembered of keys and addresses.
#[derive(Default)]
pub(crate) struct Quotas {
    keys: Shelf<String, Used>,
    guesses: Shelf<IpAddr, Mutex<Bucket>>,
}

/// What a key has used.
#[derive(Default)]
struct Used {
    bucket: Mutex<Bucket>,
    running: AtomicU32,
}

/// A request that counts for its key until this is dropped.
pub(crate) struct Guest(Option<Arc<Used>>);

/// So many at once, and then so many per minute: remembers when it will be empty.
#[derive(Default)]
struct Bucket(Option<Instant>);

struct Shelf<K, V>(Mutex<HashMap<K, Arc<V>>>);

impl Quotas {
    /// Lets a request of this key in, unless there were or are too many.
    pub(crate) fn enter(&self, key: Option<&Key>, now: Instant) -> Result<Guest, Failure> {
        let Some(key) = key else { return Ok(Guest(None)) };
        let used = self.keys.find(&key.name);
        if let Some(most) = key.concurrent {
            let more = |running: u32| (running < most).then_some(running + 1);
            let order = Ordering::Relaxed;
            if used.running.fetch_update(order, order, more).is_err() {
                let message = format!("this key has {most} requests running, which is its limit");
                return Err(limited(&message, Duration::from_secs(1)));
            }
        } else {
            used.running.fetch_add(1, Ordering::Relaxed);
        }
        let guest = Guest(Some(Arc::clone(&used)));
        if let Some(per_minute) = key.requests_per_minute {
            let mut bucket = used.bucket.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(wait) = bucket.take(per_minute, per_minute, now) {
                let message = format!("this key may ask {per_minute} times a minute");
                return Err(limited(&message, wait));
            }
        }
        Ok(guest)
    }

    /// A wrong key was shown. Whoever guesses has to wait.
    pub(crate) fn guessed(
        &self,
        from: IpAddr,
        config: &Config,
        now: Instant,
    ) -> Result<(), Failure> {
        let bucket = self.guesses.find(&from);
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let limits = &config.limits;
        bucket
            .take(limits.failures, limits.failures_per_minute, now)
            .map_err(|wait| limited("too many wrong keys came from this address", wait))
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        if let Some(used) = &self.0 {
            used.running.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Bucket {
    /// Takes one, or says how long until there is one.
    fn take(&mut self, at_once: u32, per_minute: u32, now: Instant) -> Result<(), Duration> {
        let each = Duration::from_mins(1) / per_minute.max(1);
        let empty = self.0.unwrap_or(now).max(now);
        let room = each * at_once.max(1);
        let ahead = empty.duration_since(now) + each;
        if ahead > room {
            return Err(ahead.saturating_sub(room));
        }
        self.0 = Some(empty + each);
        Ok(())
    }
}

impl<K: Hash + Eq + Clone, V: Default> Shelf<K, V> {
    fn find(&self, key: &K) -> Arc<V> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.get(key) {
            return Arc::clone(found);
        }
        if kept.len() >= MOST {
            kept.retain(|_, value| Arc::strong_count(value) > 1);
        }
        Arc::clone(kept.entry(key.clone()).or_default())
    }
}

impl<K, V> Default for Shelf<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

fn limited(message: &str, wait: Duration) -> Failure {
    let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
    Failure { retry: Retry::AfterMillis(millis), ..failure(FailureKind::RateLimit, message) }
}

/// Addresses and keys that are remembered at once; beyond them, the idle ones are forgotten.
const MOST: usize = 10_000;

#[cfg(test)]
mod tests;
