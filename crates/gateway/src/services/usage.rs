//! Adds the tokens of each turn to the usage of its key.

use std::sync::Arc;
use std::time::SystemTime;

use interlingua_model::{ApiErrorKind, Usage};
use interlingua_store::{Day, Store, UsageTotals};

use crate::client_name::ModelName;
use crate::config::BUILTIN_PROVIDER;

/// The key and the store to which one turn's tokens are added.
pub(crate) struct UsageRecord {
    owner: String,
    store: Arc<dyn Store>,
}

impl UsageRecord {
    pub(crate) fn new(owner: &str, store: &Arc<dyn Store>) -> Self {
        Self { owner: owner.to_owned(), store: Arc::clone(store) }
    }

    /// Adds a finished turn. A turn that reached no provider is not counted.
    pub(crate) fn add(
        self,
        now: SystemTime,
        provider: &str,
        model: &ModelName,
        usage: &Usage,
        failure: Option<ApiErrorKind>,
    ) {
        if provider.is_empty() {
            return;
        }
        let totals = UsageTotals {
            requests: 1,
            failures: u64::from(failure.is_some()),
            input: usage.input.unwrap_or_default() + usage.tool_input.unwrap_or_default(),
            cache_read: usage.cache_read.unwrap_or_default(),
            cache_write: usage.cache_write.unwrap_or_default(),
            output: usage.output.unwrap_or_default(),
            reasoning: usage.reasoning.unwrap_or_default(),
        };
        // Clients can send any model name; unknown ones share one row so that they cannot fill the
        // table.
        let model = if failure == Some(ApiErrorKind::NotFound) { "*" } else { &**model };
        // Names of built-in models already start with the provider's name.
        let qualified_model = if provider == BUILTIN_PROVIDER {
            model.to_owned()
        } else {
            [provider, "/", model].concat()
        };
        self.store.add_usage(Day::from_time(now), &self.owner, &qualified_model, &totals);
    }
}
