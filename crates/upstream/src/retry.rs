//! When to ask again: what a provider says, a growing wait with chance in it, and a budget.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use http::HeaderMap;

/// How long the provider asks to wait, by the clock of this machine.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    retry_after_at(headers, SystemTime::now())
}

/// How long the provider asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date.
/// What is absurdly long is shortened to [`LONGEST`]; what cannot be read says nothing.
pub fn retry_after_at(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let wait = text("retry-after-ms").and_then(|text| number(text, 1_000.0)).or_else(|| {
        let text = text("retry-after")?;
        number(text, 1.0).or_else(|| {
            let date = httpdate::parse_http_date(text).ok()?;
            // A date that has passed says that one may ask at once.
            Some(date.duration_since(now).unwrap_or_default())
        })
    })?;
    Some(wait.min(LONGEST))
}

/// A number of seconds, or of parts of one.
fn number(text: &str, parts: f64) -> Option<Duration> {
    let number = text.parse().ok().filter(|number: &f64| !number.is_nan())?;
    let seconds = (number / parts).min(LONGEST.as_secs_f64());
    Duration::try_from_secs_f64(seconds).ok()
}

/// Waits that grow, with full jitter: any time between none and the limit of the attempt, so that
/// those who failed together do not come back together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The limit of the first wait; it doubles with every attempt.
    pub first: Duration,
    pub most: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { first: Duration::from_millis(500), most: Duration::from_secs(8) }
    }
}

impl Backoff {
    /// The wait after so many failed attempts (the first is 0); `chance` is any number.
    pub fn wait(&self, attempt: u32, chance: u64) -> Duration {
        let limit = self.first.saturating_mul(1 << attempt.min(20)).min(self.most);
        let limit = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(chance % limit.saturating_add(1))
    }
}

/// A number nobody can foresee.
pub fn chance() -> u64 {
    RandomState::new().hash_one(0)
}

/// How much asking again there may be: a tenth of the requests, and a few more so that a quiet
/// client can ask again at all. When a provider breaks, asking again must not be what keeps it down.
#[derive(Debug)]
pub struct Budget {
    state: Mutex<Purse>,
}

#[derive(Clone, Copy, Debug)]
struct Purse {
    /// In tenths of a retry.
    tenths: u32,
    filled: Option<Instant>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { state: Mutex::new(Purse { tenths: RESERVE, filled: None }) }
    }
}

impl Budget {
    /// A request is made: a tenth of a retry is earned.
    pub fn earn(&self) {
        self.with(|purse| purse.tenths = (purse.tenths + 1).min(MOST));
    }

    /// Whether there may be one more retry; it is spent then.
    pub fn spend(&self, now: Instant) -> bool {
        self.with(|purse| {
            let filled = *purse.filled.get_or_insert(now);
            let seconds = now.saturating_duration_since(filled).as_secs();
            if seconds > 0 {
                let earned =
                    u32::try_from(seconds / FILL).unwrap_or(u32::MAX).saturating_mul(RETRY);
                if purse.tenths < RESERVE {
                    purse.tenths = purse.tenths.saturating_add(earned).min(RESERVE);
                }
                purse.filled = Some(filled + Duration::from_secs(seconds / FILL * FILL));
            }
            let enough = purse.tenths >= RETRY;
            if enough {
                purse.tenths -= RETRY;
            }
            enough
        })
    }

    fn with<T>(&self, change: impl FnOnce(&mut Purse) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Nobody waits longer than this for one provider; whoever says so is believed to be gone.
pub const LONGEST: Duration = Duration::from_mins(10);

/// What one retry costs.
const RETRY: u32 = 10;
/// What there is at first, and comes back with time.
const RESERVE: u32 = 10 * RETRY;
const MOST: u32 = 100 * RETRY;
/// Seconds in which one retry of the reserve comes back.
const FILL: u64 = 5;
