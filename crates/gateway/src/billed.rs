//! What was used: each turn is added to the sums of its key, and `/api/usage` shows them.

use std::sync::Arc;
use std::time::SystemTime;

use interlingua::Failure;
use interlingua::model::{FailureKind, Usage};
use interlingua_store::{Accounts, Day, Keeper, Sums, Used};
use serde_json::{Value, json};

use crate::access::Shown;
use crate::config::SIMULATED;
use crate::endpoint::Query;
use crate::refusal::{Refusal, failure};
use crate::sessions::refused;

/// Who pays for a turn, and where that is written down.
pub(crate) struct Bill {
    owner: String,
    store: Arc<dyn Keeper>,
}

impl Bill {
    pub(crate) fn of(owner: &str, store: &Arc<dyn Keeper>) -> Self {
        Self { owner: owner.to_owned(), store: Arc::clone(store) }
    }

    /// The turn is over. One that nobody was asked for costs nothing.
    pub(crate) fn add(
        self,
        now: SystemTime,
        provider: &str,
        model: &str,
        usage: &Usage,
        failed: Option<FailureKind>,
    ) {
        if provider.is_empty() {
            return;
        }
        let sums = Sums {
            requests: 1,
            failures: u64::from(failed.is_some()),
            input: usage.input.unwrap_or_default() + usage.tool_input.unwrap_or_default(),
            cache_read: usage.cache_read.unwrap_or_default(),
            cache_write: usage.cache_write.unwrap_or_default(),
            output: usage.output.unwrap_or_default(),
            reasoning: usage.reasoning.unwrap_or_default(),
        };
        // Names that no provider knows are not worth a sum each.
        let model = if failed == Some(FailureKind::NotFound) { "*" } else { model };
        // What is built in has its provider in its name.
        let of_it =
            if provider == SIMULATED { model.to_owned() } else { [provider, "/", model].concat() };
        self.store.add(Day::of(now), &self.owner, &of_it, &sums);
    }
}

/// What was used on the days that are asked for, by all keys or by one. Of others than itself a key that was
/// made here is told nothing.
pub(crate) async fn shown(
    store: &dyn Accounts,
    shown: Shown<'_>,
    query: &Query,
) -> Result<Value, Refusal> {
    let mut whose = query.value("key");
    if shown.is_made {
        let own = whose.get_or_insert_with(|| shown.owner().to_owned());
        if own != shown.owner() {
            let message = "this key may see what it has used itself, and nothing else";
            let refused = Failure { status: 403, ..failure(FailureKind::Permission, message) };
            return Err(refused.into());
        }
    }
    let day = |name: &str| {
        let text = query.value(name);
        let day = text.map(|text| text.parse::<Day>()).transpose();
        day.map_err(|no| failure(FailureKind::Shape, &format!("`{name}`: {no}")))
    };
    let to = day("to")?.unwrap_or_else(Day::today);
    let from = day("from")?.unwrap_or_else(|| to.before(USUAL));
    let used = store.usage(from..=to, whose.as_deref()).await;
    let used = used.map_err(|error| refused(&error))?;
    Ok(json!({"usage": used.iter().map(row).collect::<Vec<_>>()}))
}

fn row(used: &Used) -> Value {
    let Sums { requests, failures, input, cache_read, cache_write, output, reasoning } = used.sums;
    json!({
        "day": used.day.to_string(), "key": used.owner, "model": used.model,
        "requests": requests, "failures": failures, "input": input, "cache_read": cache_read,
        "cache_write": cache_write, "output": output, "reasoning": reasoning,
    })
}

/// Days before the last one that are shown, if nobody says which.
const USUAL: u32 = 30;
