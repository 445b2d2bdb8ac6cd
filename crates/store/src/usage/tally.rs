//! Collects usage that is not in the database yet, and the token counts of recent days per owner.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{
    DailyUsage, Day, MAX_MODELS_PER_DAY, OTHER_MODELS, UsageKey, UsageTotals, has_own_row,
};
use crate::id::unix_micros;

/// The usage of this process.
#[derive(Debug)]
pub(crate) struct UsageTally {
    inner: Mutex<Inner>,
    /// Identifies this run of the process in the table of batches.
    pub(crate) writer_id: [u8; 16],
}

#[derive(Debug, Default)]
struct Inner {
    unbatched: BTreeMap<UsageKey, UsageTotals>,
    /// The batch being written. A retry writes the same batch under the same number, so that a
    /// commit is not counted twice if its reply was lost.
    batch: Option<Arc<UsageBatch>>,
    last_batch_number: i64,
    owners: HashMap<String, OwnerUsage>,
    /// The totals of these owners are read from the database with every batch.
    watched_owners: Arc<Vec<String>>,
}

/// Usage that is written in one transaction.
#[derive(Debug)]
pub(crate) struct UsageBatch {
    pub(crate) number: i64,
    pub(crate) entries: BTreeMap<UsageKey, UsageTotals>,
}

/// What is known of an owner without the database.
#[derive(Debug, Default)]
struct OwnerUsage {
    /// The days that were changed last. A clock that jumps ahead and back finds the counts of its day
    /// again.
    days: Vec<DayTokens>,
    models: DayModels,
}

#[derive(Clone, Copy, Debug)]
struct DayTokens {
    day: Day,
    /// Tokens that the database has.
    stored: u64,
    /// Tokens that the database does not have yet.
    unstored: u64,
}

/// The models of a day that have a row of their own.
#[derive(Debug, Default)]
struct DayModels {
    day: Day,
    names: HashSet<String>,
}

impl UsageTally {
    pub(crate) fn new() -> Self {
        let mut writer_id = [0; 16];
        if aws_lc_rs::rand::fill(&mut writer_id).is_err() {
            writer_id[..8].copy_from_slice(&unix_micros().to_le_bytes());
            writer_id[8..12].copy_from_slice(&std::process::id().to_le_bytes());
        }
        Self { inner: Mutex::default(), writer_id }
    }

    pub(crate) fn add(&self, day: Day, owner: &str, model: &str, totals: &UsageTotals) {
        let totals = totals.clamped();
        let mut inner = self.lock();
        let model = inner.change_owner(owner, day, |usage| {
            usage.day(day).unstored += totals.total_tokens();
            usage.models.row_for_model(day, model).to_owned()
        });
        let key = UsageKey { day, owner: owner.to_owned(), model };
        *inner.unbatched.entry(key).or_default() += &totals;
    }

    pub(crate) fn tokens_used(&self, day: Day, owner: &str) -> u64 {
        let inner = self.lock();
        let usage = inner.owners.get(owner);
        let day_tokens = usage.and_then(|usage| usage.days.iter().find(|tokens| tokens.day == day));
        day_tokens.map_or(0, |day_tokens| day_tokens.stored + day_tokens.unstored)
    }

    /// Sets the owners for which totals are read from the database.
    pub(crate) fn watch_owners(&self, owners: Vec<String>) {
        self.lock().watched_owners = Arc::new(owners);
    }

    /// Returns the batch to be written and the watched owners. The batch stays the same until it is
    /// confirmed.
    pub(crate) fn next_batch(&self) -> (Option<Arc<UsageBatch>>, Arc<Vec<String>>) {
        let mut inner = self.lock();
        if inner.batch.is_none() && !inner.unbatched.is_empty() {
            let entries = std::mem::take(&mut inner.unbatched);
            inner.last_batch_number += 1;
            inner.batch = Some(Arc::new(UsageBatch { number: inner.last_batch_number, entries }));
        }
        (inner.batch.clone(), Arc::clone(&inner.watched_owners))
    }

    /// The batch is in the database; `totals` are the token counts there of the watched owners.
    pub(crate) fn confirm_batch(&self, day: Day, totals: HashMap<String, u64>) {
        let mut inner = self.lock();
        if let Some(batch) = inner.batch.take() {
            for (key, entry_totals) in &batch.entries {
                let tokens = entry_totals.total_tokens();
                inner.change_owner(&key.owner, key.day, |usage| {
                    let day_tokens = usage.day(key.day);
                    day_tokens.unstored = day_tokens.unstored.saturating_sub(tokens);
                    day_tokens.stored += tokens;
                });
            }
        }
        for (owner, tokens) in totals {
            inner.change_owner(&owner, day, |usage| usage.day(day).stored = tokens);
        }
    }

    pub(crate) fn has_unwritten_batch(&self) -> bool {
        self.lock().batch.is_some()
    }

    /// Returns the usage of these days for a store without a database, which never takes a batch.
    pub(crate) fn usage(&self, days: &RangeInclusive<Day>, owner: Option<&str>) -> Vec<DailyUsage> {
        let inner = self.lock();
        let matches = |key: &UsageKey| {
            days.contains(&key.day) && owner.is_none_or(|owner| owner == key.owner)
        };
        let entries = inner.unbatched.iter().filter(|(key, _)| matches(key));
        entries.map(|(key, totals)| DailyUsage::new(key, totals)).collect()
    }

    pub(crate) fn forget_before(&self, first: Day) {
        self.lock().unbatched.retain(|key, _| key.day >= first);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn change_owner<T>(
        &mut self,
        owner: &str,
        day: Day,
        change: impl FnOnce(&mut OwnerUsage) -> T,
    ) -> T {
        if let Some(usage) = self.owners.get_mut(owner) {
            return change(usage);
        }
        if self.owners.len() >= MAX_OWNERS {
            let is_recent = |tokens: &DayTokens| tokens.day.0.abs_diff(day.0) <= 1;
            self.owners.retain(|_, usage| usage.days.iter().any(is_recent));
        }
        change(self.owners.entry(owner.to_owned()).or_default())
    }
}

impl OwnerUsage {
    /// The counts of a day, which become the first; beyond [`MAX_DAYS`] those of the last one are
    /// dropped.
    fn day(&mut self, day: Day) -> &mut DayTokens {
        let days = &mut self.days;
        if let Some(at) = days.iter().position(|day_tokens| day_tokens.day == day) {
            days[..=at].rotate_right(1);
        } else {
            days.truncate(MAX_DAYS - 1);
            days.insert(0, DayTokens { day, stored: 0, unstored: 0 });
        }
        &mut days[0]
    }
}

impl DayModels {
    /// The model whose row is added to: clients choose the names, so one owner has a bounded number
    /// of rows a day.
    fn row_for_model<'m>(&mut self, day: Day, model: &'m str) -> &'m str {
        if self.day != day {
            *self = Self { day, names: HashSet::new() };
        }
        if self.names.contains(model) {
            return model;
        }
        if !has_own_row(model) || self.names.len() >= MAX_MODELS_PER_DAY {
            return OTHER_MODELS;
        }
        self.names.insert(model.to_owned());
        model
    }
}

impl DailyUsage {
    pub(crate) fn new(key: &UsageKey, totals: &UsageTotals) -> Self {
        let UsageKey { day, owner, model } = key.clone();
        Self { day, owner, model, totals: *totals }
    }
}

/// When this many owners are tracked, those without usage around the current day are removed.
pub(super) const MAX_OWNERS: usize = 10_000;
/// Days per owner.
const MAX_DAYS: usize = 4;
