//! Circuit breaker: stops calls to a provider that keeps failing.
//!
//! The circuit opens after [`MAX_CONSECUTIVE_FAILURES`], or if at least half of
//! [`MIN_SAMPLE_CALLS`] or more calls within [`SAMPLE_WINDOW`] failed. It rejects all calls for
//! [`INITIAL_OPEN_DURATION`]; then it is half-open and admits one probe. A successful probe closes
//! it; a failed one doubles the open duration, up to [`MAX_OPEN_DURATION`]. A rate limit (429) does
//! not count as a failure.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The breaker of one provider and key. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct Breaker {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    consecutive_failures: u32,
    /// The newest calls: their time, and whether they failed.
    recent_calls: VecDeque<(Instant, bool)>,
    open: Option<OpenState>,
}

#[derive(Clone, Copy, Debug)]
struct OpenState {
    until: Instant,
    duration: Duration,
    /// A probe is in flight.
    is_probing: bool,
}

/// State of a circuit breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CircuitState {
    Closed,
    Open,
    HalfOpen,
}

/// Permission for one call; its outcome must be recorded. A dropped permit counts as no call.
#[derive(Debug)]
pub struct CallPermit {
    breaker: Breaker,
    is_probe: bool,
}

impl Breaker {
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a permit, or the wait until the next attempt makes sense.
    pub fn admit(&self, now: Instant) -> Result<CallPermit, Duration> {
        let mut state = self.lock();
        let Some(open) = &mut state.open else { return Ok(self.permit(false)) };
        let wait = open.until.saturating_duration_since(now);
        if !wait.is_zero() {
            return Err(wait);
        }
        if open.is_probing {
            return Err(PROBE_RETRY_AFTER);
        }
        open.is_probing = true;
        Ok(self.permit(true))
    }

    pub fn circuit_state(&self, now: Instant) -> CircuitState {
        match self.lock().open {
            None => CircuitState::Closed,
            Some(open) if now < open.until => CircuitState::Open,
            Some(_) => CircuitState::HalfOpen,
        }
    }

    fn permit(&self, is_probe: bool) -> CallPermit {
        CallPermit { breaker: self.clone(), is_probe }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallPermit {
    pub fn record_success(mut self, now: Instant) {
        let mut state = self.breaker.lock();
        state.consecutive_failures = 0;
        state.record(now, false);
        if std::mem::take(&mut self.is_probe) {
            state.open = None;
            state.recent_calls.clear();
        }
    }

    pub fn record_failure(mut self, now: Instant) {
        let mut state = self.breaker.lock();
        state.consecutive_failures += 1;
        state.record(now, true);
        if std::mem::take(&mut self.is_probe) {
            let open_duration = state
                .open
                .map_or(INITIAL_OPEN_DURATION, |open| (open.duration * 2).min(MAX_OPEN_DURATION));
            state.open(now, open_duration);
        } else if state.open.is_none() && state.exceeds_threshold() {
            state.open(now, INITIAL_OPEN_DURATION);
        }
    }

    /// Records a rate limit: the provider works, but accepts no more calls now.
    pub fn record_rate_limited(mut self) {
        let mut state = self.breaker.lock();
        state.consecutive_failures = 0;
        if std::mem::take(&mut self.is_probe) {
            state.open = None;
            state.recent_calls.clear();
        }
    }
}

impl Drop for CallPermit {
    fn drop(&mut self) {
        if self.is_probe
            && let Some(open) = &mut self.breaker.lock().open
        {
            open.is_probing = false;
        }
    }
}

impl State {
    fn record(&mut self, now: Instant, failed: bool) {
        self.recent_calls.push_back((now, failed));
        while self.recent_calls.len() > MAX_RECENT_CALLS
            || self
                .recent_calls
                .front()
                .is_some_and(|(at, _)| now.saturating_duration_since(*at) > SAMPLE_WINDOW)
        {
            self.recent_calls.pop_front();
        }
    }

    fn exceeds_threshold(&self) -> bool {
        let failed = self.recent_calls.iter().filter(|(_, failed)| *failed).count();
        self.consecutive_failures >= MAX_CONSECUTIVE_FAILURES
            || self.recent_calls.len() >= MIN_SAMPLE_CALLS && failed * 2 >= self.recent_calls.len()
    }

    fn open(&mut self, now: Instant, duration: Duration) {
        self.open = Some(OpenState { until: now + duration, duration, is_probing: false });
    }
}

pub const MAX_CONSECUTIVE_FAILURES: u32 = 5;
pub const MIN_SAMPLE_CALLS: usize = 20;
pub const SAMPLE_WINDOW: Duration = Duration::from_secs(30);
pub const INITIAL_OPEN_DURATION: Duration = Duration::from_secs(10);
pub const MAX_OPEN_DURATION: Duration = Duration::from_mins(5);

/// Maximum calls in the sliding window.
const MAX_RECENT_CALLS: usize = 200;
/// Wait for callers while a probe is in flight.
const PROBE_RETRY_AFTER: Duration = Duration::from_secs(1);
