//! The number and size of records and sessions, from a small table that triggers keep.
//!
//! Each connection has rows of its own, so that no writer waits for another. Triggers also count
//! what versions without this table write. What was stored before the table existed is counted once,
//! in one snapshot with the rows so far.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use deadpool_postgres::Transaction;
use tokio_postgres::{Error, IsolationLevel};

use super::pool::PooledConnection;
use super::query_error::QueryError;
use super::shared_state::SharedState;
use crate::record::RecordKind;
use crate::session::RowCipher;

/// What is stored, by kind and key.
#[derive(Debug, Default)]
pub(super) struct Sums {
    rows: Vec<SumRow>,
    /// What was stored before the table existed is counted.
    is_complete: bool,
}

#[derive(Debug)]
struct SumRow {
    kind: i16,
    key_id: Vec<u8>,
    count: i64,
    bytes: i64,
}

impl Sums {
    pub(super) async fn read(transaction: &Transaction<'_>) -> Result<Self, QueryError> {
        let select = transaction
            .prepare_cached(
                "SELECT kind, lock, sum(records)::bigint, sum(bytes)::bigint \
                 FROM interlingua_sums GROUP BY kind, lock",
            )
            .await?;
        let mut rows = Vec::new();
        for row in transaction.query(&select, &[]).await? {
            let (kind, key_id) = (row.try_get(0)?, row.try_get(1)?);
            rows.push(SumRow { kind, key_id, count: row.try_get(2)?, bytes: row.try_get(3)? });
        }
        Ok(Self { rows, is_complete: is_counted(transaction).await? })
    }

    /// The bytes of each kind; `None` until all are counted.
    pub(super) fn bytes_by_kind(&self) -> Option<HashMap<i16, i64>> {
        let mut bytes = HashMap::new();
        for row in &self.rows {
            *bytes.entry(row.kind).or_default() += row.bytes;
        }
        self.is_complete.then_some(bytes)
    }

    /// Updates the health report.
    pub(super) fn report(&self, shared: &SharedState) {
        let own_key_id = RowCipher(shared.options.encryption_key.as_ref()).key_id();
        let to_u64 = |number: i64| u64::try_from(number).unwrap_or(0);
        let (mut records, mut bytes, mut sessions, mut other_key, mut plaintext) = (0, 0, 0, 0, 0);
        for row in &self.rows {
            if row.kind == SESSION_KIND_CODE {
                sessions += to_u64(row.count);
            } else {
                records += to_u64(row.count);
                bytes += to_u64(row.bytes);
            }
            if row.key_id.is_empty() {
                plaintext += to_u64(row.count);
            } else if row.key_id != own_key_id {
                other_key += to_u64(row.count);
            }
        }
        let health_tracker = &shared.health_tracker;
        let totals = [
            (&health_tracker.records, records),
            (&health_tracker.bytes, bytes),
            (&health_tracker.sessions, sessions),
            (&health_tracker.other_key, other_key),
        ];
        for (total, count) in totals {
            total.store(count, Ordering::Relaxed);
        }
        shared.has_plaintext.store(plaintext > 0 || !self.is_complete, Ordering::Relaxed);
    }
}

/// Reads the sums for the health report.
pub(super) async fn refresh(
    lease: &mut PooledConnection<'_>,
    shared: &SharedState,
) -> Result<Sums, QueryError> {
    let transaction = lease.transaction().await?;
    let sums = Sums::read(&transaction).await?;
    transaction.commit().await?;
    sums.report(shared);
    Ok(sums)
}

/// Counts once what was stored before the table existed. One snapshot has the rows and the sums of
/// the triggers, so that their difference is exact while others write.
pub(super) async fn count_earlier_rows(lease: &mut PooledConnection<'_>) -> Result<(), QueryError> {
    let builder = lease.build_transaction().isolation_level(IsolationLevel::RepeatableRead);
    let transaction = builder.start().await?;
    let try_lock = "SELECT pg_try_advisory_xact_lock($1)";
    let is_locked: bool = transaction.query_one(try_lock, &[&COUNT_LOCK]).await?.try_get(0)?;
    if is_locked && !is_counted(&transaction).await? {
        transaction.batch_execute(COUNT_EARLIER_ROWS).await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// Adds up the rows of connections that have ended.
pub(super) async fn fold(transaction: &Transaction<'_>) -> Result<(), Error> {
    transaction.batch_execute(FOLD).await
}

async fn is_counted(transaction: &Transaction<'_>) -> Result<bool, Error> {
    let select = "SELECT EXISTS (SELECT FROM interlingua_additions WHERE name = 'counted')";
    transaction.query_one(select, &[]).await?.try_get(0)
}

/// The kind of sessions among the kinds of records.
pub(super) const SESSION_KIND_CODE: i16 = 100;
const _: () = assert!(RecordKind::ALL.len() < SESSION_KIND_CODE as usize);

/// Key of an advisory lock, next to those of `schema`.
const COUNT_LOCK: i64 = super::schema::PRUNE_LOCK + 1;

/// The scan is not repeated, and nothing waits for it.
const COUNT_EARLIER_ROWS: &str = "
SET LOCAL statement_timeout = '30min';
INSERT INTO interlingua_sums (backend, kind, lock, records, bytes)
SELECT -1, kind, lock, sum(records), sum(bytes) FROM (
    SELECT kind, lock, count(*) AS records, sum(size) AS bytes
    FROM interlingua_records GROUP BY kind, lock
    UNION ALL
    SELECT 100, lock, count(*), sum(bytes) FROM interlingua_sessions GROUP BY lock
    UNION ALL
    SELECT kind, lock, -records, -bytes FROM interlingua_sums) AS counted
GROUP BY kind, lock;
INSERT INTO interlingua_additions VALUES ('counted')";

const FOLD: &str = "
WITH gone AS (
    DELETE FROM interlingua_sums WHERE backend > 0 AND NOT EXISTS
        (SELECT FROM pg_stat_activity WHERE pid = backend)
    RETURNING kind, lock, records, bytes)
INSERT INTO interlingua_sums AS s (backend, kind, lock, records, bytes)
SELECT 0, kind, lock, sum(records), sum(bytes) FROM gone GROUP BY kind, lock
ON CONFLICT (backend, kind, lock) DO UPDATE
SET records = s.records + excluded.records, bytes = s.bytes + excluded.bytes";
