//! Decides when to retry: `retry-after`, exponential backoff with jitter, and a retry budget.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use http::HeaderMap;

/// The wait that the provider requests, relative to the system clock.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    retry_after_at(headers, SystemTime::now())
}

/// The wait that the provider requests: `retry-after-ms`, or `retry-after` in seconds or as a date.
/// Longer waits are reduced to [`MAX_RETRY_AFTER`]; invalid values are ignored.
pub fn retry_after_at(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let wait =
        text("retry-after-ms").and_then(|text| parse_seconds(text, 1_000.0)).or_else(|| {
            let text = text("retry-after")?;
            parse_seconds(text, 1.0).or_else(|| {
                let date = httpdate::parse_http_date(text).ok()?;
                // A date in the past means an immediate retry.
                Some(date.duration_since(now).unwrap_or_default())
            })
        })?;
    Some(wait.min(MAX_RETRY_AFTER))
}

/// Parses a number of seconds, or of a fraction of a second.
fn parse_seconds(text: &str, units_per_second: f64) -> Option<Duration> {
    let number = text.parse().ok().filter(|number: &f64| !number.is_nan())?;
    let seconds = (number / units_per_second).min(MAX_RETRY_AFTER.as_secs_f64());
    Duration::try_from_secs_f64(seconds).ok()
}

/// Exponential backoff with full jitter: each wait is random between zero and the limit of the
/// attempt, so that clients that failed together do not retry together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Limit of the first wait; it doubles with every attempt.
    pub initial: Duration,
    pub max: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { initial: Duration::from_millis(500), max: Duration::from_secs(8) }
    }
}

impl Backoff {
    /// The wait after `attempt` failed attempts (the first is 0); `chance` is a random number.
    pub fn delay(&self, attempt: u32, chance: u64) -> Duration {
        let limit = self.initial.saturating_mul(1 << attempt.min(20)).min(self.max);
        let limit = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(chance % limit.saturating_add(1))
    }
}

/// A random number from the hasher's seed; not cryptographic.
pub fn random_u64() -> u64 {
    RandomState::new().hash_one(0)
}

/// Limits retries to a tenth of the requests, plus a reserve that refills over time, so that a
/// client with few requests can retry at all. The limit prevents retries from keeping an overloaded
/// provider down.
#[derive(Debug)]
pub struct RetryBudget {
    state: Mutex<BudgetState>,
}

#[derive(Clone, Copy, Debug)]
struct BudgetState {
    /// In tenths of a retry.
    tenths: u32,
    last_refill: Option<Instant>,
}

impl Default for RetryBudget {
    fn default() -> Self {
        Self { state: Mutex::new(BudgetState { tenths: RESERVE_TENTHS, last_refill: None }) }
    }
}

impl RetryBudget {
    /// Records a request, which earns a tenth of a retry.
    pub fn deposit(&self) {
        self.with_state(|budget_state| {
            budget_state.tenths = (budget_state.tenths + 1).min(MAX_TENTHS);
        });
    }

    /// Takes one retry from the budget; returns whether there was one.
    pub fn withdraw(&self, now: Instant) -> bool {
        self.with_state(|budget_state| {
            let last_refill = *budget_state.last_refill.get_or_insert(now);
            let seconds = now.saturating_duration_since(last_refill).as_secs();
            if seconds > 0 {
                let earned = u32::try_from(seconds / REFILL_SECONDS)
                    .unwrap_or(u32::MAX)
                    .saturating_mul(TENTHS_PER_RETRY);
                if budget_state.tenths < RESERVE_TENTHS {
                    budget_state.tenths =
                        budget_state.tenths.saturating_add(earned).min(RESERVE_TENTHS);
                }
                budget_state.last_refill = Some(
                    last_refill + Duration::from_secs(seconds / REFILL_SECONDS * REFILL_SECONDS),
                );
            }
            let is_available = budget_state.tenths >= TENTHS_PER_RETRY;
            if is_available {
                budget_state.tenths -= TENTHS_PER_RETRY;
            }
            is_available
        })
    }

    fn with_state<T>(&self, change: impl FnOnce(&mut BudgetState) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Maximum wait. A provider that requests more is treated as unavailable.
pub const MAX_RETRY_AFTER: Duration = Duration::from_mins(10);

/// Cost of one retry.
const TENTHS_PER_RETRY: u32 = 10;
/// Initial budget, which refills over time.
const RESERVE_TENTHS: u32 = 10 * TENTHS_PER_RETRY;
const MAX_TENTHS: u32 = 100 * TENTHS_PER_RETRY;
/// Seconds in which one retry of the reserve is refilled.
const REFILL_SECONDS: u64 = 5;
