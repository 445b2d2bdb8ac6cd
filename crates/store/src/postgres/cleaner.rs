//! Deletes expired data and encrypts unencrypted rows: in a task of its own, in transactions that
//! are short whatever the size of the tables is, and with pauses that leave the database to requests.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use deadpool_postgres::Transaction;
use tokio::time::sleep;

use super::delete_range::{DeleteRange, DeletedRows};
use super::pool::{PooledConnection, Purpose};
use super::query_error::QueryError;
use super::shared_state::SharedState;
use super::sums::{self, SESSION_KIND_CODE, Sums};
use super::{record_queries, schema, session_queries};
use crate::id;
use crate::postgres::usage_queries;
use crate::record::RecordKind;

/// Cleans until the store is dropped, which ends its task.
pub(super) async fn run(shared: Arc<SharedState>) {
    let tick = shared.options.prune_interval.min(MAX_TICK);
    let mut last_prune = Instant::now();
    let mut walk = Some(EncryptWalk::default());
    loop {
        sleep(tick).await;
        if last_prune.elapsed() >= shared.options.prune_interval {
            // Named in errors; the batches have timeouts of their own.
            let pruned = shared.pool.with_timeout(Duration::MAX, prune(&shared)).await;
            if let Err(error) = pruned {
                tracing::warn!("expired rows could not be deleted yet: {error}");
            }
            last_prune = Instant::now();
            walk.get_or_insert_default();
        }
        if shared.options.encryption_key.is_some() && shared.has_plaintext.load(Ordering::Relaxed) {
            let walked = encrypt_plaintext(&shared, &mut walk);
            if let Err(error) = shared.pool.with_timeout(Duration::MAX, walked).await {
                tracing::warn!("unencrypted rows could not be encrypted yet: {error}");
            }
        }
    }
}

/// Deletes what is too old, and the least recently used beyond the size limits.
async fn prune(shared: &SharedState) -> Result<(), QueryError> {
    let mut lease = shared.pool.get(Purpose::Background).await?;
    let counted = sums::count_earlier_rows(&mut lease).await;
    lease.release(counted)?;
    let all_bytes = read_sums(shared).await?.bytes_by_kind().unwrap_or_default();
    let bytes = |code: i16| all_bytes.get(&code).copied().unwrap_or(0);
    for kind in RecordKind::ALL {
        let limits = shared.options.retention.for_kind(kind);
        let age = i64::try_from(limits.max_age.as_millis()).unwrap_or(i64::MAX);
        let oldest = id::unix_millis().saturating_sub(age);
        let code = i16::from(kind.db_code());
        for range in DeleteRange::for_limits(oldest, bytes(code), limits.max_bytes) {
            delete_range(shared, Table::Records(code), range).await?;
        }
    }
    let limits = shared.options.retention.session;
    let age = i64::try_from(limits.max_age.as_micros()).unwrap_or(i64::MAX);
    let oldest = shared.clock.next().saturating_sub(age);
    for range in DeleteRange::for_limits(oldest, bytes(SESSION_KIND_CODE), limits.max_bytes) {
        delete_range(shared, Table::Sessions, range).await?;
    }
    let mut lease = shared.pool.get(Purpose::Background).await?;
    let pruned = prune_usage(&mut lease, shared).await;
    lease.release(pruned)?;
    read_sums(shared).await.map(drop)
}

async fn prune_usage(
    lease: &mut PooledConnection<'_>,
    shared: &SharedState,
) -> Result<(), QueryError> {
    let Some(transaction) = begin_batch(lease).await? else { return Ok(()) };
    sums::fold(&transaction).await?;
    usage_queries::prune(&transaction, shared).await?;
    transaction.commit().await?;
    Ok(())
}

async fn read_sums(shared: &SharedState) -> Result<Sums, QueryError> {
    let mut lease = shared.pool.get(Purpose::Background).await?;
    let sums = sums::refresh(&mut lease, shared).await;
    lease.release(sums)
}

/// Begins the transaction of a batch; `None` if another node is cleaning.
async fn begin_batch<'l>(
    lease: &'l mut PooledConnection<'_>,
) -> Result<Option<Transaction<'l>>, QueryError> {
    let transaction = lease.transaction().await?;
    let try_lock = "SELECT pg_try_advisory_xact_lock($1)";
    let row = transaction.query_one(try_lock, &[&schema::PRUNE_LOCK]).await?;
    Ok(row.try_get::<_, bool>(0)?.then_some(transaction))
}

#[derive(Clone, Copy, Debug)]
enum Table {
    /// Of a kind.
    Records(i16),
    Sessions,
}

/// Deletes a range in batches, or what is left of it when another node begins to clean.
async fn delete_range(
    shared: &SharedState,
    table: Table,
    mut range: DeleteRange,
) -> Result<(), QueryError> {
    let mut rows = match table {
        Table::Records(_) => FIRST_BATCH_ROWS,
        // Their turns are deleted with them.
        Table::Sessions => FIRST_BATCH_ROWS / 16,
    };
    while range.max_bytes > 0 {
        let start = Instant::now();
        let mut lease = shared.pool.get(Purpose::Background).await?;
        let deleted = delete_batch(&mut lease, table, range, rows).await;
        let deleted = lease.release(deleted)?;
        let Some(deleted) = deleted.filter(|deleted| deleted.rows > 0) else { return Ok(()) };
        range.from = deleted.last_use;
        range.max_bytes = range.max_bytes.saturating_sub(deleted.bytes);
        let elapsed = start.elapsed();
        if elapsed > MAX_BATCH_TIME {
            rows = (rows / 2).max(1);
        } else if elapsed < MAX_BATCH_TIME / 2 {
            rows = (rows * 2).min(MAX_BATCH_ROWS);
        }
        sleep(elapsed).await;
    }
    Ok(())
}

async fn delete_batch(
    lease: &mut PooledConnection<'_>,
    table: Table,
    range: DeleteRange,
    rows: i64,
) -> Result<Option<DeletedRows>, QueryError> {
    let Some(transaction) = begin_batch(lease).await? else { return Ok(None) };
    let deleted = match table {
        Table::Records(kind) => {
            record_queries::delete_oldest(&transaction, kind, range, rows).await?
        }
        Table::Sessions => session_queries::delete_oldest(&transaction, range, rows).await?,
    };
    transaction.commit().await?;
    Ok(Some(deleted))
}

/// How far the tables were searched for unencrypted rows, in the order of ids: no index has them.
#[derive(Debug, Default)]
struct EncryptWalk {
    last_record: i64,
    last_session: Vec<u8>,
}

/// Encrypts all unencrypted rows; then the walk is `None` until the next one is due.
async fn encrypt_plaintext(
    shared: &SharedState,
    walk: &mut Option<EncryptWalk>,
) -> Result<(), QueryError> {
    while let Some(position) = walk {
        let start = Instant::now();
        let mut lease = shared.pool.get(Purpose::Background).await?;
        let encrypted = encrypt_batch(&mut lease, shared, position).await;
        match lease.release(encrypted)? {
            Some(true) => sleep(start.elapsed()).await,
            Some(false) => *walk = None,
            // Another node cleans.
            None => break,
        }
    }
    read_sums(shared).await.map(drop)
}

/// Returns whether there may be more; `None` if another node is cleaning.
async fn encrypt_batch(
    lease: &mut PooledConnection<'_>,
    shared: &SharedState,
    walk: &mut EncryptWalk,
) -> Result<Option<bool>, QueryError> {
    let Some(transaction) = begin_batch(lease).await? else { return Ok(None) };
    let (mut last_record, mut last_session) = (walk.last_record, walk.last_session.clone());
    let has_records =
        record_queries::encrypt_plaintext(&transaction, shared, &mut last_record).await?;
    let has_sessions =
        session_queries::encrypt_plaintext(&transaction, shared, &mut last_session).await?;
    transaction.commit().await?;
    *walk = EncryptWalk { last_record, last_session };
    Ok(Some(has_records || has_sessions))
}

/// How often it is checked whether something is due.
const MAX_TICK: Duration = Duration::from_secs(1);
const FIRST_BATCH_ROWS: i64 = 128;
const MAX_BATCH_ROWS: i64 = 2048;
/// A batch that takes longer is followed by a smaller one.
const MAX_BATCH_TIME: Duration = Duration::from_millis(100);
