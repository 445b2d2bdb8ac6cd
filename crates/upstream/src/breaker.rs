//! Circuit breaker: stops calls to a provider that keeps failing.
//!
//! The circuit opens after [`MAX_CONSECUTIVE_FAILURES`], or if at least half of
//! [`MIN_SAMPLE_CALLS`] or more calls within [`SAMPLE_WINDOW`] failed. It rejects all calls for
//! [`INITIAL_OPEN_DURATION`]; then it is half-open and admits one probe. A successful probe closes
//! it; a failed one doubles the open duration, up to [`MAX_OPEN_DURATION`]. A rate limit (429) does
//! not count as a failure.
//!
//! A call that gets no response always counts. An error response counts once per conversation, and
//! where callers have keys, only if at least [`MIN_FAILED_KEYS`] of these get some: a server that
//! fails on the content of one conversation, or on the requests of one key, works for all others.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The breaker of one provider and key. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct Breaker {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    consecutive_failures: ConsecutiveFailures,
    /// The newest calls.
    recent_calls: VecDeque<(Instant, CallOutcome)>,
    open: Option<OpenState>,
}

/// Who makes a call: hashes of the caller's key, if keys are required, and of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallSource {
    pub key: Option<u64>,
    pub conversation: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallOutcome {
    Success,
    /// The connection failed or timed out.
    NoResponse,
    ErrorResponse(CallSource),
}

/// Failures since the last success.
#[derive(Debug, Default)]
struct ConsecutiveFailures {
    no_response: u32,
    /// Of error responses; at most [`MAX_TRACKED_SOURCES`].
    sources: Vec<CallSource>,
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
    kind: PermitKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PermitKind {
    Closed,
    Probe,
    /// Admitted although the circuit rejects calls.
    Forced,
}

impl Breaker {
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a permit, or the wait until the next attempt makes sense.
    pub fn admit(&self, now: Instant) -> Result<CallPermit, Duration> {
        let mut state = self.lock();
        let Some(open) = &mut state.open else { return Ok(self.permit(PermitKind::Closed)) };
        let wait = open.until.saturating_duration_since(now);
        if !wait.is_zero() {
            return Err(wait);
        }
        if open.is_probing {
            return Err(PROBE_RETRY_AFTER);
        }
        open.is_probing = true;
        Ok(self.permit(PermitKind::Probe))
    }

    /// As [`Breaker::admit`], but a rejected call is admitted nevertheless: for requests without
    /// another target. Its success closes the circuit, its failure changes nothing.
    pub fn admit_always(&self, now: Instant) -> CallPermit {
        self.admit(now).unwrap_or_else(|_| self.permit(PermitKind::Forced))
    }

    pub fn circuit_state(&self, now: Instant) -> CircuitState {
        match self.lock().open {
            None => CircuitState::Closed,
            Some(open) if now < open.until => CircuitState::Open,
            Some(_) => CircuitState::HalfOpen,
        }
    }

    fn permit(&self, kind: PermitKind) -> CallPermit {
        CallPermit { breaker: self.clone(), kind }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallPermit {
    pub fn record_success(self, now: Instant) {
        let mut state = self.breaker.lock();
        state.record(now, CallOutcome::Success);
        state.record_response(self.kind);
    }

    /// Records a call without a response: the connection failed or timed out.
    pub fn record_failure(self, now: Instant) {
        let mut state = self.breaker.lock();
        state.consecutive_failures.no_response += 1;
        state.record(now, CallOutcome::NoResponse);
        match self.kind {
            PermitKind::Probe => state.reopen(now),
            PermitKind::Closed => state.open_if_failing(now),
            PermitKind::Forced => {}
        }
    }

    /// Records a response with an error that may be the provider's. A probe that gets one leaves
    /// the circuit half-open, unless it completes what opens a circuit.
    pub fn record_error_response(self, now: Instant, source: CallSource) {
        let mut state = self.breaker.lock();
        state.consecutive_failures.add(source);
        state.record(now, CallOutcome::ErrorResponse(source));
        match self.kind {
            PermitKind::Probe if state.consecutive_failures.exceed_limit() => state.reopen(now),
            PermitKind::Closed => state.open_if_failing(now),
            PermitKind::Probe | PermitKind::Forced => {}
        }
    }

    /// Records a rate limit: the provider works, but accepts no more calls now.
    pub fn record_rate_limited(self) {
        self.breaker.lock().record_response(self.kind);
    }
}

impl Drop for CallPermit {
    fn drop(&mut self) {
        if self.kind == PermitKind::Probe
            && let Some(open) = &mut self.breaker.lock().open
        {
            open.is_probing = false;
        }
    }
}

impl State {
    fn record(&mut self, now: Instant, outcome: CallOutcome) {
        self.recent_calls.push_back((now, outcome));
        while self.recent_calls.len() > MAX_RECENT_CALLS
            || self
                .recent_calls
                .front()
                .is_some_and(|(at, _)| now.saturating_duration_since(*at) > SAMPLE_WINDOW)
        {
            self.recent_calls.pop_front();
        }
    }

    /// The provider works; calls from before the circuit opened do not close it.
    fn record_response(&mut self, kind: PermitKind) {
        self.consecutive_failures = ConsecutiveFailures::default();
        if kind != PermitKind::Closed {
            self.open = None;
            self.recent_calls.clear();
        }
    }

    fn open_if_failing(&mut self, now: Instant) {
        if self.open.is_none()
            && (self.consecutive_failures.exceed_limit() || self.has_failed_half())
        {
            self.open_for(now, INITIAL_OPEN_DURATION);
        }
    }

    /// Whether half of the recent calls failed, all of one conversation taken as one call.
    fn has_failed_half(&self) -> bool {
        if self.recent_calls.len() < MIN_SAMPLE_CALLS {
            return false;
        }
        let outcomes = || self.recent_calls.iter().map(|(_, outcome)| *outcome);
        let count = |wanted: CallOutcome| outcomes().filter(|outcome| *outcome == wanted).count();
        let sources = outcomes().filter_map(|outcome| match outcome {
            CallOutcome::ErrorResponse(source) => Some(source),
            CallOutcome::Success | CallOutcome::NoResponse => None,
        });
        let failed = count(CallOutcome::NoResponse) + count_failed_conversations(sources);
        let calls = failed + count(CallOutcome::Success);
        calls >= MIN_SAMPLE_CALLS && failed * 2 >= calls
    }

    fn reopen(&mut self, now: Instant) {
        let duration = self.open.map_or(INITIAL_OPEN_DURATION, |open| open.duration * 2);
        self.open_for(now, duration.min(MAX_OPEN_DURATION));
    }

    fn open_for(&mut self, now: Instant, duration: Duration) {
        self.consecutive_failures = ConsecutiveFailures::default();
        self.open = Some(OpenState { until: now + duration, duration, is_probing: false });
    }
}

impl ConsecutiveFailures {
    fn add(&mut self, source: CallSource) {
        if self.sources.contains(&source) {
            return;
        }
        if self.sources.len() == MAX_TRACKED_SOURCES {
            self.sources.remove(0);
        }
        self.sources.push(source);
    }

    fn exceed_limit(&self) -> bool {
        let failed = count_failed_conversations(self.sources.iter().copied());
        self.no_response as usize + failed >= MAX_CONSECUTIVE_FAILURES as usize
    }
}

/// The number of distinct conversations; 0 if all are of one key.
fn count_failed_conversations(sources: impl Iterator<Item = CallSource>) -> usize {
    let (mut conversations, mut keys) = (HashSet::new(), HashSet::new());
    let mut has_keyless = false;
    for source in sources {
        conversations.insert(source.conversation);
        match source.key {
            Some(key) => _ = keys.insert(key),
            None => has_keyless = true,
        }
    }
    if has_keyless || keys.len() >= MIN_FAILED_KEYS { conversations.len() } else { 0 }
}

pub const MAX_CONSECUTIVE_FAILURES: u32 = 5;
pub const MIN_SAMPLE_CALLS: usize = 20;
/// Keys that must get error responses before these count.
pub const MIN_FAILED_KEYS: usize = 2;
pub const SAMPLE_WINDOW: Duration = Duration::from_secs(30);
pub const INITIAL_OPEN_DURATION: Duration = Duration::from_secs(10);
pub const MAX_OPEN_DURATION: Duration = Duration::from_mins(5);

/// Maximum calls in the sliding window.
const MAX_RECENT_CALLS: usize = 200;
/// Sources of error responses that are compared.
const MAX_TRACKED_SOURCES: usize = 64;
/// Wait for callers while a probe is in flight.
const PROBE_RETRY_AFTER: Duration = Duration::from_secs(1);
