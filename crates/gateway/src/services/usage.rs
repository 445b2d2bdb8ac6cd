//! Adds the tokens of each turn to the usage of its key, and serves `/api/usage`.

use std::sync::Arc;
use std::time::SystemTime;

use interlingua::ApiError;
use interlingua_model::{ApiErrorKind, Usage};
use interlingua_store::{DailyUsage, Day, Store, UsageStore, UsageTotals};
use serde_json::{Value, json};

use crate::api::sessions::session_error;
use crate::client_name::ModelName;
use crate::config::BUILTIN_PROVIDER;
use crate::http_util::access::Caller;
use crate::http_util::endpoint::Query;
use crate::http_util::error_response::{ErrorResponse, failure};

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

/// Handles `/api/usage`: the usage of some days, of all keys or of one. An issued key sees only its
/// own usage.
pub(crate) async fn query_usage(
    store: &dyn UsageStore,
    caller: Caller<'_>,
    query: &Query,
) -> Result<Value, ErrorResponse> {
    let mut key = query.get("key");
    if caller.is_issued {
        let requested = key.get_or_insert_with(|| caller.owner().to_owned());
        if requested != caller.owner() {
            let message = "this key may read only its own usage";
            let error = ApiError { status: 403, ..failure(ApiErrorKind::Permission, message) };
            return Err(error.into());
        }
    }
    let day = |name: &str| {
        let text = query.get(name);
        let day = text.map(|text| text.parse::<Day>()).transpose();
        day.map_err(|error| failure(ApiErrorKind::InvalidRequest, &format!("`{name}`: {error}")))
    };
    let to = day("to")?.unwrap_or_else(Day::today);
    let from = day("from")?.unwrap_or_else(|| to.minus_days(DEFAULT_DAYS));
    let daily_usage = store.usage(from..=to, key.as_deref()).await;
    let daily_usage = daily_usage.map_err(|error| session_error(&error))?;
    Ok(json!({"usage": daily_usage.iter().map(usage_row).collect::<Vec<_>>()}))
}

fn usage_row(daily_usage: &DailyUsage) -> Value {
    let UsageTotals { requests, failures, input, cache_read, cache_write, output, reasoning } =
        daily_usage.totals;
    json!({
        "day": daily_usage.day.to_string(), "key": daily_usage.owner, "model": daily_usage.model,
        "requests": requests, "failures": failures, "input": input, "cache_read": cache_read,
        "cache_write": cache_write, "output": output, "reasoning": reasoning,
    })
}

/// Days before the last one that are shown by default.
const DEFAULT_DAYS: u32 = 30;
