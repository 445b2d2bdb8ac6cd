//! A provider that fails again and again is left alone for a while.
//!
//! Closed lets everything pass. It opens after [`IN_A_ROW`] failures in a row, or when at least half
//! of [`SAMPLE`] calls or more within [`WINDOW`] failed. Open lets nothing pass for [`FIRST_REST`];
//! then one call may try (half-open). If it succeeds, all is well; if it fails, the rest doubles, up
//! to [`LONGEST_REST`]. Being limited (429) is no failure.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The breaker of one provider and key. Clones are the same breaker.
#[derive(Clone, Debug, Default)]
pub struct Breaker {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    in_a_row: u32,
    /// The newest calls: when, and whether they failed.
    recent: VecDeque<(Instant, bool)>,
    open: Option<Open>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    until: Instant,
    rest: Duration,
    /// A call is on its way to try.
    trying: bool,
}

/// How a breaker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Closed,
    Open,
    HalfOpen,
}

/// Leave to call. Say how it went; dropped without a word, it counts as nothing.
#[derive(Debug)]
pub struct Pass {
    breaker: Breaker,
    trying: bool,
}

impl Breaker {
    pub fn new() -> Self {
        Self::default()
    }

    /// Leave to call now, or how long until it makes sense to ask again.
    pub fn admit(&self, now: Instant) -> Result<Pass, Duration> {
        let mut state = self.state();
        let Some(open) = &mut state.open else { return Ok(self.pass(false)) };
        let wait = open.until.saturating_duration_since(now);
        if !wait.is_zero() {
            return Err(wait);
        }
        if open.trying {
            return Err(MOMENT);
        }
        open.trying = true;
        Ok(self.pass(true))
    }

    pub fn standing(&self, now: Instant) -> Standing {
        match self.state().open {
            None => Standing::Closed,
            Some(open) if now < open.until => Standing::Open,
            Some(_) => Standing::HalfOpen,
        }
    }

    fn pass(&self, trying: bool) -> Pass {
        Pass { breaker: self.clone(), trying }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pass {
    pub fn succeeded(mut self, now: Instant) {
        let mut state = self.breaker.state();
        state.in_a_row = 0;
        state.count(now, false);
        if std::mem::take(&mut self.trying) {
            state.open = None;
            state.recent.clear();
        }
    }

    pub fn failed(mut self, now: Instant) {
        let mut state = self.breaker.state();
        state.in_a_row += 1;
        state.count(now, true);
        if std::mem::take(&mut self.trying) {
            let rest = state.open.map_or(FIRST_REST, |open| (open.rest * 2).min(LONGEST_REST));
            state.open(now, rest);
        } else if state.open.is_none() && state.is_too_much() {
            state.open(now, FIRST_REST);
        }
    }

    /// The provider is well, and has no room for more at the moment.
    pub fn limited(mut self) {
        let mut state = self.breaker.state();
        state.in_a_row = 0;
        if std::mem::take(&mut self.trying) {
            state.open = None;
            state.recent.clear();
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if self.trying
            && let Some(open) = &mut self.breaker.state().open
        {
            open.trying = false;
        }
    }
}

impl State {
    fn count(&mut self, now: Instant, failed: bool) {
        self.recent.push_back((now, failed));
        while self.recent.len() > MOST
            || self
                .recent
                .front()
                .is_some_and(|(at, _)| now.saturating_duration_since(*at) > WINDOW)
        {
            self.recent.pop_front();
        }
    }

    fn is_too_much(&self) -> bool {
        let failed = self.recent.iter().filter(|(_, failed)| *failed).count();
        self.in_a_row >= IN_A_ROW || self.recent.len() >= SAMPLE && failed * 2 >= self.recent.len()
    }

    fn open(&mut self, now: Instant, rest: Duration) {
        self.open = Some(Open { until: now + rest, rest, trying: false });
    }
}

pub const IN_A_ROW: u32 = 5;
pub const SAMPLE: usize = 20;
pub const WINDOW: Duration = Duration::from_secs(30);
pub const FIRST_REST: Duration = Duration::from_secs(10);
pub const LONGEST_REST: Duration = Duration::from_mins(5);

/// How many calls are remembered at most.
const MOST: usize = 200;
/// How long to wait for a call that tries.
const MOMENT: Duration = Duration::from_secs(1);
