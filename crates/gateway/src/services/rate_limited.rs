//! Remembers which models of a provider are rate limited until when, so that requests for them are
//! rejected without a call.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::client_name::ModelName;

/// The rate-limited models of one provider. A limit of one model does not affect others.
#[derive(Debug, Default)]
pub(crate) struct RateLimitedModels(Mutex<HashMap<ModelName, Instant>>);

impl RateLimitedModels {
    /// The provider has rejected a request and requested this wait.
    pub(crate) fn mark(&self, model: &ModelName, now: Instant, wait: Duration) {
        let Some(until) = now.checked_add(wait) else { return };
        let mut models = self.models();
        models.retain(|_, until| *until > now);
        if models.len() >= MAX_MODELS && !models.contains_key(model) {
            return;
        }
        let limited_until = models.entry(model.clone()).or_insert(until);
        *limited_until = until.max(*limited_until);
    }

    /// The remaining wait, if the model is rate limited.
    pub(crate) fn remaining(&self, model: &ModelName, now: Instant) -> Option<Duration> {
        let models = self.models();
        // The map is nearly always empty: do not hash the name.
        if models.is_empty() {
            return None;
        }
        let until = *models.get(model)?;
        until.checked_duration_since(now).filter(|wait| !wait.is_zero())
    }

    fn models(&self) -> MutexGuard<'_, HashMap<ModelName, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Further models are called, and rejected by the provider.
const MAX_MODELS: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn name(text: &str) -> ModelName {
        ModelName::parse(text).expect("a valid name")
    }

    #[test]
    fn a_rate_limit_lasts_for_its_wait_and_one_model() {
        let (models, now) = (RateLimitedModels::default(), Instant::now());
        models.mark(&name("large"), now, SECOND * 7);
        models.mark(&name("large"), now, SECOND * 2);
        assert_eq!(
            models.remaining(&name("large"), now + SECOND),
            Some(SECOND * 6),
            "the later end counts"
        );
        assert_eq!(models.remaining(&name("small"), now), None);
        assert_eq!(models.remaining(&name("large"), now + SECOND * 7), None);
        models.mark(&name("small"), now + SECOND * 8, SECOND);
        assert_eq!(models.models().len(), 1, "expired entries are removed");
    }
}
