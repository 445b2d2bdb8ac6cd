//! The cache of a database that other processes write too: every lookup queries the database;
//! cached bodies are not read again, and are the fallback while the database is unavailable.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{ActiveRemovals, RecordCache};
use crate::cache_key::CacheKeyBuilder;
use crate::cache_slots::{CacheSlot, StoredRecord};

/// A key to be queried, with what the cache had for it before the query.
#[derive(Clone, Debug)]
pub(crate) struct KeySnapshot {
    pub(crate) key: String,
    /// Records waiting to be written; the query may or may not see them.
    pending: Vec<Arc<StoredRecord>>,
    /// The records of the last query.
    pub(crate) cached: Vec<Arc<StoredRecord>>,
    /// The removals in progress before the query, and the number of finished ones.
    active_removals: ActiveRemovals,
    finished_removals: u64,
}

impl RecordCache {
    /// Adds a record that waits to be written; returns false if an equal one waits already.
    pub(crate) fn add_pending(&self, record: &Arc<StoredRecord>) -> bool {
        let inner = &mut *self.lock();
        let mut cache_keys = CacheKeyBuilder::for_owner(&record.owner);
        for (nth, key) in record.keys.iter().enumerate() {
            let cache_key = cache_keys.key(key);
            let pending = inner.pending.entry(cache_key.into()).or_default();
            if nth == 0 && pending.iter().any(|other| other.has_same_content(record)) {
                return false;
            }
            pending.push(Arc::clone(record));
        }
        true
    }

    pub(crate) fn snapshot(&self, owner: &str, keys: &[&str]) -> Vec<KeySnapshot> {
        let inner = &mut *self.lock();
        let mut cache_keys = CacheKeyBuilder::for_owner(owner);
        let mut snapshots = Vec::with_capacity(keys.len());
        for key in keys {
            let cache_key = cache_keys.key(key);
            let cached = inner.slots.get(cache_key).map(|slot| slot.records.clone());
            snapshots.push(KeySnapshot {
                key: (*key).to_owned(),
                pending: inner.pending.get(cache_key).cloned().unwrap_or_default(),
                cached: cached.unwrap_or_default(),
                active_removals: inner.active_removals.clone(),
                finished_removals: inner.finished_removals,
            });
        }
        snapshots
    }

    /// Merges the database rows of a key with pending records. Ids of records that were not used
    /// recently are added to `revived`.
    pub(crate) fn merge_rows(
        &self,
        owner: &str,
        snapshot: &KeySnapshot,
        rows: &[Arc<StoredRecord>],
        now: i64,
        revived: &mut Vec<i64>,
    ) -> Vec<Arc<StoredRecord>> {
        let inner = &mut *self.lock();
        let mut cache_keys = CacheKeyBuilder::for_owner(owner);
        let cache_key = cache_keys.key(&snapshot.key);
        let mut merged = CacheSlot::default();
        for row in rows.iter().chain(&snapshot.pending) {
            if !inner.active_removals.covers(row) && !snapshot.active_removals.covers(row) {
                merged.insert(row);
            }
        }
        inner.pending.get(cache_key).into_iter().flatten().for_each(|record| merged.insert(record));
        merged.records.retain(|record| self.is_fresh(record, now));
        revived.extend(
            merged
                .records
                .iter()
                .filter(|record| self.touch_if_stale(record, now))
                .map(|record| record.id),
        );
        let ids =
            |slot: &CacheSlot| slot.records.iter().map(|record| record.id).collect::<Vec<_>>();
        let unchanged = inner.slots.get(cache_key).is_some_and(|slot| ids(slot) == ids(&merged));
        let records = merged.records.clone();
        // Rows read before a removal finished must not be cached.
        if !unchanged && inner.finished_removals == snapshot.finished_removals {
            inner.slots.insert(cache_key, merged);
        }
        records
    }

    /// Returns the records of a key that are known without the database.
    pub(crate) fn fallback_records(
        &self,
        snapshot: &KeySnapshot,
        now: i64,
    ) -> Vec<Arc<StoredRecord>> {
        let mut merged = CacheSlot::default();
        snapshot.cached.iter().chain(&snapshot.pending).for_each(|record| merged.insert(record));
        merged.records.retain(|record| self.is_fresh(record, now));
        merged.records
    }
}

impl StoredRecord {
    /// Records that it was used at this time, in Unix milliseconds.
    pub(crate) fn touch(&self, used: i64) {
        self.last_used.fetch_max(used, Ordering::Relaxed);
    }
}
