//! Caches the records of one kind: hits, misses and records that wait to be written.
//!
//! There are three protocols, one per file: `memory_only`, where the cache is the store; `read_through`,
//! where it answers for a database on this machine; and `shared_database`, where the database answers
//! and the cache completes.

mod known_empty;
mod memory_only;
mod read_through;
mod removal;
mod shared_database;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::cache_key::{CacheKeyBuilder, CacheKeyMap};
use crate::cache_slots::{CacheSlots, StoredRecord};
use crate::record::{LookupHit, RecordKind};
use crate::retention::Retention;

use self::known_empty::KnownEmpty;

pub(crate) use self::read_through::CacheMiss;
pub(crate) use self::removal::{ActiveRemovals, Removal};
pub(crate) use self::shared_database::KeySnapshot;

/// One cache per kind.
#[derive(Debug)]
pub(crate) struct RecordCaches([RecordCache; RecordKind::ALL.len()]);

/// The records of one kind in memory: all of them in [`crate::MemoryStore`], otherwise a cache of
/// the database.
#[derive(Debug)]
pub(crate) struct RecordCache {
    inner: Mutex<Inner>,
    /// Records that were not used for this many milliseconds are not returned.
    max_age_millis: i64,
}

#[derive(Debug)]
struct Inner {
    slots: CacheSlots,
    /// Records not in the database yet, by cache key. Not bounded here: the writer's queue is.
    pending: CacheKeyMap<Vec<Arc<StoredRecord>>>,
    active_removals: ActiveRemovals,
    /// Number of finished removals.
    finished_removals: u64,
    known_empty: KnownEmpty,
    /// The last id of a load or removal.
    last_id: u64,
}

impl RecordCaches {
    /// Holds at most `bytes` per kind, and at most what the retention allows.
    pub(crate) fn new(retention: &Retention, bytes: usize) -> Self {
        Self(RecordKind::ALL.map(|kind| {
            let retention_limits = retention.for_kind(kind);
            RecordCache::new(
                bytes.min(usize::try_from(retention_limits.max_bytes).unwrap_or(bytes)),
                retention_limits.max_age,
            )
        }))
    }

    /// Calls [`RecordCache::invalidate`] for every kind.
    pub(crate) fn invalidate(&self) {
        for cache in &self.0 {
            cache.invalidate();
        }
    }

    pub(crate) fn for_kind(&self, kind: RecordKind) -> &RecordCache {
        &self.0[kind.index()]
    }
}

impl RecordCache {
    fn new(bytes: usize, age: Duration) -> Self {
        let inner = Inner {
            slots: CacheSlots::new(bytes),
            pending: CacheKeyMap::default(),
            active_removals: ActiveRemovals::default(),
            finished_removals: 0,
            known_empty: KnownEmpty::default(),
            last_id: 0,
        };
        let max_age_millis = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        Self { inner: Mutex::new(inner), max_age_millis }
    }

    /// Removes a record from the pending ones.
    pub(crate) fn mark_written(&self, record: &StoredRecord) {
        let inner = &mut *self.lock();
        inner.known_empty.invalidate();
        let mut cache_keys = CacheKeyBuilder::for_owner(&record.owner);
        for key in &record.keys {
            let cache_key = cache_keys.key(key);
            if let Some(pending) = inner.pending.get_mut(cache_key) {
                pending.retain(|other| other.id != record.id);
                if pending.is_empty() {
                    inner.pending.remove(cache_key);
                }
            }
        }
    }

    /// Pending records by id.
    pub(crate) fn pending(&self) -> BTreeMap<i64, Arc<StoredRecord>> {
        let inner = self.lock();
        let records = inner.pending.values().flatten();
        records.map(|record| (record.id, Arc::clone(record))).collect()
    }

    /// Hides these records from lookups until the database has removed them.
    pub(crate) fn begin_removal(&self, removal: Removal) -> u64 {
        let inner = &mut *self.lock();
        inner.pending.retain(|_, pending| {
            pending.retain(|record| !removal.covers(record));
            !pending.is_empty()
        });
        inner.slots.clear();
        inner.last_id += 1;
        inner.active_removals.add(inner.last_id, removal);
        inner.last_id
    }

    /// The database has removed them. Rows read before that are stale.
    pub(crate) fn finish_removal(&self, removal_id: u64) {
        let inner = &mut *self.lock();
        inner.active_removals.remove(removal_id);
        inner.finished_removals += 1;
        inner.slots.clear();
    }

    pub(crate) fn active_removals(&self) -> ActiveRemovals {
        self.lock().active_removals.clone()
    }

    /// Drops rows that are being removed, or were when they were queried.
    pub(crate) fn retain_not_removed(
        &self,
        rows: &mut BTreeMap<i64, Arc<StoredRecord>>,
        active_removals: &ActiveRemovals,
    ) {
        let inner = self.lock();
        rows.retain(|_, row| !inner.active_removals.covers(row) && !active_removals.covers(row));
    }

    /// Drops all slots: another process has changed the database.
    pub(crate) fn invalidate(&self) {
        let inner = &mut *self.lock();
        inner.known_empty.invalidate();
        inner.slots.clear();
    }

    fn is_fresh(&self, record: &StoredRecord, now: i64) -> bool {
        now.saturating_sub(record.last_used.load(Ordering::Relaxed)) <= self.max_age_millis
    }

    /// Updates the last use; returns true if it is old enough to be written.
    fn touch_if_stale(&self, record: &StoredRecord, now: i64) -> bool {
        let is_stale =
            now.saturating_sub(record.last_used.load(Ordering::Relaxed)) > self.max_age_millis / 16;
        if is_stale {
            record.last_used.store(now, Ordering::Relaxed);
        }
        is_stale
    }

    pub(crate) fn is_known_empty(&self) -> bool {
        self.lock().known_empty.is_set()
    }

    /// To be read before the database query, for [`RecordCache::set_known_empty`].
    pub(crate) fn change_count(&self) -> u64 {
        self.lock().known_empty.change_count()
    }

    /// The database had no records at some time after the change with number `changes`.
    pub(crate) fn set_known_empty(&self, changes: u64) {
        let inner = &mut *self.lock();
        let is_set = inner.known_empty.change_count() == changes && inner.pending.is_empty();
        inner.known_empty.set(is_set);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn hits<'k>(
    key: &str,
    records: impl Iterator<Item = &'k Arc<StoredRecord>>,
) -> impl Iterator<Item = LookupHit> {
    records.map(move |record| LookupHit { key: key.to_owned(), body: record.body.clone() })
}
