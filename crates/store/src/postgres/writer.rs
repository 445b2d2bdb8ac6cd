//! The writer thread: commits queued jobs in batches, and deletes expired data in small steps.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

use super::pool::{PooledConnection, QueryError};
use super::{Job, SharedState, record_queries, schema, session_queries, usage};
use crate::cache_slots::StoredRecord;
use crate::health::StoreError;
use crate::id;
use crate::queue::drop_removed_writes;
use crate::record::RecordKind;
use crate::session::{RowCipher, SessionError};
use crate::usage::Day;

pub(super) struct Writer {
    shared: Arc<SharedState>,
    runtime: Handle,
    last_maintenance: Instant,
    /// When usage was last flushed.
    last_usage_flush: Instant,
    /// `None` if pruning is due.
    last_prune: Option<Instant>,
    /// Pruning or encryption has more to do.
    has_more: bool,
}

impl Writer {
    pub(super) fn new(shared: Arc<SharedState>, runtime: Handle) -> Self {
        let now = Instant::now();
        let (last_maintenance, last_usage_flush, last_prune) = (now, now, Some(now));
        Self { shared, runtime, last_maintenance, last_usage_flush, last_prune, has_more: false }
    }

    /// Writes until the queue is closed and empty.
    pub(super) fn run(mut self) {
        loop {
            let max_wait = if self.has_more { Duration::ZERO } else { MAINTENANCE_INTERVAL };
            // No minimum interval: another node may need the records immediately.
            let jobs = self.shared.queue.take_batch(max_wait, Duration::ZERO);
            let is_idle = jobs.is_empty();
            let has_failed = !is_idle && self.commit(jobs).is_err();
            if (is_idle || has_failed) && self.shared.queue.is_closed() {
                // The last chance to write: errors have no effect.
                let _ = self.flush_usage();
                return;
            }
            if has_failed {
                self.shared.queue.sleep_unless_closed(RETRY_DELAY);
            }
            if self.has_more || self.last_maintenance.elapsed() >= MAINTENANCE_INTERVAL {
                self.run_maintenance();
            }
        }
    }

    /// Commits all jobs in one transaction; on failure, writes go back to the queue.
    fn commit(&mut self, jobs: Vec<Job>) -> Result<(), StoreError> {
        let jobs = drop_removed_writes(jobs);
        let shared = Arc::clone(&self.shared);
        let needs_usage = jobs.iter().any(|job| matches!(job, Job::FlushUsage(_)));
        let flushed = if needs_usage { self.flush_usage() } else { Ok(()) };
        let written = flushed.and_then(|()| {
            self.run_query(async {
                let mut lease = shared.pool.get().await?;
                let result = write_jobs(&mut lease, &shared, &jobs).await;
                lease.release(result)
            })
        });
        self.shared.health_tracker.record_write(&written);
        match written {
            Ok(removed) => {
                self.complete_jobs(jobs, removed);
                Ok(())
            }
            Err(error) => {
                let retries = jobs.into_iter().filter_map(|job| fail_job(job, &error)).collect();
                self.shared.requeue(retries);
                Err(error)
            }
        }
    }

    /// Replies to callers and updates caches after a commit.
    fn complete_jobs(&mut self, jobs: Vec<Job>, removed: Vec<u64>) {
        let mut removed = removed.into_iter();
        for job in jobs {
            match job {
                Job::Write(record) => {
                    self.shared.caches.for_kind(record.kind).mark_written(&record);
                }
                Job::Touch(_) => {}
                Job::Remove { kind, removal_id, removed_before_write, reply_tx, .. } => {
                    self.shared.caches.for_kind(kind).finish_removal(removal_id);
                    let count = removed.next().unwrap_or_default() + removed_before_write;
                    // The receiver may have been dropped.
                    reply_tx.map(|reply_tx| reply_tx.send(Ok(count)));
                }
                Job::Flush(reply_tx) | Job::FlushUsage(reply_tx) => drop(reply_tx.send(Ok(()))),
                Job::Op(never) => match never {},
            }
        }
    }

    /// Checks the connection, flushes usage, prunes and encrypts.
    fn run_maintenance(&mut self) {
        self.last_maintenance = Instant::now();
        self.has_more = false;
        let shared = Arc::clone(&self.shared);
        let ping = self.run_query(async {
            let lease = shared.pool.get().await?;
            let result = lease.batch_execute("").await.map_err(QueryError::from);
            lease.release(result)
        });
        // A successful ping must not hide a write error while writes are pending.
        let has_pending = shared.queue.pending_writes() > 0 || shared.usage.has_unwritten_batch();
        if ping.is_err() || !has_pending {
            shared.health_tracker.record_write(&ping);
        }
        shared.health_tracker.record_read(ping.as_ref().err());
        if ping.is_err() {
            shared.queue.sleep_unless_closed(RETRY_DELAY);
            return;
        }
        if self.last_usage_flush.elapsed() >= MAINTENANCE_INTERVAL && self.flush_usage().is_err() {
            return;
        }
        let is_due = |last_prune: Instant| last_prune.elapsed() > shared.options.prune_interval;
        if self.last_prune.is_none_or(is_due) {
            self.prune();
        }
        if shared.options.encryption_key.is_some() && shared.has_plaintext.load(Ordering::Relaxed) {
            self.encrypt_plaintext();
        }
    }

    /// Writes pending usage and reads the totals of watched owners.
    fn flush_usage(&mut self) -> Result<(), StoreError> {
        self.last_usage_flush = Instant::now();
        let shared = Arc::clone(&self.shared);
        let (batch, watched) = shared.usage.next_batch();
        if batch.is_none() && watched.is_empty() {
            return Ok(());
        }
        let day = Day::today();
        let totals = self.run_query(async {
            let mut lease = shared.pool.get().await?;
            let result =
                usage::add_batch(&mut lease, &shared, batch.as_deref(), day, &watched).await;
            lease.release(result)
        });
        if totals.is_err() {
            shared.health_tracker.record_write(&totals);
        }
        shared.usage.confirm_batch(day, totals?);
        Ok(())
    }

    /// Encrypts a batch of rows written without the key.
    fn encrypt_plaintext(&mut self) {
        let shared = Arc::clone(&self.shared);
        let encrypted = self.run_query(async {
            let mut lease = shared.pool.get().await?;
            let result = encrypt_plaintext(&mut lease, &shared).await;
            lease.release(result)
        });
        match encrypted {
            Ok(encrypted) => self.has_more |= encrypted > 0,
            Err(error) => {
                tracing::warn!("unencrypted rows could not be encrypted yet: {error}");
            }
        }
    }

    /// Deletes a batch of expired data; the next one follows when the queue is empty.
    fn prune(&mut self) {
        let shared = Arc::clone(&self.shared);
        let deleted = self.run_query(async {
            let mut lease = shared.pool.get().await?;
            let result = prune(&mut lease, &shared).await;
            lease.release(result)
        });
        match deleted {
            Ok(0) => self.last_prune = Some(Instant::now()),
            Ok(_) => (self.last_prune, self.has_more) = (None, true),
            Err(error) => {
                self.last_prune = Some(Instant::now());
                tracing::warn!("expired rows could not be deleted yet: {error}");
            }
        }
    }

    fn run_query<T>(
        &self,
        work: impl Future<Output = Result<T, QueryError>>,
    ) -> Result<T, StoreError> {
        let result = self.runtime.block_on(self.shared.pool.with_timeout(COMMIT_TIMEOUT, work));
        result.map_err(|error| match error {
            SessionError::Store(error) => error,
            other => StoreError(other.to_string()),
        })
    }
}

/// Returns the number of records removed by each removal.
async fn write_jobs(
    lease: &mut PooledConnection,
    shared: &SharedState,
    jobs: &[Job],
) -> Result<Vec<u64>, QueryError> {
    let transaction = lease.transaction().await?;
    let mut removed = Vec::new();
    let mut inserts: Vec<Arc<StoredRecord>> = Vec::new();
    for job in jobs {
        match job {
            Job::Write(record) => inserts.push(Arc::clone(record)),
            Job::Touch(ids) => record_queries::touch(&transaction, ids, id::unix_millis()).await?,
            Job::Remove { kind, removal, .. } => {
                record_queries::insert(&transaction, shared, &inserts).await?;
                inserts.clear();
                removed.push(record_queries::remove(&transaction, shared, *kind, removal).await?);
            }
            // Earlier jobs are committed by now.
            Job::Flush(_) | Job::FlushUsage(_) => {}
            Job::Op(never) => match *never {},
        }
    }
    record_queries::insert(&transaction, shared, &inserts).await?;
    transaction.commit().await?;
    Ok(removed)
}

async fn encrypt_plaintext(
    lease: &mut PooledConnection,
    shared: &SharedState,
) -> Result<usize, QueryError> {
    let transaction = lease.transaction().await?;
    let encrypted = record_queries::encrypt_plaintext(&transaction, shared).await?
        + session_queries::encrypt_plaintext(&transaction, shared).await?;
    transaction.commit().await?;
    if encrypted == 0 {
        refresh_counts(lease, shared).await?;
    }
    Ok(encrypted)
}

/// Returns the number of deleted rows. An advisory lock lets one node prune at a time.
async fn prune(lease: &mut PooledConnection, shared: &SharedState) -> Result<u64, QueryError> {
    let transaction = lease.transaction().await?;
    let try_lock = "SELECT pg_try_advisory_xact_lock($1)";
    let mut deleted = 0;
    if transaction.query_one(try_lock, &[&schema::PRUNE_LOCK]).await?.try_get(0)? {
        for kind in RecordKind::ALL {
            let limits = shared.options.retention.for_kind(kind);
            deleted += record_queries::prune(&transaction, kind, limits, id::unix_millis()).await?;
        }
        let limits = shared.options.retention.session;
        deleted += session_queries::prune(&transaction, limits, shared.clock.next()).await?;
        deleted += usage::prune(&transaction, shared).await?;
    }
    transaction.commit().await?;
    refresh_counts(lease, shared).await?;
    Ok(deleted)
}

/// Counts records and sessions for the health report.
pub(super) async fn refresh_counts(
    lease: &mut PooledConnection,
    shared: &SharedState,
) -> Result<(), QueryError> {
    let counts = "SELECT lock, count(*), coalesce(sum(size), 0)::bigint, false \
                  FROM interlingua_records GROUP BY lock UNION ALL \
                  SELECT lock, count(*), 0, true FROM interlingua_sessions GROUP BY lock";
    let own_key_id = RowCipher(shared.options.encryption_key.as_ref()).key_id();
    let (mut records, mut bytes, mut sessions, mut other_key, mut plaintext) = (0, 0, 0, 0, 0);
    for row in lease.query(counts, &[]).await? {
        let key_id: &[u8] = row.try_get(0)?;
        let rows = u64::try_from(row.try_get::<_, i64>(1)?).unwrap_or(0);
        if row.try_get(3)? {
            sessions += rows;
        } else {
            records += rows;
        }
        bytes += u64::try_from(row.try_get::<_, i64>(2)?).unwrap_or(0);
        if key_id.is_empty() {
            plaintext += rows;
        } else if key_id != own_key_id {
            other_key += rows;
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
    shared.has_plaintext.store(plaintext > 0, Ordering::Relaxed);
    Ok(())
}

/// Replies with the error; returns the job if it is to be retried.
fn fail_job(job: Job, error: &StoreError) -> Option<Job> {
    match job {
        Job::Flush(reply_tx) | Job::FlushUsage(reply_tx) => {
            let _ = reply_tx.send(Err(error.clone()));
            None
        }
        Job::Remove {
            reply_tx: Some(reply_tx),
            kind,
            removal,
            removal_id,
            removed_before_write,
        } => {
            let _ = reply_tx.send(Err(error.clone()));
            Some(Job::Remove { kind, removal, removal_id, removed_before_write, reply_tx: None })
        }
        // A lost update of the last use is harmless.
        Job::Touch(_) => None,
        job => Some(job),
    }
}

const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(1);
const RETRY_DELAY: Duration = Duration::from_secs(1);
const COMMIT_TIMEOUT: Duration = Duration::from_secs(10);
