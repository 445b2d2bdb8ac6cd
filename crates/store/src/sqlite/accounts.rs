//! What was used, in a file: the writer adds it up once a second, and questions go to a reader.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use rusqlite::{Connection, Row, params, params_from_iter};

use super::{Shared, Sqlite};
use crate::BoxFuture;
use crate::account::{
    Accounts, Batch, COLUMNS, Day, Elsewhere, Line, Share, Sums, UsageRow, Used, gathered, line,
};
use crate::id;
use crate::session::{Lock, SessionError};

type Result<T> = rusqlite::Result<T>;

impl Accounts for Sqlite {
    fn add(&self, day: Day, owner: &str, model: &str, sums: &Sums) {
        self.shared.tally.add(day, owner, model, sums);
    }

    fn usage(
        &self,
        days: RangeInclusive<Day>,
        owner: Option<&str>,
    ) -> BoxFuture<'_, std::result::Result<Vec<Used>, SessionError>> {
        let (owner, added) = (owner.map(str::to_owned), self.shared.account(None));
        Box::pin(async move {
            // What cannot be written now is not in it; the store's health says so.
            let _ = added.await;
            self.ask(move |connection, shared| {
                usage(connection, shared, &days, owner.as_deref()).map(Ok)
            })
            .await
        })
    }

    fn spent(&self, day: Day, owner: &str) -> u64 {
        self.shared.tally.spent(day, owner)
    }

    fn exchange(
        &self,
        here: Vec<Share>,
    ) -> BoxFuture<'_, std::result::Result<Vec<Elsewhere>, SessionError>> {
        let added = self.shared.account(Some(&here));
        Box::pin(async move { added.await.map(|()| Vec::new()) })
    }
}

/// Adds a batch to what is there, unless that was done.
pub(super) fn add(connection: &Connection, shared: &Shared, batch: Option<&Batch>) -> Result<()> {
    let Some(batch) = batch else { return Ok(()) };
    let mut once = connection.prepare_cached(
        "INSERT INTO batches (writer, number, at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE \
         SET number = excluded.number, at = excluded.at WHERE number < excluded.number",
    )?;
    if once.execute(params![shared.tally.writer, batch.number, id::now()])? == 0 {
        return Ok(());
    }
    let lock = Lock(shared.options.secret.as_ref());
    let rows = UsageRow::of(lock, batch).map_err(|trouble| unwritable(&trouble))?;
    rows.iter().try_for_each(|row| insert(connection, lock, row))
}

fn insert(connection: &Connection, lock: Lock<'_>, row: &UsageRow) -> Result<()> {
    let sums = COLUMNS.map(|name| format!("{name} = {name} + excluded.{name}")).join(", ");
    let mut insert = connection.prepare_cached(&format!(
        "INSERT INTO usage (day, owner, model, lock, label, {}) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET {sums}",
        COLUMNS.join(", ")
    ))?;
    let [requests, failures, input, read, written, output, reasoning] = row.sums.numbers();
    let place = (row.day.0, row.owner, row.model, lock.name(), &row.label);
    insert.execute(params![
        place.0, place.1, place.2, place.3, place.4, requests, failures, input, read, written,
        output, reasoning
    ])?;
    Ok(())
}

/// Tokens that these owners have used on a day, whoever added them.
pub(super) fn totals(
    connection: &Connection,
    shared: &Shared,
    day: Day,
    owners: &[String],
) -> Result<HashMap<String, u64>> {
    let mut select = connection.prepare_cached(
        "SELECT ifnull(sum(input + cache_read + cache_write + output + reasoning), 0) \
         FROM usage WHERE day = ? AND owner = ?",
    )?;
    let mut totals = HashMap::new();
    for owner in owners {
        let mut sum = 0;
        for lock in Lock::all(shared.options.secret.as_ref()) {
            let place = lock.owner(owner);
            sum += select.query_row(params![day.0, place], |row| row.get::<_, i64>(0))?;
        }
        totals.insert(owner.clone(), u64::try_from(sum).unwrap_or_default());
    }
    Ok(totals)
}

fn usage(
    connection: &Connection,
    shared: &Shared,
    days: &RangeInclusive<Day>,
    owner: Option<&str>,
) -> Result<Vec<Used>> {
    let secret = shared.options.secret.as_ref();
    let places: Vec<[u8; 16]> = owner
        .map(|owner| Lock::all(secret).map(|lock| lock.owner(owner)).collect())
        .unwrap_or_default();
    let whose = if owner.is_some() {
        format!("AND owner IN ({})", vec!["?"; places.len()].join(", "))
    } else {
        String::new()
    };
    let mut select = connection.prepare_cached(&format!(
        "SELECT day, owner, model, lock, label, {} FROM usage WHERE day BETWEEN {} AND {} {whose}",
        COLUMNS.join(", "),
        days.start().0,
        days.end().0
    ))?;
    let mut rows = select.query(params_from_iter(places))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.extend(read(row, shared)?);
    }
    Ok(gathered(found))
}

/// A row, if it can be read.
fn read(row: &Row<'_>, shared: &Shared) -> Result<Option<(Line, Sums)>> {
    let (day, owner, model): (_, Vec<u8>, Vec<u8>) = (Day(row.get(0)?), row.get(1)?, row.get(2)?);
    let (lock, label): (Vec<u8>, Vec<u8>) = (row.get(3)?, row.get(4)?);
    let mut numbers = [0; COLUMNS.len()];
    for (nth, number) in numbers.iter_mut().enumerate() {
        *number = row.get(5 + nth)?;
    }
    let secret = shared.options.secret.as_ref();
    let line = line((day, &owner, &model), (&lock, &label), secret, &shared.pulse);
    Ok(line.map(|line| (line, Sums::of(numbers))))
}

/// Forgets days that are too old, and puts what is older than the key under it. Says how many rows went.
pub(super) fn tidy(connection: &Connection, shared: &Shared) -> Result<usize> {
    let mut old = connection.prepare_cached("DELETE FROM usage WHERE day < ?")?;
    let gone = old.execute([shared.options.retention.first_day().0])?;
    let mut silent = connection.prepare_cached("DELETE FROM batches WHERE at < ?")?;
    silent.execute([id::now() - SILENT])?;
    let lock = Lock(shared.options.secret.as_ref());
    if lock.0.is_none() {
        return Ok(gone);
    }
    let mut select = connection.prepare_cached(&format!(
        "SELECT day, owner, model, lock, label, {} FROM usage WHERE lock = x''",
        COLUMNS.join(", ")
    ))?;
    let mut rows = select.query([])?;
    let mut open = Vec::new();
    while let Some(row) = rows.next()? {
        open.extend(read(row, shared)?);
    }
    connection.prepare_cached("DELETE FROM usage WHERE lock = x''")?.execute([])?;
    for (line, sums) in &open {
        let row = UsageRow::new(lock, line, sums).map_err(|trouble| unwritable(&trouble))?;
        insert(connection, lock, &row)?;
    }
    Ok(gone + open.len())
}

fn unwritable(trouble: &crate::health::Trouble) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(trouble.to_string().into())
}

/// Milliseconds after which nobody asks any more whether a batch was written.
const SILENT: i64 = 7 * 24 * 60 * 60 * 1000;
