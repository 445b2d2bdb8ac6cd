//! SQL statements for usage, and for the load that nodes share through two tables.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use deadpool_postgres::Transaction;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use super::pool::PooledConnection;
use super::query_error::QueryError;
use super::shared_state::SharedState;
use crate::id;
use crate::session::RowCipher;
use crate::usage::{
    BATCH_RETENTION_MILLIS, DailyUsage, Day, LocalLoad, RemoteLoad, USAGE_COLUMNS, UsageBatch,
    UsageKey, UsageRow, UsageTotals, decrypt_usage_key, merge_by_key,
};

/// Adds a batch unless it was added before, and reads the owners' totals of a day, from all nodes,
/// in the same transaction.
pub(super) async fn add_batch(
    lease: &mut PooledConnection<'_>,
    shared: &SharedState,
    batch: Option<&UsageBatch>,
    day: Day,
    owners: &[String],
) -> Result<HashMap<String, u64>, QueryError> {
    let transaction = lease.transaction().await?;
    if let Some(batch) = batch {
        let claim = transaction
            .prepare_cached(
                "INSERT INTO interlingua_batches AS b (writer, number, at) VALUES ($1, $2, $3) \
                 ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at = excluded.at \
                 WHERE b.number < excluded.number",
            )
            .await?;
        let writer = &shared.usage.writer_id[..];
        if transaction.execute(&claim, &[&writer, &batch.number, &id::unix_millis()]).await? > 0 {
            let row_cipher = RowCipher(shared.options.encryption_key.as_ref());
            upsert_rows(&transaction, row_cipher, &UsageRow::from_batch(row_cipher, batch)?)
                .await?;
        }
    }
    let totals = owner_totals(&transaction, shared, day, owners).await?;
    transaction.commit().await?;
    Ok(totals)
}

async fn upsert_rows(
    transaction: &Transaction<'_>,
    row_cipher: RowCipher<'_>,
    rows: &[UsageRow],
) -> Result<(), QueryError> {
    let sums =
        USAGE_COLUMNS.map(|key_id| format!("{key_id} = u.{key_id} + excluded.{key_id}")).join(", ");
    let columns = USAGE_COLUMNS.join(", ");
    let statement = transaction
        .prepare_cached(&format!(
            "INSERT INTO interlingua_usage AS u (day, owner, model, lock, label, {columns}) \
             SELECT day, owner, model, $1::bytea, label, {columns} FROM unnest($2::integer[], \
             $3::bytea[], $4::bytea[], $5::bytea[], $6::bigint[], $7::bigint[], $8::bigint[], \
             $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[]) \
             AS r (day, owner, model, label, {columns}) \
             ON CONFLICT (day, owner, model) DO UPDATE SET {sums}"
        ))
        .await?;
    let days: Vec<i32> = rows.iter().map(|row| row.day.0).collect();
    let owners: Vec<&[u8]> = rows.iter().map(|row| &row.owner_index[..]).collect();
    let models: Vec<&[u8]> = rows.iter().map(|row| &row.model_index[..]).collect();
    let labels: Vec<&[u8]> = rows.iter().map(|row| &row.names[..]).collect();
    let sums: [Vec<i64>; USAGE_COLUMNS.len()] =
        std::array::from_fn(|nth| rows.iter().map(|row| row.totals.to_columns()[nth]).collect());
    let key_id = row_cipher.key_id();
    let mut values: Vec<&(dyn ToSql + Sync)> = vec![&key_id, &days, &owners, &models, &labels];
    values.extend(sums.iter().map(|sum| sum as &(dyn ToSql + Sync)));
    transaction.execute(&statement, &values).await?;
    Ok(())
}

async fn owner_totals(
    transaction: &Transaction<'_>,
    shared: &SharedState,
    day: Day,
    owners: &[String],
) -> Result<HashMap<String, u64>, QueryError> {
    let mut totals: HashMap<String, u64> = owners.iter().map(|owner| (owner.clone(), 0)).collect();
    if owners.is_empty() {
        return Ok(totals);
    }
    let owners_by_index = owner_indexes(shared, owners.iter().map(String::as_str));
    let indexes: Vec<&[u8]> = owners_by_index.keys().map(|index| &index[..]).collect();
    let select = transaction
        .prepare_cached(
            "SELECT owner, sum(input + cache_read + cache_write + output + reasoning)::bigint \
             FROM interlingua_usage WHERE day = $1 AND owner = ANY($2) GROUP BY owner",
        )
        .await?;
    for row in transaction.query(&select, &[&day.0, &indexes]).await? {
        let sum = u64::try_from(row.try_get::<_, i64>(1)?).unwrap_or_default();
        if let Some(total) = owners_by_index
            .get(row.try_get::<_, &[u8]>(0)?)
            .and_then(|owner| totals.get_mut(*owner))
        {
            *total += sum;
        }
    }
    Ok(totals)
}

/// The index values of these owners, with the key and without.
fn owner_indexes<'n>(
    shared: &SharedState,
    owners: impl Iterator<Item = &'n str>,
) -> HashMap<Vec<u8>, &'n str> {
    let secret = shared.options.encryption_key.as_ref();
    let with_index = |owner: &'n str| {
        RowCipher::candidates(secret)
            .map(move |row_cipher| (row_cipher.owner_index(owner).to_vec(), owner))
    };
    owners.flat_map(with_index).collect()
}

pub(super) async fn query_usage(
    lease: &mut PooledConnection<'_>,
    shared: &SharedState,
    days: &RangeInclusive<Day>,
    owner: Option<&str>,
) -> Result<Vec<DailyUsage>, QueryError> {
    let owners =
        owner.map(|owner| owner_indexes(shared, std::iter::once(owner)).into_keys().collect());
    let owners: Option<Vec<Vec<u8>>> = owners;
    let select = format!(
        "SELECT day, owner, model, lock, label, {} FROM interlingua_usage \
         WHERE day BETWEEN $1 AND $2 AND ($3::bytea[] IS NULL OR owner = ANY($3))",
        USAGE_COLUMNS.join(", ")
    );
    let mut rows = Vec::new();
    for row in lease.query(&select, &[&days.start().0, &days.end().0, &owners]).await? {
        rows.extend(parse_row(&row, shared)?);
    }
    Ok(merge_by_key(rows))
}

/// Decodes a row; `None` if it cannot be read.
fn parse_row(row: &Row, shared: &SharedState) -> Result<Option<(UsageKey, UsageTotals)>, Error> {
    let columns = (Day(row.try_get(0)?), row.try_get(1)?, row.try_get(2)?);
    let names = (row.try_get(3)?, row.try_get(4)?);
    let mut counts = [0; USAGE_COLUMNS.len()];
    for (nth, count) in counts.iter_mut().enumerate() {
        *count = row.try_get(5 + nth)?;
    }
    let key = decrypt_usage_key(
        columns,
        names,
        shared.options.encryption_key.as_ref(),
        &shared.health_tracker,
    );
    Ok(key.map(|key| (key, UsageTotals::from_columns(counts))))
}

/// Publishes this node's load and reads the other nodes'. All times are from the database's clock.
pub(super) async fn sync_load(
    lease: &mut PooledConnection<'_>,
    shared: &SharedState,
    local_load: &[LocalLoad],
) -> Result<Vec<RemoteLoad>, QueryError> {
    let (row_cipher, node) =
        (RowCipher(shared.options.encryption_key.as_ref()), &shared.usage.writer_id[..]);
    let mut loads: Vec<_> =
        local_load.iter().map(|load| (row_cipher.owner_index(&load.owner), load)).collect();
    // All nodes write in the same order, which avoids deadlocks.
    loads.sort_by_key(|(index, _)| *index);
    let active: Vec<_> = loads.iter().filter(|(_, load)| load.is_active).collect();
    if !active.is_empty() {
        let owners: Vec<&[u8]> = active.iter().map(|(index, _)| &index[..]).collect();
        let running: Vec<i64> =
            active.iter().map(|(_, load)| i64::from(load.running_requests)).collect();
        let used: Vec<i64> = active
            .iter()
            .map(|(_, load)| duration_micros(load.request_interval * load.new_requests))
            .collect();
        let upsert = lease.prepare_cached(UPSERT_LOAD).await?;
        lease.execute(&upsert, &[&node, &owners, &running, &used]).await?;
    }
    let owners_by_index: HashMap<&[u8], &str> =
        loads.iter().map(|(index, load)| (&index[..], &*load.owner)).collect();
    let select = lease.prepare_cached(SELECT_REMOTE_LOAD).await?;
    let mut remote_load = Vec::new();
    for row in lease.query(&select, &[&node, &NODE_TIMEOUT_MICROS]).await? {
        let Some(owner) = owners_by_index.get(row.try_get::<_, &[u8]>(0)?) else { continue };
        let running = u32::try_from(row.try_get::<_, i64>(1)?).unwrap_or(u32::MAX);
        let rate_debt = u64::try_from(row.try_get::<_, i64>(2)?).unwrap_or_default();
        let rate_debt = Duration::from_micros(rate_debt);
        remote_load.push(RemoteLoad {
            owner: (*owner).to_owned(),
            running_requests: running,
            rate_debt,
        });
    }
    Ok(remote_load)
}

fn duration_micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

/// Deletes old days and stale load, and encrypts unencrypted rows; returns the number of changed
/// rows.
pub(super) async fn prune(
    transaction: &Transaction<'_>,
    shared: &SharedState,
) -> Result<u64, QueryError> {
    let first = Day::oldest_stored(shared.options.retention.usage_age).0;
    let expired = "DELETE FROM interlingua_usage WHERE day < $1";
    let deleted = transaction.execute(expired, &[&first]).await?;
    let stale_batches = "DELETE FROM interlingua_batches WHERE at < $1";
    transaction.execute(stale_batches, &[&(id::unix_millis() - BATCH_RETENTION_MILLIS)]).await?;
    transaction.batch_execute(DELETE_STALE_LOAD).await?;
    let row_cipher = RowCipher(shared.options.encryption_key.as_ref());
    if row_cipher.0.is_none() {
        return Ok(deleted);
    }
    let select_plaintext = format!(
        "DELETE FROM interlingua_usage WHERE lock = '' \
         RETURNING day, owner, model, lock, label, {}",
        USAGE_COLUMNS.join(", ")
    );
    let mut rows = Vec::new();
    for row in transaction.query(&select_plaintext, &[]).await? {
        if let Some((key, totals)) = parse_row(&row, shared)? {
            rows.push(UsageRow::new(row_cipher, &key, &totals)?);
        }
    }
    rows.sort_by_key(|row| (row.day, row.owner_index, row.model_index));
    upsert_rows(transaction, row_cipher, &rows).await?;
    Ok(deleted + rows.len() as u64)
}

/// Publishes the requests in progress, and adds the time that new requests take to the rate limit.
const UPSERT_LOAD: &str = "
WITH clock AS MATERIALIZED
    (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now),
mine AS MATERIALIZED
    (SELECT * FROM unnest($2::bytea[], $3::bigint[], $4::bigint[]) AS m (owner, running, used)),
here AS (
    INSERT INTO interlingua_running (node, owner, running, at)
    SELECT $1::bytea, owner, running, now FROM mine, clock
    ON CONFLICT (node, owner) DO UPDATE SET running = excluded.running, at = excluded.at)
INSERT INTO interlingua_paces AS p (owner, empty)
SELECT owner, now + used FROM mine, clock WHERE used > 0
ON CONFLICT (owner) DO UPDATE
SET empty = greatest(p.empty, (SELECT now FROM clock)) + excluded.empty - (SELECT now FROM clock)";

/// Reads other nodes' requests in progress, and how far all nodes are ahead of the rate limit.
const SELECT_REMOTE_LOAD: &str = "
WITH clock AS MATERIALIZED
    (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now)
SELECT owner, max(running)::bigint, max(ahead)::bigint FROM (
    SELECT owner, 0 AS running, empty - now AS ahead
    FROM interlingua_paces, clock WHERE empty > now
    UNION ALL
    SELECT owner, sum(running), 0 FROM interlingua_running, clock
    WHERE node <> $1::bytea AND at > now - $2::bigint AND running > 0 GROUP BY owner) AS all_of_it
GROUP BY owner";

/// Deletes load older than a minute, and rate limits that are not exceeded.
const DELETE_STALE_LOAD: &str = "
DELETE FROM interlingua_running WHERE (node, owner) IN (
    SELECT node, owner FROM interlingua_running
    WHERE at < (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 60000000
    FOR UPDATE SKIP LOCKED);
DELETE FROM interlingua_paces WHERE owner IN (
    SELECT owner FROM interlingua_paces
    WHERE empty < (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
    FOR UPDATE SKIP LOCKED)";

/// A node that has not published for this long is not counted.
const NODE_TIMEOUT_MICROS: i64 = 5_000_000;
