//! How often, how much at once and how much a day: per key, and per address that guesses keys.
//!
//! What a key may do it may do at all nodes together: what happens at the others is heard about once a second,
//! and counted as if it had happened here.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use interlingua::Failure;
use interlingua::model::{FailureKind, Retry};
use interlingua_store::{Accounts, Day, Elsewhere, Share};

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
    book: Mutex<Book>,
    running: AtomicU32,
}

#[derive(Default)]
struct Book {
    bucket: Bucket,
    /// Requests of which other nodes do not know yet.
    asked: u32,
    /// Requests that they believe to be running here.
    told: u32,
    /// Those that run there, and when that was heard.
    elsewhere: Option<(u32, Instant)>,
}

/// A request that counts for its key until this is dropped; for none where no key was shown.
#[derive(Default)]
pub(crate) struct Guest(Option<Arc<Used>>);

/// So many at once, and then so many per minute: remembers when it will be empty.
#[derive(Default)]
struct Bucket(Option<Instant>);

struct Shelf<K, V>(Mutex<HashMap<K, Arc<V>>>);

impl Quotas {
    /// Lets a request of this key in, unless there were or are too many.
    pub(crate) fn enter(&self, key: &Key, now: Instant) -> Result<Guest, Failure> {
        let used = self.keys.find(&key.name);
        let mut book = used.book.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(most) = key.concurrent {
            let elsewhere = book.elsewhere(now);
            let more =
                |running: u32| (running.saturating_add(elsewhere) < most).then_some(running + 1);
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
            if let Err(wait) = book.bucket.take(per_minute, per_minute, now) {
                let message = format!("this key may ask {per_minute} times a minute");
                drop(book);
                return Err(limited(&message, wait));
            }
            book.asked = book.asked.saturating_add(1);
        }
        drop(book);
        Ok(guest)
    }

    /// What other nodes are to know of these keys.
    pub(crate) fn shares<'k>(&self, keys: impl Iterator<Item = &'k Key>) -> Vec<Share> {
        let share = |key: &Key| {
            let used = self.keys.find(&key.name);
            let running = used.running.load(Ordering::Relaxed);
            let mut book = used.book.lock().unwrap_or_else(PoisonError::into_inner);
            let asked = std::mem::take(&mut book.asked);
            let told = std::mem::replace(&mut book.told, running);
            Share {
                owner: key.name.clone(),
                running,
                asked,
                each: key.requests_per_minute.map(each).unwrap_or_default(),
                is_budgeted: key.tokens_per_day.is_some(),
                is_busy: running > 0 || asked > 0 || told > 0,
            }
        };
        keys.filter(|key| key.is_limited()).map(share).collect()
    }

    /// Other nodes were told, and this is what they said.
    pub(crate) fn heard(&self, told: &[Share], said: &[Elsewhere], now: Instant) {
        let said: HashMap<&str, &Elsewhere> = said.iter().map(|one| (&*one.owner, one)).collect();
        for share in told {
            let elsewhere = said.get(&*share.owner);
            let used = self.keys.find(&share.owner);
            let mut book = used.book.lock().unwrap_or_else(PoisonError::into_inner);
            book.elsewhere = Some((elsewhere.map_or(0, |one| one.running), now));
            let ahead = elsewhere.map(|one| one.ahead).unwrap_or_default();
            // What came while they were asked is not in it.
            let asked = book.asked;
            book.bucket.0 = Some(now + ahead + share.each * asked);
        }
    }

    /// Nobody was told: the next time they are.
    pub(crate) fn unheard(&self, untold: &[Share]) {
        for share in untold {
            let used = self.keys.find(&share.owner);
            let mut book = used.book.lock().unwrap_or_else(PoisonError::into_inner);
            book.asked = book.asked.saturating_add(share.asked);
            book.told = book.told.max(share.running);
        }
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

impl Book {
    /// Who was not heard for a while is not counted.
    fn elsewhere(&self, now: Instant) -> u32 {
        let fresh = self.elsewhere.filter(|(_, heard)| now.duration_since(*heard) < SILENT);
        fresh.map_or(0, |(running, _)| running)
    }
}

/// Refuses a request of a key that has used up its tokens of the day. What runs goes on.
pub(crate) fn affords(key: &Key, accounts: &dyn Accounts, now: SystemTime) -> Result<(), Failure> {
    let Some(most) = key.tokens_per_day else { return Ok(()) };
    let day = Day::of(now);
    let spent = accounts.spent(day, &key.name);
    if spent < most {
        return Ok(());
    }
    let message = format!(
        "this key may use {most} tokens a day and has used {spent} today; it may go on at midnight \
         UTC, when {} begins",
        day.next()
    );
    Err(limited(&message, day.left(now)))
}

/// The time that a request takes from the minute of its key.
fn each(per_minute: u32) -> Duration {
    Duration::from_mins(1) / per_minute.max(1)
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
        let each = each(per_minute);
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

/// After this, what other nodes have said is not believed any more.
const SILENT: Duration = Duration::from_secs(5);
/// Addresses and keys that are remembered at once; beyond them, the idle ones are forgotten.
const MOST: usize = 10_000;

#[cfg(test)]
mod tests;
