//! The queue of a store's writer, bounded in bytes; pushing never blocks.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::cache::Removal;
use crate::cache_slots::StoredRecord;
use crate::error::StoreError;
use crate::record::RecordKind;

/// A job of the writer; `W` is the database's type of other write operations.
#[derive(Debug)]
pub(crate) enum Job<W> {
    Write(Arc<StoredRecord>),
    /// Updates the last use of these records.
    Touch(Vec<i64>),
    Remove {
        kind: RecordKind,
        removal: Removal,
        removal_id: u64,
        /// Number of matching records that were dropped from the queue unwritten.
        removed_before_write: u64,
        reply_tx: Option<oneshot::Sender<Result<u64, StoreError>>>,
    },
    Flush(oneshot::Sender<Result<(), StoreError>>),
    /// Writes pending usage.
    FlushUsage(oneshot::Sender<Result<(), StoreError>>),
    Op(W),
}

#[derive(Debug)]
pub(crate) struct JobQueue<W> {
    inner: Mutex<Inner<W>>,
    condvar: Condvar,
    capacity_bytes: usize,
}

#[derive(Debug)]
struct Inner<W> {
    jobs: VecDeque<Job<W>>,
    bytes: usize,
    /// A queued job has a waiting caller.
    has_waiter: bool,
    is_closed: bool,
    /// When the last batch was taken.
    last_take: Option<Instant>,
}

impl<W> JobQueue<W> {
    pub(crate) fn new(capacity_bytes: usize) -> Self {
        let jobs = VecDeque::new();
        let inner = Inner { jobs, bytes: 0, has_waiter: false, is_closed: false, last_take: None };
        Self { inner: Mutex::new(inner), condvar: Condvar::new(), capacity_bytes }
    }

    /// Adds a job; returns the records dropped to make room, oldest first. Some kinds are never
    /// dropped.
    pub(crate) fn push(&self, job: Job<W>) -> Vec<Arc<StoredRecord>> {
        let mut inner = self.lock();
        let was_empty = inner.jobs.is_empty();
        inner.bytes += job.size_bytes();
        inner.has_waiter |= job.has_waiter();
        inner.jobs.push_back(job);
        let dropped = inner.evict_to_fit(self.capacity_bytes);
        // While the writer collects a batch, it needs no notification until its time is over.
        let notify = was_empty || inner.has_waiter || inner.bytes >= MAX_BATCH_BYTES;
        drop(inner);
        if notify {
            self.condvar.notify_one();
        }
        dropped
    }

    /// Puts jobs back at the front, in their order.
    pub(crate) fn push_front(&self, jobs: Vec<Job<W>>) -> Vec<Arc<StoredRecord>> {
        let mut inner = self.lock();
        for job in jobs.into_iter().rev() {
            inner.bytes += job.size_bytes();
            inner.jobs.push_front(job);
        }
        inner.evict_to_fit(self.capacity_bytes)
    }

    /// Takes the jobs of one commit. Waits up to `max_wait` for the first job, and returns nothing
    /// if none comes. Batches are at least `min_interval` apart, so that jobs are collected, unless
    /// a caller is waiting.
    pub(crate) fn take_batch(&self, max_wait: Duration, min_interval: Duration) -> Vec<Job<W>> {
        let mut inner = self.lock();
        if inner.jobs.is_empty() && !inner.is_closed {
            let woken = self.condvar.wait_timeout(inner, max_wait);
            inner = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        let elapsed = inner.last_take.map_or(min_interval, |taken| taken.elapsed());
        if elapsed < min_interval && !inner.jobs.is_empty() {
            let keep_waiting = |inner: &mut Inner<W>| {
                !inner.has_waiter && !inner.is_closed && inner.bytes < MAX_BATCH_BYTES
            };
            let woken = self.condvar.wait_timeout_while(
                inner,
                min_interval.saturating_sub(elapsed),
                keep_waiting,
            );
            inner = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        let mut batch = Vec::new();
        let mut bytes = 0;
        while batch.len() < MAX_BATCH_JOBS && bytes < MAX_BATCH_BYTES {
            let Some(job) = inner.jobs.pop_front() else { break };
            bytes += job.size_bytes();
            batch.push(job);
        }
        inner.bytes -= bytes;
        inner.has_waiter &= !inner.jobs.is_empty();
        inner.last_take = (!batch.is_empty()).then(Instant::now).or(inner.last_take);
        batch
    }

    /// Waits before a retry; returns early if the queue is closed.
    pub(crate) fn sleep_unless_closed(&self, time: Duration) {
        let inner = self.lock();
        // A notification for a new job must not end the wait.
        let is_open = |inner: &mut Inner<W>| !inner.is_closed;
        drop(self.condvar.wait_timeout_while(inner, time, is_open));
    }

    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.condvar.notify_all();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    pub(crate) fn pending_writes(&self) -> u64 {
        let inner = self.lock();
        inner.jobs.iter().filter(|job| matches!(job, Job::Write(_))).count() as u64
    }

    fn lock(&self) -> MutexGuard<'_, Inner<W>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W> Inner<W> {
    fn evict_to_fit(&mut self, capacity_bytes: usize) -> Vec<Arc<StoredRecord>> {
        let mut dropped = Vec::new();
        while self.bytes > capacity_bytes {
            let is_droppable =
                |job: &Job<W>| matches!(job, Job::Write(record) if record.kind.is_droppable());
            let Some(index) = self.jobs.iter().position(is_droppable) else { break };
            let Some(job) = self.jobs.remove(index) else { break };
            self.bytes -= job.size_bytes();
            if let Job::Write(record) = job {
                dropped.push(record);
            }
        }
        dropped
    }
}

impl<W> Job<W> {
    /// Whether a caller is waiting for this job.
    pub(crate) fn has_waiter(&self) -> bool {
        !matches!(self, Self::Write(_) | Self::Touch(_))
    }

    fn size_bytes(&self) -> usize {
        match self {
            Self::Write(record) => record.size_bytes(),
            Self::Touch(ids) => ids.len() * 8,
            // Jobs with a waiting caller are bounded by the number of callers.
            Self::Remove { .. } | Self::Flush(_) | Self::FlushUsage(_) | Self::Op(_) => 0,
        }
    }
}

/// Drops writes that a later removal in the same batch would remove.
pub(crate) fn drop_removed_writes<W>(jobs: Vec<Job<W>>) -> Vec<Job<W>> {
    let mut remaining: Vec<Job<W>> = Vec::with_capacity(jobs.len());
    for mut job in jobs {
        if let Job::Remove { kind, removal, removed_before_write, .. } = &mut job {
            let before = remaining.len();
            remaining.retain(|earlier| {
                !matches!(earlier, Job::Write(record) if record.kind == *kind && removal.covers(record))
            });
            *removed_before_write += (before - remaining.len()) as u64;
        }
        remaining.push(job);
    }
    remaining
}

/// Maximum number of jobs and bytes per commit.
const MAX_BATCH_JOBS: usize = 512;
const MAX_BATCH_BYTES: usize = 8 << 20;
