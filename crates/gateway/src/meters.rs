//! What operators see of turns. Finding a counter by its labels costs more than counting: each thread does
//! it once for every provider.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use metrics::{Counter, Histogram, counter, histogram};

/// A turn that is over.
pub(crate) struct Over<'t> {
    pub(crate) dialect: &'static str,
    pub(crate) provider: &'t str,
    pub(crate) outcome: &'static str,
    pub(crate) took: Duration,
    /// Until something of the reply was sent, if it was sent as it came.
    pub(crate) first: Option<Duration>,
    /// By what they were used for.
    pub(crate) tokens: [(&'static str, u64); 5],
}

/// What is counted of one provider, as far as there was something to count.
#[derive(Default)]
struct Meters {
    requests: Vec<((&'static str, &'static str), Counter)>,
    seconds: Vec<(&'static str, Histogram)>,
    first: Option<Histogram>,
    tokens: Vec<(&'static str, Counter)>,
}

thread_local! {
    static METERS: RefCell<HashMap<String, Meters>> = RefCell::default();
}

impl Over<'_> {
    pub(crate) fn count(&self) {
        // Not on a thread that is ending.
        let _ = METERS.try_with(|all| {
            let mut all = all.borrow_mut();
            if !all.contains_key(self.provider) {
                all.insert(self.provider.to_owned(), Meters::default());
            }
            if let Some(meters) = all.get_mut(self.provider) {
                self.count_in(meters);
            }
        });
    }

    fn count_in(&self, meters: &mut Meters) {
        let (dialect, outcome) = (self.dialect, self.outcome);
        let provider = || self.provider.to_owned();
        let requests = || counter!("interlingua_requests_total", "dialect" => dialect, "provider" => provider(), "outcome" => outcome);
        known(&mut meters.requests, (dialect, outcome), requests).increment(1);
        let seconds = || histogram!("interlingua_request_seconds", "dialect" => dialect);
        known(&mut meters.seconds, dialect, seconds).record(self.took);
        if let Some(first) = self.first {
            let seconds =
                || histogram!("interlingua_first_token_seconds", "provider" => provider());
            meters.first.get_or_insert_with(seconds).record(first);
        }
        for (kind, tokens) in self.tokens.into_iter().filter(|(_, tokens)| *tokens > 0) {
            let of_kind =
                || counter!("interlingua_tokens_total", "provider" => provider(), "kind" => kind);
            known(&mut meters.tokens, kind, of_kind).increment(tokens);
        }
    }
}

/// One of a few, made when it is first asked for.
fn known<N: PartialEq, M>(all: &mut Vec<(N, M)>, name: N, make: impl FnOnce() -> M) -> &M {
    let at = all.iter().position(|(other, _)| *other == name).unwrap_or_else(|| {
        all.push((name, make()));
        all.len() - 1
    });
    &all[at].1
}
