//! What was used and is not in a database yet; and how much of a day's budget is gone.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Day, Line, Sums, Used};
use crate::id::micros;

/// What this process has used.
#[derive(Debug)]
pub(crate) struct Tally {
    inside: Mutex<Inside>,
    /// Who writes: no other process, nor this one after it was started anew.
    pub(crate) writer: [u8; 16],
}

#[derive(Debug, Default)]
struct Inside {
    fresh: BTreeMap<Line, Sums>,
    /// What is being written, as it was first tried: if nobody knows whether it was written, it is told by its
    /// number.
    batch: Option<Arc<Batch>>,
    number: i64,
    today: HashMap<String, Today>,
    /// Owners of whom others are to be known, too.
    watched: Arc<Vec<String>>,
}

/// What is written together.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) number: i64,
    pub(crate) lines: BTreeMap<Line, Sums>,
}

/// Tokens of an owner on one day.
#[derive(Clone, Copy, Debug)]
struct Today {
    day: Day,
    /// As they were read from the database.
    stored: u64,
    /// Those that it does not have yet.
    loose: u64,
}

impl Tally {
    pub(crate) fn new() -> Self {
        let mut writer = [0; 16];
        if aws_lc_rs::rand::fill(&mut writer).is_err() {
            writer[..8].copy_from_slice(&micros().to_le_bytes());
            writer[8..12].copy_from_slice(&std::process::id().to_le_bytes());
        }
        Self { inside: Mutex::default(), writer }
    }

    pub(crate) fn add(&self, day: Day, owner: &str, model: &str, sums: &Sums) {
        let sums = sums.sane();
        let mut inside = self.inside();
        inside.day_of(owner, day, |today| today.loose += sums.tokens());
        let line = Line { day, owner: owner.to_owned(), model: model.to_owned() };
        *inside.fresh.entry(line).or_default() += &sums;
    }

    pub(crate) fn spent(&self, day: Day, owner: &str) -> u64 {
        let inside = self.inside();
        let today = inside.today.get(owner).filter(|today| today.day == day);
        today.map_or(0, |today| today.stored + today.loose)
    }

    /// From now on others are known of these.
    pub(crate) fn watch(&self, owners: Vec<String>) {
        self.inside().watched = Arc::new(owners);
    }

    /// What is to be written, and of whom is to be read what all have used. Until it is settled it stays the same.
    pub(crate) fn turn(&self) -> (Option<Arc<Batch>>, Arc<Vec<String>>) {
        let mut inside = self.inside();
        if inside.batch.is_none() && !inside.fresh.is_empty() {
            let lines = std::mem::take(&mut inside.fresh);
            inside.number += 1;
            inside.batch = Some(Arc::new(Batch { number: inside.number, lines }));
        }
        (inside.batch.clone(), Arc::clone(&inside.watched))
    }

    /// The batch is in the database, and these are the sums of tokens there of who is watched.
    pub(crate) fn settle(&self, day: Day, totals: HashMap<String, u64>) {
        let mut inside = self.inside();
        if let Some(batch) = inside.batch.take() {
            for (line, sums) in &batch.lines {
                let tokens = sums.tokens();
                inside.day_of(&line.owner, line.day, |today| {
                    today.loose = today.loose.saturating_sub(tokens);
                    today.stored += tokens;
                });
            }
        }
        for (owner, tokens) in totals {
            inside.day_of(&owner, day, |today| today.stored = tokens);
        }
    }

    /// Something could not be written.
    pub(crate) fn is_stuck(&self) -> bool {
        self.inside().batch.is_some()
    }

    /// Where there is no database, everything stays here: what of it is of these days.
    pub(crate) fn here(&self, days: &RangeInclusive<Day>, owner: Option<&str>) -> Vec<Used> {
        let inside = self.inside();
        let meant =
            |line: &Line| days.contains(&line.day) && owner.is_none_or(|owner| owner == line.owner);
        let found = inside.fresh.iter().filter(|(line, _)| meant(line));
        found.map(|(line, sums)| Used::of(line, sums)).collect()
    }

    /// Forgets what is older than this day.
    pub(crate) fn forget(&self, first: Day) {
        self.inside().fresh.retain(|line, _| line.day >= first);
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inside {
    /// What an owner has used on a day; of days that are over nothing is known.
    fn day_of(&mut self, owner: &str, day: Day, change: impl FnOnce(&mut Today)) {
        let new = Today { day, stored: 0, loose: 0 };
        match self.today.get_mut(owner) {
            Some(today) if today.day > day => {}
            Some(today) => {
                if today.day < day {
                    *today = new;
                }
                change(today);
            }
            None => {
                if self.today.len() >= MOST {
                    self.today.retain(|_, today| today.day >= day);
                }
                change(self.today.entry(owner.to_owned()).or_insert(new));
            }
        }
    }
}

impl Used {
    pub(crate) fn of(line: &Line, sums: &Sums) -> Self {
        let Line { day, owner, model } = line.clone();
        Self { day, owner, model, sums: *sums }
    }
}

/// Owners that are known at once; beyond them, those of days that are over are forgotten.
const MOST: usize = 10_000;
