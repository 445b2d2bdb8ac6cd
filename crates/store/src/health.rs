//! How a store is doing, and what is wrong with it.

use std::collections::HashSet;
use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::session::SessionId;

/// How a store is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Why nothing is stored or found on disk at the moment.
    pub trouble: Option<Trouble>,
    /// Records that wait to be written.
    pub waiting: u64,
    /// Records that were never written, because too much waited.
    pub dropped: u64,
    /// Records and turns on disk whose bytes are not what was written.
    pub damaged: u64,
    /// Records and conversations on disk that were sealed with a key that is not the configured one.
    pub foreign: u64,
    /// Records on disk, and the bytes of their bodies.
    pub records: u64,
    pub bytes: u64,
    /// Conversations.
    pub sessions: u64,
}

/// What is wrong, in words for the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble(pub String);

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Trouble {}

/// Health as it changes. Each trouble is said once in the log, and so is its end.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    writing: Mutex<Option<Trouble>>,
    reading: Mutex<Option<Trouble>>,
    pub(crate) dropped: AtomicU64,
    pub(crate) damaged: AtomicU64,
    pub(crate) foreign: AtomicU64,
    pub(crate) records: AtomicU64,
    pub(crate) bytes: AtomicU64,
    pub(crate) sessions: AtomicU64,
    /// Turns that are known to be damaged: each counts once.
    torn: Mutex<HashSet<(SessionId, Option<u64>)>>,
}

impl Pulse {
    pub(crate) fn wrote<T>(&self, result: &Result<T, Trouble>) {
        match turn(&self.writing, result.as_ref().err()) {
            News::Bad(trouble) => tracing::error!(
                "nothing is stored: {trouble}. Requests are answered; what is to be remembered waits \
                 in memory, within its limits"
            ),
            News::Good => tracing::info!("the store is written again"),
            News::No => {}
        }
    }

    pub(crate) fn read(&self, trouble: Option<&Trouble>) {
        match turn(&self.reading, trouble) {
            News::Bad(trouble) => tracing::error!(
                "the store cannot be read: {trouble}. Requests are answered without what it holds"
            ),
            News::Good => tracing::info!("the store is read again"),
            News::No => {}
        }
    }

    pub(crate) fn is_unreadable(&self) -> bool {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(crate) fn spoilt(&self) {
        if self.damaged.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::error!("a record of the store is damaged; such records are not found");
        }
    }

    /// A turn of a conversation is damaged, or what is said about it.
    pub(crate) fn tore(&self, id: SessionId, number: Option<u64>) {
        let mut torn = self.torn.lock().unwrap_or_else(PoisonError::into_inner);
        if torn.len() >= TORN || !torn.insert((id, number)) {
            return;
        }
        self.damaged.fetch_add(1, Ordering::Relaxed);
        if let Some(nth) = number {
            tracing::error!("turn {nth} of session {id} is damaged; the others are read");
        } else {
            tracing::error!("the title of session {id} is damaged; its turns are read");
        }
    }

    pub(crate) fn health(&self, waiting: u64) -> Health {
        let told =
            |of: &Mutex<Option<Trouble>>| of.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Health {
            trouble: told(&self.writing).or_else(|| told(&self.reading)),
            waiting,
            dropped: self.dropped.load(Ordering::Relaxed),
            damaged: self.damaged.load(Ordering::Relaxed),
            foreign: self.foreign.load(Ordering::Relaxed),
            records: self.records.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            sessions: self.sessions.load(Ordering::Relaxed),
        }
    }
}

enum News {
    Bad(Trouble),
    /// The trouble is over.
    Good,
    No,
}

fn turn(state: &Mutex<Option<Trouble>>, now: Option<&Trouble>) -> News {
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    let before = mem::replace(&mut *state, now.cloned());
    match (before, now) {
        (None, Some(trouble)) => News::Bad(trouble.clone()),
        (Some(_), None) => News::Good,
        _ => News::No,
    }
}

/// How many damaged turns are told apart.
const TORN: usize = 10_000;
