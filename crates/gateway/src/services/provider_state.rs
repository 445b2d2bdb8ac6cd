//! What is known of each provider: its circuit breaker, its retry budget, its rate limits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use interlingua_upstream::breaker::Breaker;
use interlingua_upstream::retry::RetryBudget;

use crate::services::rate_limited::RateLimitedModels;

/// By the name of the provider.
#[derive(Default)]
pub(crate) struct ProviderStates(Mutex<HashMap<String, Arc<ProviderState>>>);

#[derive(Default)]
pub(crate) struct ProviderState {
    pub(crate) breaker: Breaker,
    pub(crate) retry_budget: RetryBudget,
    pub(crate) rate_limited: RateLimitedModels,
}

impl ProviderStates {
    pub(crate) fn get(&self, provider: &str) -> Arc<ProviderState> {
        let mut states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(provider_state) = states.get(provider) {
            return Arc::clone(provider_state);
        }
        Arc::clone(states.entry(provider.to_owned()).or_default())
    }
}
