//! A sum as the bytes of a database: under the key if there is one, in places that say nothing.

use std::collections::BTreeMap;

use super::{Batch, Day, Line, Sums, Used};
use crate::health::{Pulse, Trouble};
use crate::pack;
use crate::secret::{Secret, place};
use crate::session::Lock;

/// What one owner has used of one model on one day.
pub(crate) struct UsageRow {
    pub(crate) day: Day,
    pub(crate) owner: [u8; 16],
    pub(crate) model: [u8; 16],
    /// Whose and of what it is.
    pub(crate) label: Vec<u8>,
    pub(crate) sums: Sums,
}

impl UsageRow {
    /// The rows of a batch. All nodes have them in one order, so that none waits for another that waits for it.
    pub(crate) fn of(lock: Lock<'_>, batch: &Batch) -> Result<Vec<Self>, Trouble> {
        let rows = batch.lines.iter().map(|(line, sums)| Self::new(lock, line, sums));
        let mut rows = rows.collect::<Result<Vec<_>, _>>()?;
        rows.sort_by_key(|row| (row.day, row.owner, row.model));
        Ok(rows)
    }

    pub(crate) fn new(lock: Lock<'_>, line: &Line, sums: &Sums) -> Result<Self, Trouble> {
        let (day, owner) = (line.day, lock.owner(&line.owner));
        let model = place(lock.0, &[b"model", line.model.as_bytes()]);
        let mut plain = Vec::new();
        pack::write(&mut plain, line.owner.as_bytes());
        pack::write(&mut plain, line.model.as_bytes());
        let label = lock.close(plain, &about(day, &owner, &model))?;
        Ok(Self { day, owner, model, label, sums: *sums })
    }
}

/// Whose and of what a row is, if it lies under our key or none and can be read.
pub(crate) fn line(
    (day, owner, model): (Day, &[u8], &[u8]),
    (lock, label): (&[u8], &[u8]),
    secret: Option<&Secret>,
    pulse: &Pulse,
) -> Option<Line> {
    let lock = Lock::named(lock, secret)?;
    let opened = lock.open(label, &about(day, owner, model));
    let read = opened.and_then(|plain| {
        let mut rest = &*plain;
        Some((pack::read(&mut rest)?, pack::read(&mut rest)?))
    });
    if read.is_none() {
        pulse.spoilt();
    }
    let (owner, model) = read?;
    Some(Line { day, owner, model })
}

/// Rows of the same under the key and under none are one.
pub(crate) fn gathered(rows: impl IntoIterator<Item = (Line, Sums)>) -> Vec<Used> {
    let mut lines: BTreeMap<Line, Sums> = BTreeMap::new();
    for (line, sums) in rows {
        *lines.entry(line).or_default() += &sums;
    }
    lines.iter().map(|(line, sums)| Used::of(line, sums)).collect()
}

fn about(day: Day, owner: &[u8], model: &[u8]) -> Vec<u8> {
    [b"u", &day.0.to_le_bytes()[..], owner, model].concat()
}
