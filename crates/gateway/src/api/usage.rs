//! `/api/usage`: the tokens and requests of some days, of all keys or of one.

use http::Response;
use interlingua::ApiError;
use interlingua_model::ApiErrorKind;
use interlingua_store::{DailyUsage, Day, UsageStore, UsageTotals};
use serde_json::{Value, json};

use crate::http_util::body::ResponseBody;
use crate::http_util::endpoint::Query;
use crate::http_util::error_response::{ErrorResponse, failure};
use crate::http_util::respond::json_response;
use crate::services::authentication::Caller;

/// An issued key sees only its own usage.
pub(crate) async fn handle(
    store: &dyn UsageStore,
    caller: Caller<'_>,
    query: &Query,
) -> Result<Response<ResponseBody>, ErrorResponse> {
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
    let daily_usage = store.usage(from..=to, key.as_deref()).await?;
    let rows: Vec<Value> = daily_usage.iter().map(usage_row).collect();
    Ok(json_response(json!({"usage": rows}).to_string()))
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
