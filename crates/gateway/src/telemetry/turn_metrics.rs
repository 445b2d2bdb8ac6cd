//! Records Prometheus metrics of finished turns.
//!
//! Looking up a counter by its labels costs more than incrementing it, so each thread caches the
//! handles per provider.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use metrics::{Counter, Histogram, counter, histogram};

pub(crate) struct FinishedTurn<'t> {
    pub(crate) dialect: &'static str,
    pub(crate) provider: &'t str,
    pub(crate) outcome: &'static str,
    pub(crate) duration: Duration,
    /// Time until the first content was sent; streams only.
    pub(crate) time_to_first_token: Option<Duration>,
    /// Token counts by kind.
    pub(crate) tokens: [(&'static str, u64); 5],
}

/// Cached metric handles of one provider.
#[derive(Default)]
struct ProviderMetrics {
    requests: Vec<((&'static str, &'static str), Counter)>,
    durations: Vec<(&'static str, Histogram)>,
    time_to_first_token: Option<Histogram>,
    tokens: Vec<(&'static str, Counter)>,
}

thread_local! {
    static PROVIDER_METRICS: RefCell<HashMap<String, ProviderMetrics>> = RefCell::default();
}

impl FinishedTurn<'_> {
    pub(crate) fn record(&self) {
        // An error means that the thread is shutting down: the metric is lost.
        let _ = PROVIDER_METRICS.try_with(|map| {
            let mut map = map.borrow_mut();
            if !map.contains_key(self.provider) {
                map.insert(self.provider.to_owned(), ProviderMetrics::default());
            }
            if let Some(metrics) = map.get_mut(self.provider) {
                self.record_in(metrics);
            }
        });
    }

    fn record_in(&self, metrics: &mut ProviderMetrics) {
        let (dialect, outcome) = (self.dialect, self.outcome);
        let provider = || self.provider.to_owned();
        let requests = || counter!("interlingua_requests_total", "dialect" => dialect, "provider" => provider(), "outcome" => outcome);
        get_or_insert(&mut metrics.requests, (dialect, outcome), requests).increment(1);
        let seconds = || histogram!("interlingua_request_seconds", "dialect" => dialect);
        get_or_insert(&mut metrics.durations, dialect, seconds).record(self.duration);
        if let Some(first) = self.time_to_first_token {
            let seconds =
                || histogram!("interlingua_first_token_seconds", "provider" => provider());
            metrics.time_to_first_token.get_or_insert_with(seconds).record(first);
        }
        for (kind, tokens) in self.tokens.into_iter().filter(|(_, tokens)| *tokens > 0) {
            let new_counter =
                || counter!("interlingua_tokens_total", "provider" => provider(), "kind" => kind);
            get_or_insert(&mut metrics.tokens, kind, new_counter).increment(tokens);
        }
    }
}

/// Looks up a handle among a few, or creates it.
fn get_or_insert<N: PartialEq, M>(
    handles: &mut Vec<(N, M)>,
    name: N,
    make: impl FnOnce() -> M,
) -> &M {
    let at = handles.iter().position(|(other, _)| *other == name).unwrap_or_else(|| {
        handles.push((name, make()));
        handles.len() - 1
    });
    &handles[at].1
}
