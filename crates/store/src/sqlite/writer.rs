//! The writer thread: commits queued jobs in batches, and deletes expired data in small steps.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};

use super::jobs::{execute_jobs, fail_job, frees_space};
use super::shared_state::{Job, SharedState};
use super::write_connection::WriteConnection;
use super::{file, record_queries, schema, session_queries};
use crate::error::StoreError;
use crate::id;
use crate::queue::drop_removed_writes;
use crate::record::RecordKind;
use crate::sqlite::usage_queries;
use crate::usage::Day;

pub(super) struct Writer {
    shared: Arc<SharedState>,
    connection: Option<WriteConnection>,
    /// The last error was corruption: check the file before using it.
    needs_check: bool,
    last_maintenance: Instant,
    /// When usage was last flushed.
    last_usage_flush: Instant,
    last_prune: Instant,
    /// Pruning or encryption has more to do.
    has_more: bool,
}

impl Writer {
    /// Opens the file; an error is logged immediately.
    pub(super) fn new(shared: Arc<SharedState>) -> Self {
        let now = Instant::now();
        let mut writer = Self {
            shared,
            connection: None,
            needs_check: false,
            last_maintenance: now,
            last_usage_flush: now,
            last_prune: now,
            has_more: false,
        };
        let opened = writer.reopen();
        writer.shared.health_tracker.record_write(&opened);
        writer
    }

    /// Writes until the queue is closed and empty.
    pub(super) fn run(mut self) {
        loop {
            let max_wait = if self.has_more { Duration::ZERO } else { MAINTENANCE_INTERVAL };
            let jobs = self.shared.queue.take_batch(max_wait, MIN_COMMIT_INTERVAL);
            let is_idle = jobs.is_empty();
            let has_failed = !is_idle && self.commit(jobs).is_err();
            if (is_idle || has_failed) && self.shared.queue.is_closed() {
                // The last chance to write: errors have no effect.
                let _ = self.flush_usage().and_then(|()| self.sync());
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
        let mut jobs = drop_removed_writes(jobs);
        let written = self.prepare_commit(&jobs).and_then(|()| {
            self.in_transaction(|connection, shared| execute_jobs(connection, shared, &mut jobs))
        });
        self.shared.health_tracker.record_write(&written);
        match written {
            Ok(removed) => {
                self.complete_jobs(jobs, removed);
                Ok(())
            }
            Err(error) => {
                let jobs = self.retry_removals(jobs);
                let retries = jobs.into_iter().filter_map(|job| fail_job(job, &error)).collect();
                self.shared.requeue(retries);
                Err(error)
            }
        }
    }

    /// Chooses whether the commit waits for the disk: it does if a caller is waiting.
    fn prepare_commit(&mut self, jobs: &[Job]) -> Result<(), StoreError> {
        if jobs.iter().any(|job| matches!(job, Job::FlushUsage(_))) {
            self.flush_usage()?;
        }
        if jobs.iter().any(|job| matches!(job, Job::Flush(_) | Job::FlushUsage(_))) {
            self.sync()?;
        }
        self.set_sync_full(jobs.iter().any(Job::has_waiter))
    }

    fn set_sync_full(&mut self, is_full: bool) -> Result<(), StoreError> {
        if self.connection.is_none() {
            self.reopen()?;
        }
        let result = self.connection.as_mut().map_or(Ok(()), |open| open.set_sync_full(is_full));
        result.map_err(|error| {
            self.connection = None;
            schema::store_error(&self.shared.path, &error)
        })
    }

    /// Syncs earlier commits to disk.
    fn sync(&mut self) -> Result<(), StoreError> {
        let synced = self.connection.as_mut().map_or(Ok(()), |open| open.sync(&self.shared.path));
        if synced.is_err() {
            self.connection = None;
        }
        synced
    }

    /// Retries only the deleting jobs, which may free space on a full disk; returns the other jobs.
    fn retry_removals(&mut self, jobs: Vec<Job>) -> Vec<Job> {
        if !jobs.iter().any(frees_space) {
            return jobs;
        }
        let (mut removals, mut others): (Vec<_>, Vec<_>) = jobs.into_iter().partition(frees_space);
        match self
            .in_transaction(|connection, shared| execute_jobs(connection, shared, &mut removals))
        {
            Ok(removed) => self.complete_jobs(removals, removed),
            Err(_) => others.extend(removals),
        }
        others
    }

    /// Replies to callers and updates caches after a commit.
    fn complete_jobs(&mut self, jobs: Vec<Job>, removed: Vec<u64>) {
        let mut removed = removed.into_iter();
        if jobs.iter().any(frees_space) {
            self.vacuum();
        }
        for job in jobs {
            match job {
                Job::Write(record) => {
                    let cache = self.shared.caches.for_kind(record.kind);
                    cache.mark_written(&record);
                    // Load the new record's keys into the cache now: they will be looked up soon.
                    let (misses, load_id) = cache.start_loads(&record);
                    let Some(open) = &self.connection else { continue };
                    for miss in &misses {
                        let (kind, owner) = (record.kind, &*record.owner);
                        let rows = match record_queries::is_only_record(
                            &open.connection,
                            &self.shared,
                            &record,
                            &miss.key,
                        ) {
                            // No need to read back what was just written.
                            Ok(true) => Ok(vec![Arc::clone(&record)]),
                            _ => record_queries::find(
                                &open.connection,
                                &self.shared,
                                kind,
                                owner,
                                &miss.key,
                            ),
                        };
                        match rows {
                            Ok(rows) => drop(cache.finish_load(owner, miss, load_id, &rows)),
                            Err(_) => cache.abort_load(owner, &misses, load_id),
                        }
                    }
                }
                Job::Touch(_) => {}
                Job::Remove { kind, removal_id, removed_before_write, reply_tx, .. } => {
                    self.shared.caches.for_kind(kind).finish_removal(removal_id);
                    let count = removed.next().unwrap_or_default() + removed_before_write;
                    // The receiver may have been dropped.
                    reply_tx.map(|reply_tx| reply_tx.send(Ok(count)));
                }
                Job::Flush(reply_tx) | Job::FlushUsage(reply_tx) => drop(reply_tx.send(Ok(()))),
                Job::Op(op) => op.complete(Ok(())),
            }
        }
        self.refresh_counts();
    }

    /// Checks whether another process has written or the file was replaced, flushes usage, prunes
    /// and encrypts.
    fn run_maintenance(&mut self) {
        self.last_maintenance = Instant::now();
        self.has_more = false;
        let was_replaced = self
            .connection
            .as_ref()
            .is_none_or(|open| open.file_id != file::file_id(&self.shared.path));
        if was_replaced {
            self.connection = None;
        }
        let synced = self.sync();
        let checked =
            synced.and_then(|()| self.with_connection(|connection, _| data_version(connection)));
        self.report_health(&checked);
        match (checked, &mut self.connection) {
            (Ok(data_version), Some(open)) if open.data_version != data_version => {
                open.data_version = data_version;
                self.shared.caches.invalidate();
                self.refresh_counts();
            }
            (Err(_), _) => self.shared.queue.sleep_unless_closed(RETRY_DELAY),
            _ => {}
        }
        if self.last_usage_flush.elapsed() >= MAINTENANCE_INTERVAL {
            // Retried later; the error is in the health report.
            let _ = self.flush_usage();
        }
        if self.last_prune.elapsed() > self.shared.options.prune_interval {
            self.prune();
        }
        self.encrypt_plaintext();
    }

    /// Writes pending usage and reads the totals of watched owners.
    fn flush_usage(&mut self) -> Result<(), StoreError> {
        self.last_usage_flush = Instant::now();
        let (batch, watched) = self.shared.usage.next_batch();
        if batch.is_none() && watched.is_empty() {
            return Ok(());
        }
        self.set_sync_full(false)?;
        let day = Day::today();
        let totals = self.in_transaction(|connection, shared| {
            usage_queries::add_batch(connection, shared, batch.as_deref())?;
            usage_queries::owner_totals(connection, shared, day, &watched)
        });
        self.report_health(&totals);
        self.shared.usage.confirm_batch(day, totals?);
        Ok(())
    }

    /// Encrypts a batch of rows written without the key.
    fn encrypt_plaintext(&mut self) {
        if self.shared.options.encryption_key.is_none()
            || !self.shared.has_plaintext.load(Ordering::Relaxed)
        {
            return;
        }
        let encrypted = self.in_transaction(|connection, shared| {
            let records = record_queries::encrypt_plaintext(connection, shared)?;
            Ok(records + session_queries::encrypt_plaintext(connection, shared)?)
        });
        if encrypted.is_ok_and(|encrypted| encrypted > 0) {
            self.has_more = true;
            self.vacuum();
            self.refresh_counts();
        }
    }

    /// Deletes a batch of expired data; the next one follows when the queue is empty.
    fn prune(&mut self) {
        let mut deleted = 0;
        for kind in RecordKind::ALL {
            let count = self.in_transaction(|connection, shared| {
                record_queries::prune(
                    connection,
                    kind,
                    shared.options.retention.for_kind(kind),
                    id::unix_millis(),
                )
            });
            let Ok(count) = count else { return };
            if count > 0 {
                self.shared.caches.for_kind(kind).invalidate();
            }
            deleted += count;
        }
        let count = self.in_transaction(|connection, shared| {
            let now = shared.clock.next();
            session_queries::prune(connection, shared.options.retention.session, now)
        });
        let Ok(count) = count else { return };
        deleted += count;
        let count = self.in_transaction(usage_queries::prune);
        let Ok(count) = count else { return };
        deleted += count;
        if deleted == 0 {
            self.last_prune = Instant::now();
            return;
        }
        self.has_more = true;
        self.vacuum();
        self.refresh_counts();
    }

    /// Shrinks the file and truncates the WAL, so that deleted data is in neither.
    fn vacuum(&mut self) {
        let result = self.with_connection(|connection, _| {
            connection.execute_batch("PRAGMA incremental_vacuum(1024)")?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        });
        self.report_health(&result);
    }

    /// Reports the result of maintenance: a success must not hide a write error while writes are
    /// pending.
    fn report_health<T>(&self, result: &Result<T, StoreError>) {
        let has_pending =
            self.shared.queue.pending_writes() > 0 || self.shared.usage.has_unwritten_batch();
        if result.is_err() || !has_pending {
            self.shared.health_tracker.record_write(result);
        }
    }

    fn refresh_counts(&mut self) {
        let Some(open) = &self.connection else { return };
        let Ok(totals) = record_queries::count(&open.connection, &self.shared) else { return };
        let health_tracker = &self.shared.health_tracker;
        health_tracker.records.store(totals.records, Ordering::Relaxed);
        health_tracker.bytes.store(totals.bytes, Ordering::Relaxed);
        health_tracker.sessions.store(totals.sessions, Ordering::Relaxed);
        health_tracker.other_key.store(totals.other_key, Ordering::Relaxed);
        self.shared.has_plaintext.store(totals.plaintext > 0, Ordering::Relaxed);
    }

    /// As [`Writer::with_connection`], in one transaction.
    fn in_transaction<T>(
        &mut self,
        work: impl FnOnce(&Connection, &SharedState) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.with_connection(|connection, shared| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = work(&transaction, shared)?;
            transaction.commit()?;
            Ok(value)
        })
    }

    fn with_connection<T>(
        &mut self,
        work: impl FnOnce(&mut Connection, &SharedState) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        if self.connection.is_none() {
            self.reopen()?;
        }
        let Some(open) = &mut self.connection else {
            return Err(StoreError("the database is not open".into()));
        };
        work(&mut open.connection, &self.shared).map_err(|error| {
            self.needs_check = schema::is_corrupt(&error);
            // The connection may be in any state: reopen it.
            self.connection = None;
            schema::store_error(&self.shared.path, &error)
        })
    }

    fn reopen(&mut self) -> Result<(), StoreError> {
        let shared = Arc::clone(&self.shared);
        let connection = schema::open(&shared.path, self.needs_check)?;
        let to_store_error = |error: rusqlite::Error| schema::store_error(&shared.path, &error);
        if let Some(bytes) = shared.options.max_file_bytes {
            schema::set_max_bytes(&connection, bytes).map_err(to_store_error)?;
        }
        let version = data_version(&connection).map_err(to_store_error)?;
        shared.ids.advance_to(record_queries::newest_id(&connection).map_err(to_store_error)?);
        self.connection = Some(WriteConnection::new(connection, &shared.path, version));
        self.needs_check = false;
        shared.open_count.fetch_add(1, Ordering::Release);
        // Readers reopen the file too; errors of the old one are over.
        shared.health_tracker.record_read(None);
        shared.caches.invalidate();
        self.refresh_counts();
        let other_key = shared.health_tracker.other_key.load(Ordering::Relaxed);
        if other_key > 0 {
            tracing::warn!(
                "{other_key} records and sessions of {} are encrypted with another key and cannot be read",
                shared.path.display()
            );
        }
        Ok(())
    }
}

fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA data_version", [], |row| row.get(0))
}

/// How often other processes' writes are detected.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(1);
/// Minimum time between two commits of records. The first record after a pause is written
/// immediately; a burst is committed with this delay, while lookups see it immediately.
const MIN_COMMIT_INTERVAL: Duration = Duration::from_millis(50);
const RETRY_DELAY: Duration = Duration::from_secs(1);
