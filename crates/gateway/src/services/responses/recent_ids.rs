//! Remembers the ids of the latest stored replies, without a lookup in the store.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Hashes of the owners and ids of the latest replies.
#[derive(Debug, Default)]
pub(super) struct RecentIds {
    hasher: RandomState,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    known: HashSet<u64>,
    oldest_first: VecDeque<u64>,
}

impl RecentIds {
    pub(super) fn contains(&self, owner: &str, id: &str) -> bool {
        self.lock().known.contains(&self.hasher.hash_one((owner, id)))
    }

    pub(super) fn insert(&self, owner: &str, id: &str) {
        let hash = self.hasher.hash_one((owner, id));
        let mut inner = self.lock();
        if !inner.known.insert(hash) {
            return;
        }
        inner.oldest_first.push_back(hash);
        if inner.oldest_first.len() > MAX_RECENT_IDS
            && let Some(oldest) = inner.oldest_first.pop_front()
        {
            inner.known.remove(&oldest);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// About two megabytes.
const MAX_RECENT_IDS: usize = 65_536;
