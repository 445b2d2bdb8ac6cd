//! Tracks store errors and counts for health reports and the log.

use std::collections::HashSet;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::StoreError;

/// The state of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreHealth {
    /// The current write error, or else the current read error.
    pub error: Option<StoreError>,
    /// Records waiting to be written.
    pub pending_records: u64,
    /// Records dropped because the queue was full.
    pub dropped_records: u64,
    /// Damaged records and turns on disk: their checksum or authentication tag does not match.
    pub damaged_rows: u64,
    /// Records and sessions on disk that are encrypted with a key other than the configured one.
    pub foreign_key_rows: u64,
    /// Records on disk, and the bytes of their bodies.
    pub records: u64,
    pub bytes: u64,
    /// Conversations.
    pub sessions: u64,
}

/// Tracks health; logs each error once when it begins and once when it ends.
#[derive(Debug, Default)]
pub(crate) struct HealthTracker {
    write_error: Mutex<Option<StoreError>>,
    read_error: Mutex<Option<StoreError>>,
    pub(crate) dropped: AtomicU64,
    pub(crate) damaged: AtomicU64,
    pub(crate) other_key: AtomicU64,
    pub(crate) records: AtomicU64,
    pub(crate) bytes: AtomicU64,
    pub(crate) sessions: AtomicU64,
    /// Damaged turns counted so far, by session and number, so that each counts once.
    damaged_turns: Mutex<HashSet<(String, Option<u64>)>>,
}

impl HealthTracker {
    pub(crate) fn record_write<T>(&self, result: &Result<T, StoreError>) {
        match update_error(&self.write_error, result.as_ref().err()) {
            Transition::Failed(error) => tracing::error!(
                "the store cannot be written: {error}. Requests are still served; records wait in \
                 memory, up to the size limit"
            ),
            Transition::Recovered => tracing::info!("the store can be written again"),
            Transition::Unchanged => {}
        }
    }

    pub(crate) fn record_read(&self, error: Option<&StoreError>) {
        match update_error(&self.read_error, error) {
            Transition::Failed(error) => tracing::error!(
                "the store cannot be read: {error}. Requests are still served, without stored records"
            ),
            Transition::Recovered => tracing::info!("the store can be read again"),
            Transition::Unchanged => {}
        }
    }

    pub(crate) fn read_error(&self) -> Option<StoreError> {
        self.read_error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn count_damaged_record(&self) {
        if self.damaged.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::error!("a stored record is damaged; lookups skip damaged records");
        }
    }

    /// Counts a damaged turn of a session, or with no `number` a damaged title.
    pub(crate) fn count_damaged_turn(&self, id: &impl ToString, number: Option<u64>) {
        let id = id.to_string();
        let mut damaged_turns = self.damaged_turns.lock().unwrap_or_else(PoisonError::into_inner);
        if damaged_turns.len() >= MAX_DAMAGED_TURNS || !damaged_turns.insert((id.clone(), number)) {
            return;
        }
        self.damaged.fetch_add(1, Ordering::Relaxed);
        if let Some(nth) = number {
            tracing::error!("turn {nth} of session {id} is damaged; its other turns can be read");
        } else {
            tracing::error!("the title of session {id} is damaged; its turns can be read");
        }
    }

    pub(crate) fn snapshot(&self, pending: u64) -> StoreHealth {
        let load_error = |state: &Mutex<Option<StoreError>>| {
            state.lock().unwrap_or_else(PoisonError::into_inner).clone()
        };
        StoreHealth {
            error: load_error(&self.write_error).or_else(|| load_error(&self.read_error)),
            pending_records: pending,
            dropped_records: self.dropped.load(Ordering::Relaxed),
            damaged_rows: self.damaged.load(Ordering::Relaxed),
            foreign_key_rows: self.other_key.load(Ordering::Relaxed),
            records: self.records.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            sessions: self.sessions.load(Ordering::Relaxed),
        }
    }
}

enum Transition {
    Failed(StoreError),
    Recovered,
    Unchanged,
}

fn update_error(state: &Mutex<Option<StoreError>>, current: Option<&StoreError>) -> Transition {
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    let previous = mem::replace(&mut *state, current.cloned());
    match (previous, current) {
        (None, Some(error)) => Transition::Failed(error.clone()),
        (Some(_), None) => Transition::Recovered,
        _ => Transition::Unchanged,
    }
}

/// Maximum number of damaged turns that are counted individually.
const MAX_DAMAGED_TURNS: usize = 10_000;
