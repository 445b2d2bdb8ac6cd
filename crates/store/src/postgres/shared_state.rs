//! What the threads and tasks of a PostgreSQL store share.

use std::convert::Infallible;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::pool::ConnectionPool;
use crate::error::StoreError;
use crate::options::StoreOptions;
use crate::pending::PendingWrites;
use crate::queue;
use crate::session::SessionClock;

#[derive(Debug)]
pub(super) struct SharedState {
    pub(super) pool: ConnectionPool,
    pub(super) options: StoreOptions,
    pub(super) pending: PendingWrites<Infallible>,
    pub(super) clock: SessionClock,
    /// Some rows may have been written without the key.
    pub(super) has_plaintext: AtomicBool,
    /// It is being checked whether the database can be reached.
    is_checking: AtomicBool,
}

/// The writer's queue has no other operations than those of records.
pub(super) type Job = queue::Job<Infallible>;

impl SharedState {
    pub(super) fn new(pool: ConnectionPool, options: StoreOptions) -> Self {
        Self {
            pending: PendingWrites::new(&options),
            clock: SessionClock::default(),
            // Assumed until the rows are counted.
            has_plaintext: AtomicBool::new(true),
            is_checking: AtomicBool::new(false),
            pool,
            options,
        }
    }

    /// After a request has failed: reports the database as unreadable if it cannot be reached. A slow
    /// query alone concerns only its own request.
    pub(super) fn check_reachable(self: &Arc<Self>, error: &StoreError) {
        if self.is_checking.swap(true, Ordering::Relaxed) {
            return;
        }
        let (shared, error) = (Arc::clone(self), error.clone());
        tokio::spawn(async move {
            if shared.pool.ping().await.is_err() {
                shared.health_tracker.record_read(Some(&error));
            }
            shared.is_checking.store(false, Ordering::Relaxed);
        });
    }
}

impl Deref for SharedState {
    type Target = PendingWrites<Infallible>;

    fn deref(&self) -> &Self::Target {
        &self.pending
    }
}
