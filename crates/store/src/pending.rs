//! The state that database stores share: caches, the writer's queue, health, ids and usage.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::oneshot;

use crate::BoxFuture;
use crate::cache::{RecordCaches, Removal};
use crate::cache_slots::StoredRecord;
use crate::error::StoreError;
use crate::health::{HealthTracker, StoreHealth};
use crate::id::IdGenerator;
use crate::options::StoreOptions;
use crate::queue::{Job, JobQueue};
use crate::record::RecordKind;
use crate::session::SessionError;
use crate::usage::{LocalLoad, UsageTally};

/// The state of a database store; `W` is its type of write operations that are not records.
#[derive(Debug)]
pub(crate) struct PendingWrites<W> {
    pub(crate) caches: RecordCaches,
    pub(crate) queue: JobQueue<W>,
    pub(crate) health_tracker: HealthTracker,
    pub(crate) ids: IdGenerator,
    pub(crate) usage: UsageTally,
}

impl<W> PendingWrites<W> {
    pub(crate) fn new(options: &StoreOptions) -> Self {
        Self {
            caches: RecordCaches::new(&options.retention, options.cache_bytes),
            queue: JobQueue::new(options.queue_bytes),
            health_tracker: HealthTracker::default(),
            ids: IdGenerator::starting_after(0),
            usage: UsageTally::new(),
        }
    }

    pub(crate) fn enqueue(&self, job: Job<W>) {
        self.drop_records(&self.queue.push(job));
    }

    /// Puts jobs back at the front of the queue.
    pub(crate) fn requeue(&self, jobs: Vec<Job<W>>) {
        self.drop_records(&self.queue.push_front(jobs));
    }

    /// Reports records dropped because the queue is full.
    fn drop_records(&self, dropped: &[Arc<StoredRecord>]) {
        for record in dropped {
            self.caches.for_kind(record.kind).mark_written(record);
            if self.health_tracker.dropped.fetch_add(1, Ordering::Relaxed) == 0 {
                tracing::error!("records are dropped: the write queue is full");
            }
        }
    }

    /// Implements [`crate::RecordStore::remove`].
    pub(crate) fn remove(
        &self,
        kind: RecordKind,
        owner: Option<&str>,
        key: Option<&str>,
    ) -> BoxFuture<'static, Result<u64, StoreError>> {
        let (owner, key) = (owner.map(str::to_owned), key.map(str::to_owned));
        let removal = Removal { owner, key, before_id: self.ids.next() };
        let removal_id = self.caches.for_kind(kind).begin_removal(removal.clone());
        let (reply_tx, reply_rx) = oneshot::channel();
        self.enqueue(Job::Remove {
            kind,
            removal,
            removal_id,
            removed_before_write: 0,
            reply_tx: Some(reply_tx),
        });
        Box::pin(async move { reply_rx.await.unwrap_or_else(|_| Err(store_closed())) })
    }

    /// Implements [`crate::RecordStore::flush`].
    pub(crate) fn flush(&self) -> BoxFuture<'static, Result<(), StoreError>> {
        let (reply_tx, reply_rx) = oneshot::channel();
        self.enqueue(Job::Flush(reply_tx));
        Box::pin(async move { reply_rx.await.unwrap_or_else(|_| Err(store_closed())) })
    }

    /// Writes pending usage to the database, and reads the totals of the owners that have a token
    /// budget.
    pub(crate) fn flush_usage(
        &self,
        local_load: Option<&[LocalLoad]>,
    ) -> BoxFuture<'static, Result<(), SessionError>> {
        if let Some(local_load) = local_load {
            let watched = local_load.iter().filter(|load| load.has_token_budget);
            self.usage.watch_owners(watched.map(|load| load.owner.clone()).collect());
        }
        let (reply_tx, reply_rx) = oneshot::channel();
        self.enqueue(Job::FlushUsage(reply_tx));
        Box::pin(async move { Ok(reply_rx.await.unwrap_or_else(|_| Err(store_closed()))?) })
    }

    pub(crate) fn health(&self) -> StoreHealth {
        self.health_tracker.snapshot(self.queue.pending_writes())
    }
}

pub(crate) fn store_closed() -> StoreError {
    StoreError("the store is closed".into())
}
