//! Enforces request rates, concurrency and daily tokens per key, and per address the rate of
//! requests without a valid key.
//!
//! The limits of a key are for all nodes together: nodes exchange their usage about once a second,
//! and remote usage counts like local usage.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use interlingua::ApiError;
use interlingua_model::{ApiErrorKind, RetryAdvice};
use interlingua_store::{Day, LocalLoad, RemoteLoad, UsageStore};

use crate::config::{ApiKey, Config};
use crate::http_util::client_network::client_network;
use crate::http_util::error_response::failure;

/// Usage of all keys and addresses.
#[derive(Default)]
pub(crate) struct Quotas {
    keys: BoundedMap<String, KeyUsage>,
    wrong_keys: BoundedMap<IpAddr, Mutex<RateLimiter>>,
}

/// Usage of one key.
#[derive(Default)]
struct KeyUsage {
    counters: Mutex<KeyCounters>,
    running: AtomicU32,
}

#[derive(Default)]
struct KeyCounters {
    rate: RateLimiter,
    /// Requests not yet reported to other nodes.
    unreported: u32,
    /// Running requests as last reported to other nodes.
    reported_running: u32,
    /// Requests that run on other nodes, and when that was reported.
    remote_running: Option<(u32, Instant)>,
}

/// A request that counts for its key until this is dropped; empty without a key.
#[derive(Default)]
pub(crate) struct QuotaPermit(Option<Arc<KeyUsage>>);

/// A rate limiter (GCRA): a burst, then a rate per minute. Stores when the bucket will be empty.
#[derive(Default)]
struct RateLimiter(Option<Instant>);

struct BoundedMap<K, V>(Mutex<HashMap<K, Arc<V>>>);

impl Quotas {
    /// Admits a request of this key, or returns a rate limit error.
    pub(crate) fn acquire(&self, key: &ApiKey, now: Instant) -> Result<QuotaPermit, ApiError> {
        let key_usage = self.keys.get_or_default(&key.name);
        let mut key_counters = key_usage.counters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(max) = key.concurrent {
            let remote = key_counters.remote_running(now);
            let increment =
                |running: u32| (running.saturating_add(remote) < max).then_some(running + 1);
            let order = Ordering::Relaxed;
            if key_usage.running.fetch_update(order, order, increment).is_err() {
                let message = format!("this key has {max} requests running, which is its limit");
                return Err(rate_limit_error(&message, Duration::from_secs(1)));
            }
        } else {
            key_usage.running.fetch_add(1, Ordering::Relaxed);
        }
        let quota_permit = QuotaPermit(Some(Arc::clone(&key_usage)));
        if let Some(per_minute) = key.requests_per_minute {
            if let Err(wait) = key_counters.rate.try_acquire(per_minute, per_minute, now) {
                let message = format!("this key may send {per_minute} requests per minute");
                drop(key_counters);
                return Err(rate_limit_error(&message, wait));
            }
            key_counters.unreported = key_counters.unreported.saturating_add(1);
        }
        drop(key_counters);
        Ok(quota_permit)
    }

    /// The usage to report to other nodes.
    pub(crate) fn take_local_usage<'k>(
        &self,
        keys: impl Iterator<Item = &'k ApiKey>,
    ) -> Vec<LocalLoad> {
        let load = |key: &ApiKey| {
            let key_usage = self.keys.get_or_default(&key.name);
            let running = key_usage.running.load(Ordering::Relaxed);
            let mut key_counters =
                key_usage.counters.lock().unwrap_or_else(PoisonError::into_inner);
            let new_requests = std::mem::take(&mut key_counters.unreported);
            let reported_running = std::mem::replace(&mut key_counters.reported_running, running);
            LocalLoad {
                owner: key.name.clone(),
                running_requests: running,
                new_requests,
                request_interval: key
                    .requests_per_minute
                    .map(emission_interval)
                    .unwrap_or_default(),
                has_token_budget: key.tokens_per_day.is_some(),
                is_active: running > 0 || new_requests > 0 || reported_running > 0,
            }
        };
        keys.filter(|key| key.is_limited()).map(load).collect()
    }

    /// Applies what other nodes have reported in exchange for `reported`.
    pub(crate) fn apply_remote_usage(
        &self,
        reported: &[LocalLoad],
        remote: &[RemoteLoad],
        now: Instant,
    ) {
        let remote: HashMap<&str, &RemoteLoad> =
            remote.iter().map(|load| (&*load.owner, load)).collect();
        for local in reported {
            let remote_load = remote.get(&*local.owner);
            let key_usage = self.keys.get_or_default(&local.owner);
            let mut key_counters =
                key_usage.counters.lock().unwrap_or_else(PoisonError::into_inner);
            key_counters.remote_running =
                Some((remote_load.map_or(0, |remote| remote.running_requests), now));
            let rate_debt = remote_load.map(|remote| remote.rate_debt).unwrap_or_default();
            // Requests since the report are not included in the remote sum.
            let unreported = key_counters.unreported;
            key_counters.rate.0 = Some(now + rate_debt + local.request_interval * unreported);
        }
    }

    /// The report failed: it is included in the next one.
    pub(crate) fn restore_local_usage(&self, unreported: &[LocalLoad]) {
        for local in unreported {
            let key_usage = self.keys.get_or_default(&local.owner);
            let mut key_counters =
                key_usage.counters.lock().unwrap_or_else(PoisonError::into_inner);
            key_counters.unreported = key_counters.unreported.saturating_add(local.new_requests);
            key_counters.reported_running =
                key_counters.reported_running.max(local.running_requests);
        }
    }

    /// Counts a request with a wrong key, or without one; an error if this address has sent too many.
    pub(crate) fn record_wrong_key(
        &self,
        from: IpAddr,
        config: &Config,
        now: Instant,
    ) -> Result<(), ApiError> {
        let bucket = self.wrong_keys.get_or_default(&client_network(from));
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let limits = &config.limits;
        bucket.try_acquire(limits.wrong_keys_burst, limits.wrong_keys_per_minute, now).map_err(
            |wait| {
                rate_limit_error("too many requests without a valid key from this address", wait)
            },
        )
    }
}

impl KeyCounters {
    /// Old reports are ignored.
    fn remote_running(&self, now: Instant) -> u32 {
        let reported =
            self.remote_running.filter(|(_, at)| now.duration_since(*at) < REMOTE_USAGE_TTL);
        reported.map_or(0, |(running, _)| running)
    }
}

/// Rejects a request of a key without tokens left today. Running requests continue.
pub(crate) fn check_token_budget(
    key: &ApiKey,
    usage: &dyn UsageStore,
    now: SystemTime,
) -> Result<(), ApiError> {
    let Some(max) = key.tokens_per_day else { return Ok(()) };
    let day = Day::from_time(now);
    let used = usage.tokens_used(day, &key.name);
    if used < max {
        return Ok(());
    }
    let message = format!(
        "this key may use {max} tokens a day and has used {used} today; the budget is renewed at \
         midnight UTC, when {} begins",
        day.next()
    );
    Err(rate_limit_error(&message, day.time_left(now)))
}

/// The time between two requests at this rate.
fn emission_interval(per_minute: u32) -> Duration {
    Duration::from_mins(1) / per_minute.max(1)
}

impl Drop for QuotaPermit {
    fn drop(&mut self) {
        if let Some(key_usage) = &self.0 {
            key_usage.running.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl RateLimiter {
    /// Takes one request, or returns the wait until one is free.
    fn try_acquire(&mut self, burst: u32, per_minute: u32, now: Instant) -> Result<(), Duration> {
        let interval = emission_interval(per_minute);
        let empty = self.0.unwrap_or(now).max(now);
        let capacity = interval * burst.max(1);
        let debt = empty.duration_since(now) + interval;
        if debt > capacity {
            return Err(debt.saturating_sub(capacity));
        }
        self.0 = Some(empty + interval);
        Ok(())
    }
}

impl<K: Hash + Eq + Clone, V: Default> BoundedMap<K, V> {
    fn get_or_default(&self, key: &K) -> Arc<V> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = entries.get(key) {
            return Arc::clone(value);
        }
        if entries.len() >= MAX_ENTRIES {
            entries.retain(|_, value| Arc::strong_count(value) > 1);
        }
        Arc::clone(entries.entry(key.clone()).or_default())
    }
}

impl<K, V> Default for BoundedMap<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

fn rate_limit_error(message: &str, wait: Duration) -> ApiError {
    let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
    ApiError {
        retry: RetryAdvice::AfterMillis(millis),
        ..failure(ApiErrorKind::RateLimit, message)
    }
}

/// Reports of other nodes expire after this time.
const REMOTE_USAGE_TTL: Duration = Duration::from_secs(5);
/// Entries of a map; beyond them, unused ones are dropped.
const MAX_ENTRIES: usize = 10_000;

#[cfg(test)]
mod tests;
