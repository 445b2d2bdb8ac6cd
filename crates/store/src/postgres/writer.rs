//! The writer thread: commits queued jobs in batches, and flushes usage.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

use super::pool::{Attempt, PooledConnection, Purpose};
use super::query_error::QueryError;
use super::record_queries;
use super::shared_state::{Job, SharedState};
use crate::cache_slots::StoredRecord;
use crate::error::StoreError;
use crate::id;
use crate::postgres::usage_queries;
use crate::queue::drop_removed_writes;
use crate::session::SessionError;
use crate::usage::Day;

pub(super) struct Writer {
    shared: Arc<SharedState>,
    runtime: Handle,
    last_maintenance: Instant,
    /// When usage was last flushed.
    last_usage_flush: Instant,
}

impl Writer {
    pub(super) fn new(shared: Arc<SharedState>, runtime: Handle) -> Self {
        let now = Instant::now();
        Self { shared, runtime, last_maintenance: now, last_usage_flush: now }
    }

    /// Writes until the queue is closed and empty.
    pub(super) fn run(mut self) {
        loop {
            // No minimum interval: another node may need the records immediately.
            let jobs = self.shared.queue.take_batch(MAINTENANCE_INTERVAL, Duration::ZERO);
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
            if self.last_maintenance.elapsed() >= MAINTENANCE_INTERVAL {
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
            self.run_query(async |_| {
                let mut lease = shared.pool.get(Purpose::Background).await?;
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

    /// Checks the connection, and flushes usage.
    fn run_maintenance(&mut self) {
        self.last_maintenance = Instant::now();
        let shared = Arc::clone(&self.shared);
        let ping = self.run_query(async |_| {
            let lease = shared.pool.get(Purpose::Background).await?;
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
        if self.last_usage_flush.elapsed() >= MAINTENANCE_INTERVAL {
            // Retried later; the error is in the health report.
            let _ = self.flush_usage();
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
        let totals = self.run_query(async |_| {
            let mut lease = shared.pool.get(Purpose::Background).await?;
            let result =
                usage_queries::add_batch(&mut lease, &shared, batch.as_deref(), day, &watched)
                    .await;
            lease.release(result)
        });
        if totals.is_err() {
            shared.health_tracker.record_write(&totals);
        }
        shared.usage.confirm_batch(day, totals?);
        Ok(())
    }

    fn run_query<T, F>(&self, work: impl Fn(Attempt) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, QueryError>>,
    {
        let result = self.runtime.block_on(self.shared.pool.run(COMMIT_TIMEOUT, work));
        result.map_err(|error| match error {
            SessionError::Store(error) => error,
            other => StoreError(other.to_string()),
        })
    }
}

/// Returns the number of records removed by each removal.
async fn write_jobs(
    lease: &mut PooledConnection<'_>,
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
