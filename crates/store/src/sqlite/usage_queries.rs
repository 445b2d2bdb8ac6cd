//! SQL statements for usage.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use rusqlite::{Connection, Row, params, params_from_iter};

use super::shared_state::SharedState;
use crate::id;
use crate::session::RowCipher;
use crate::usage::{
    BATCH_RETENTION_MILLIS, DailyUsage, Day, USAGE_COLUMNS, UsageBatch, UsageKey, UsageRow,
    UsageTotals, decrypt_usage_key, merge_by_key,
};

type SqlResult<T> = rusqlite::Result<T>;

/// Adds a batch unless it was added before.
pub(super) fn add_batch(
    connection: &Connection,
    shared: &SharedState,
    batch: Option<&UsageBatch>,
) -> SqlResult<()> {
    let Some(batch) = batch else { return Ok(()) };
    let mut claim = connection.prepare_cached(
        "INSERT INTO batches (writer, number, at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE \
         SET number = excluded.number, at = excluded.at WHERE number < excluded.number",
    )?;
    if claim.execute(params![shared.usage.writer_id, batch.number, id::unix_millis()])? == 0 {
        return Ok(());
    }
    let row_cipher = RowCipher(shared.options.encryption_key.as_ref());
    let rows = UsageRow::from_batch(row_cipher, batch).map_err(|error| to_sql_error(&error))?;
    rows.iter().try_for_each(|row| upsert_row(connection, row_cipher, row))
}

fn upsert_row(connection: &Connection, row_cipher: RowCipher<'_>, row: &UsageRow) -> SqlResult<()> {
    let sums = USAGE_COLUMNS.map(|name| format!("{name} = {name} + excluded.{name}")).join(", ");
    let mut insert = connection.prepare_cached(&format!(
        "INSERT INTO usage (day, owner, model, lock, label, {}) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET {sums}",
        USAGE_COLUMNS.join(", ")
    ))?;
    let [requests, failures, input, cache_read, cache_write, output, reasoning] =
        row.totals.to_columns();
    let key_columns =
        (row.day.0, row.owner_index, row.model_index, row_cipher.key_id(), &row.names);
    insert.execute(params![
        key_columns.0,
        key_columns.1,
        key_columns.2,
        key_columns.3,
        key_columns.4,
        requests,
        failures,
        input,
        cache_read,
        cache_write,
        output,
        reasoning
    ])?;
    Ok(())
}

/// Tokens that these owners have used on a day, in all processes.
pub(super) fn owner_totals(
    connection: &Connection,
    shared: &SharedState,
    day: Day,
    owners: &[String],
) -> SqlResult<HashMap<String, u64>> {
    let mut select = connection.prepare_cached(
        "SELECT ifnull(sum(input + cache_read + cache_write + output + reasoning), 0) \
         FROM usage WHERE day = ? AND owner = ?",
    )?;
    let mut totals = HashMap::new();
    for owner in owners {
        let mut sum = 0;
        for row_cipher in RowCipher::candidates(shared.options.encryption_key.as_ref()) {
            let index = row_cipher.owner_index(owner);
            sum += select.query_row(params![day.0, index], |row| row.get::<_, i64>(0))?;
        }
        totals.insert(owner.clone(), u64::try_from(sum).unwrap_or_default());
    }
    Ok(totals)
}

pub(super) fn query_usage(
    connection: &Connection,
    shared: &SharedState,
    days: &RangeInclusive<Day>,
    owner: Option<&str>,
) -> SqlResult<Vec<DailyUsage>> {
    let secret = shared.options.encryption_key.as_ref();
    let owner_indexes: Vec<[u8; 16]> = owner
        .map(|owner| {
            RowCipher::candidates(secret).map(|row_cipher| row_cipher.owner_index(owner)).collect()
        })
        .unwrap_or_default();
    let owner_filter = if owner.is_some() {
        format!("AND owner IN ({})", vec!["?"; owner_indexes.len()].join(", "))
    } else {
        String::new()
    };
    let mut select = connection.prepare_cached(&format!(
        "SELECT day, owner, model, lock, label, {} FROM usage WHERE day BETWEEN {} AND {} {owner_filter}",
        USAGE_COLUMNS.join(", "),
        days.start().0,
        days.end().0
    ))?;
    let mut rows = select.query(params_from_iter(owner_indexes))?;
    let mut usage_rows = Vec::new();
    while let Some(row) = rows.next()? {
        usage_rows.extend(parse_row(row, shared)?);
    }
    Ok(merge_by_key(usage_rows))
}

/// Decodes a row; `None` if it cannot be read.
fn parse_row(row: &Row<'_>, shared: &SharedState) -> SqlResult<Option<(UsageKey, UsageTotals)>> {
    let (day, owner, model): (_, Vec<u8>, Vec<u8>) = (Day(row.get(0)?), row.get(1)?, row.get(2)?);
    let (key_id, names): (Vec<u8>, Vec<u8>) = (row.get(3)?, row.get(4)?);
    let mut counts = [0; USAGE_COLUMNS.len()];
    for (nth, count) in counts.iter_mut().enumerate() {
        *count = row.get(5 + nth)?;
    }
    let secret = shared.options.encryption_key.as_ref();
    let key =
        decrypt_usage_key((day, &owner, &model), (&key_id, &names), secret, &shared.health_tracker);
    Ok(key.map(|key| (key, UsageTotals::from_columns(counts))))
}

/// Deletes old days and encrypts unencrypted rows; returns the number of changed rows.
pub(super) fn prune(connection: &Connection, shared: &SharedState) -> SqlResult<usize> {
    let mut delete_expired = connection.prepare_cached("DELETE FROM usage WHERE day < ?")?;
    let deleted =
        delete_expired.execute([Day::oldest_stored(shared.options.retention.usage_age).0])?;
    let mut delete_batches = connection.prepare_cached("DELETE FROM batches WHERE at < ?")?;
    delete_batches.execute([id::unix_millis() - BATCH_RETENTION_MILLIS])?;
    let row_cipher = RowCipher(shared.options.encryption_key.as_ref());
    if row_cipher.0.is_none() {
        return Ok(deleted);
    }
    let mut select = connection.prepare_cached(&format!(
        "SELECT day, owner, model, lock, label, {} FROM usage WHERE lock = x''",
        USAGE_COLUMNS.join(", ")
    ))?;
    let mut rows = select.query([])?;
    let mut plaintext_rows = Vec::new();
    while let Some(row) = rows.next()? {
        plaintext_rows.extend(parse_row(row, shared)?);
    }
    connection.prepare_cached("DELETE FROM usage WHERE lock = x''")?.execute([])?;
    for (key, totals) in &plaintext_rows {
        let row = UsageRow::new(row_cipher, key, totals).map_err(|error| to_sql_error(&error))?;
        upsert_row(connection, row_cipher, &row)?;
    }
    Ok(deleted + plaintext_rows.len())
}

fn to_sql_error(error: &crate::error::StoreError) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(error.to_string().into())
}
