//! What each owner has used, day by day and model by model; and what nodes tell each other of it.

mod day;
mod row;
mod tally;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::{AddAssign, RangeInclusive};
use std::time::Duration;

pub use self::day::{Day, NoDay};
pub(crate) use self::row::{UsageRow, gathered, line};
pub(crate) use self::tally::{Batch, Tally};
use crate::BoxFuture;
use crate::session::SessionError;

/// Where it is added up what was used. All processes that have the store add to the same sums.
pub trait Accounts: Send + Sync + fmt::Debug {
    /// Adds to what an owner has used of a model on a day. Returns at once. It is in the database about a
    /// second later, and counts there once, whatever happens in between; what cannot be written waits.
    fn add(&self, day: Day, owner: &str, model: &str, sums: &Sums);

    /// What was used on these days by this owner, or by all: by day, owner and model, in this order.
    fn usage(
        &self,
        days: RangeInclusive<Day>,
        owner: Option<&str>,
    ) -> BoxFuture<'_, Result<Vec<Used>, SessionError>>;

    /// How many tokens this owner has used on this day, as far as it is known here: whatever was added here,
    /// and what others have added to those whose budget [`Accounts::exchange`] was last asked about.
    fn spent(&self, day: Day, owner: &str) -> u64;

    /// Says what happens here with owners that have limits, and gives what happens elsewhere. Everything that
    /// was added is in the database afterwards, and [`Accounts::spent`] knows what is there. Where no other
    /// machine writes to the store, nothing happens elsewhere.
    fn exchange(&self, here: Vec<Share>) -> BoxFuture<'_, Result<Vec<Elsewhere>, SessionError>>;
}

/// What was used: requests, those of them that failed, and tokens in buckets that do not overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub requests: u64,
    pub failures: u64,
    /// Read anew, neither from a cache nor into one.
    pub input: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    /// Said, without what was thought.
    pub output: u64,
    pub reasoning: u64,
}

/// What was used by one owner of one model on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    pub day: Day,
    pub owner: String,
    pub model: String,
    pub sums: Sums,
}

/// What happens here with an owner that has limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    pub owner: String,
    /// Requests that are being answered.
    pub running: u32,
    /// Requests that came since the last exchange.
    pub asked: u32,
    /// The time that each of them takes from what the owner may ask.
    pub each: Duration,
    /// It matters how many tokens all have used.
    pub is_budgeted: bool,
    /// Something has happened since then, or is happening: others are to be told.
    pub is_busy: bool,
}

/// What happens elsewhere with an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    pub owner: String,
    /// Requests that other nodes are answering.
    pub running: u32,
    /// How far all nodes together, this one too, are ahead of the time that requests may take.
    pub ahead: Duration,
}

/// What is summed up together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Line {
    pub(crate) day: Day,
    pub(crate) owner: String,
    pub(crate) model: String,
}

impl Sums {
    /// All tokens.
    pub fn tokens(&self) -> u64 {
        let buckets = [self.input, self.cache_read, self.cache_write, self.output, self.reasoning];
        buckets.into_iter().fold(0, u64::saturating_add)
    }

    /// As databases have them, in the order of [`COLUMNS`].
    pub(crate) fn numbers(&self) -> [i64; 7] {
        let Self { requests, failures, input, cache_read, cache_write, output, reasoning } = *self;
        [requests, failures, input, cache_read, cache_write, output, reasoning]
            .map(|number| i64::try_from(number).unwrap_or(i64::MAX))
    }

    pub(crate) fn of(numbers: [i64; 7]) -> Self {
        let [requests, failures, input, cache_read, cache_write, output, reasoning] =
            numbers.map(|number| u64::try_from(number).unwrap_or_default());
        Self { requests, failures, input, cache_read, cache_write, output, reasoning }
    }

    /// None of them larger than any turn is: whatever a provider says, sums do not overflow.
    fn sane(&self) -> Self {
        Self::of(self.numbers().map(|number| number.min(LARGEST)))
    }
}

impl AddAssign<&Self> for Sums {
    fn add_assign(&mut self, more: &Self) {
        let (mut sum, more) = (self.numbers(), more.numbers());
        for (sum, more) in sum.iter_mut().zip(more) {
            *sum = sum.saturating_add(more);
        }
        *self = Self::of(sum);
    }
}

/// The names of [`Sums::numbers`].
pub(crate) const COLUMNS: [&str; 7] =
    ["requests", "failures", "input", "cache_read", "cache_write", "output", "reasoning"];
/// Tokens of one turn, at the most.
const LARGEST: i64 = 1_000_000_000;
