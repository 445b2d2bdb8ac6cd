//! Sums requests and tokens per owner, model and day, and shares load between nodes.

mod day;
mod row;
mod tally;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::{AddAssign, RangeInclusive};
use std::time::Duration;

pub use self::day::{Day, ParseDayError};
pub(crate) use self::row::{UsageRow, decrypt_usage_key, merge_by_key};
pub(crate) use self::tally::{UsageBatch, UsageTally};
use crate::BoxFuture;
use crate::session::SessionError;

/// Sums usage. All processes that use the store add to the same totals.
pub trait UsageStore: Send + Sync + fmt::Debug {
    /// Adds one request's usage to the totals of an owner, model and day. Returns immediately. The
    /// database has it about a second later, counted exactly once even if a commit is retried;
    /// usage that cannot be written waits in memory.
    fn add_usage(&self, day: Day, owner: &str, model: &str, totals: &UsageTotals);

    /// Returns the usage of these days, of one owner or all, sorted by day, owner and model.
    fn usage(
        &self,
        days: RangeInclusive<Day>,
        owner: Option<&str>,
    ) -> BoxFuture<'_, Result<Vec<DailyUsage>, SessionError>>;

    /// Returns the tokens that an owner has used on a day, as far as this process knows: its own
    /// usage, and other processes' as of the last [`UsageStore::sync_load`] with that owner.
    fn tokens_used(&self, day: Day, owner: &str) -> u64;

    /// Publishes this node's load of owners with limits, and returns the other nodes' load. When it
    /// returns, all pending usage is in the database and [`UsageStore::tokens_used`] includes other
    /// processes' usage. Stores of a single machine return no remote load.
    fn sync_load(
        &self,
        here: Vec<LocalLoad>,
    ) -> BoxFuture<'_, Result<Vec<RemoteLoad>, SessionError>>;
}

/// Counts of requests, failed requests and tokens, in buckets that do not overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsageTotals {
    pub requests: u64,
    pub failures: u64,
    /// Input tokens neither read from nor written to a cache.
    pub input: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    /// Output tokens without reasoning.
    pub output: u64,
    pub reasoning: u64,
}

/// The usage of one owner and model on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DailyUsage {
    pub day: Day,
    pub owner: String,
    pub model: String,
    pub totals: UsageTotals,
}

/// This node's load of an owner that has limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalLoad {
    pub owner: String,
    /// Requests in progress.
    pub running_requests: u32,
    /// Requests since the last sync.
    pub new_requests: u32,
    /// The time that one request takes of the rate limit: the emission interval of GCRA.
    pub request_interval: Duration,
    /// The owner has a daily token budget.
    pub has_token_budget: bool,
    /// The load changed since the last sync, or requests are in progress: it must be published.
    pub is_active: bool,
}

/// The load of an owner on other nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteLoad {
    pub owner: String,
    /// Requests in progress on other nodes.
    pub running_requests: u32,
    /// How far all nodes together, including this one, are ahead of the rate limit.
    pub rate_debt: Duration,
}

/// The key under which usage is summed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct UsageKey {
    pub(crate) day: Day,
    pub(crate) owner: String,
    pub(crate) model: String,
}

impl UsageTotals {
    pub fn total_tokens(&self) -> u64 {
        let buckets = [self.input, self.cache_read, self.cache_write, self.output, self.reasoning];
        buckets.into_iter().fold(0, u64::saturating_add)
    }

    /// The counts as database integers, in the order of [`USAGE_COLUMNS`].
    pub(crate) fn to_columns(self) -> [i64; 7] {
        let Self { requests, failures, input, cache_read, cache_write, output, reasoning } = self;
        [requests, failures, input, cache_read, cache_write, output, reasoning]
            .map(|count| i64::try_from(count).unwrap_or(i64::MAX))
    }

    pub(crate) fn from_columns(columns: [i64; 7]) -> Self {
        let [requests, failures, input, cache_read, cache_write, output, reasoning] =
            columns.map(|count| u64::try_from(count).unwrap_or_default());
        Self { requests, failures, input, cache_read, cache_write, output, reasoning }
    }

    /// Each count capped, so that no provider's numbers can overflow the sums.
    fn clamped(&self) -> Self {
        Self::from_columns(self.to_columns().map(|number| number.min(MAX_COUNT_PER_REQUEST)))
    }
}

impl AddAssign<&Self> for UsageTotals {
    fn add_assign(&mut self, more: &Self) {
        let (mut sum, more) = (self.to_columns(), more.to_columns());
        for (sum, more) in sum.iter_mut().zip(more) {
            *sum = sum.saturating_add(more);
        }
        *self = Self::from_columns(sum);
    }
}

/// Whether a model's usage is summed in a row of its own.
fn has_own_row(model: &str) -> bool {
    model.len() <= MAX_MODEL_BYTES
}

/// The row of models that have none of their own.
const OTHER_MODELS: &str = "*";
/// Maximum models of one owner and day with a row of their own.
const MAX_MODELS_PER_DAY: usize = 100;
/// Provider and model; version 0.1.0 stored longer ones.
const MAX_MODEL_BYTES: usize = 512;
/// The columns of [`UsageTotals::to_columns`].
pub(crate) const USAGE_COLUMNS: [&str; 7] =
    ["requests", "failures", "input", "cache_read", "cache_write", "output", "reasoning"];
/// Maximum of each count for one request.
const MAX_COUNT_PER_REQUEST: i64 = 1_000_000_000;
/// How long a database stores the number of a writer's last batch, for retries.
pub(crate) const BATCH_RETENTION_MILLIS: i64 = 7 * 24 * 60 * 60 * 1000;
