//! Caches the records of one kind: hits, misses and records that wait to be written.

mod bare;
mod removal;
mod shared;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::cache_key::{CacheKeyBuilder, CacheKeyMap};
use crate::cache_slots::{CacheSlot, CacheSlots, StoredRecord};
use crate::record::{LookupHit, RecordKind};
use crate::retention::Retention;

use self::bare::KnownEmpty;

pub(crate) use self::removal::{ActiveRemovals, Removal};
pub(crate) use self::shared::KeySnapshot;

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

#[derive(Debug, Default)]
pub(crate) struct CacheLookup {
    pub(crate) hits: Vec<LookupHit>,
    /// Keys that must be loaded from the database, with their pending records.
    pub(crate) misses: Vec<CacheMiss>,
    pub(crate) load_id: u64,
    /// Ids of hits that were not used recently; their use is to be written.
    pub(crate) touched: Vec<i64>,
}

/// A key that is being loaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct CacheMiss {
    pub(crate) key: String,
    /// Records waiting to be written; the load may or may not see them.
    pub(crate) pending: Vec<Arc<StoredRecord>>,
    /// The removals in progress when the load began.
    active_removals: ActiveRemovals,
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

    /// Adds a record that waits to be written; returns false if an equal one is cached or waits.
    pub(crate) fn insert_pending(&self, record: &Arc<StoredRecord>) -> bool {
        let inner = &mut *self.lock();
        inner.known_empty.invalidate();
        let mut cache_keys = CacheKeyBuilder::for_owner(&record.owner);
        for (nth, key) in record.keys.iter().enumerate() {
            let cache_key = cache_keys.key(key);
            if nth == 0 && inner.has_equal_record(cache_key, record) {
                return false;
            }
            inner.slots.add_record(cache_key, record);
            inner.pending.entry(cache_key.into()).or_default().push(Arc::clone(record));
        }
        true
    }

    /// Adds a record of a store without a database.
    pub(crate) fn insert(&self, record: &Arc<StoredRecord>) {
        let inner = &mut *self.lock();
        let mut cache_keys = CacheKeyBuilder::for_owner(&record.owner);
        for key in &record.keys {
            let cache_key = cache_keys.key(key);
            if !inner.slots.add_record(cache_key, record) {
                let slot = CacheSlot { records: vec![Arc::clone(record)], load_id: None };
                inner.slots.insert(cache_key, slot);
            }
        }
    }

    /// Looks up cached records. Missing keys are marked as loading.
    pub(crate) fn lookup(&self, owner: &str, keys: &[&str], now: i64) -> CacheLookup {
        let mut lookup = CacheLookup::default();
        let inner = &mut *self.lock();
        if inner.known_empty.is_set() {
            return lookup;
        }
        let mut cache_keys = CacheKeyBuilder::for_owner(owner);
        for key in keys {
            let cache_key = cache_keys.key(key);
            let cached = inner.slots.get(cache_key).filter(|slot| slot.load_id.is_none());
            if let Some(slot) = cached {
                let fresh = slot.records.iter().filter(|record| self.is_fresh(record, now));
                for record in fresh {
                    if self.touch_if_stale(record, now) {
                        lookup.touched.push(record.id);
                    }
                    lookup
                        .hits
                        .push(LookupHit { key: (*key).to_owned(), body: record.body.clone() });
                }
            } else {
                lookup.load_id = inner.begin_load(cache_key, lookup.load_id);
                let pending = inner.pending.get(cache_key).cloned().unwrap_or_default();
                let active_removals = inner.active_removals.clone();
                lookup.misses.push(CacheMiss { key: (*key).to_owned(), pending, active_removals });
            }
        }
        lookup
    }

    /// Looks up records of a store without a database.
    pub(crate) fn lookup_memory(&self, owner: &str, keys: &[&str], now: i64) -> Vec<LookupHit> {
        let inner = &mut *self.lock();
        let mut cache_keys = CacheKeyBuilder::for_owner(owner);
        let mut hits = Vec::new();
        for key in keys {
            let cache_key = cache_keys.key(key);
            let Some(slot) = inner.slots.get(cache_key) else { continue };
            slot.records.retain(|record| self.is_fresh(record, now));
            for record in &slot.records {
                record.last_used.store(now, Ordering::Relaxed);
                hits.push(LookupHit { key: (*key).to_owned(), body: record.body.clone() });
            }
        }
        hits
    }

    /// Marks the record's keys without a slot as loading and returns them.
    pub(crate) fn start_loads(&self, record: &StoredRecord) -> (Vec<CacheMiss>, u64) {
        let inner = &mut *self.lock();
        let mut cache_keys = CacheKeyBuilder::for_owner(&record.owner);
        let (mut misses, mut load_id) = (Vec::new(), 0);
        for key in &record.keys {
            let cache_key = cache_keys.key(key);
            if inner.slots.get(cache_key).is_none() {
                load_id = inner.begin_load(cache_key, load_id);
                let active_removals = inner.active_removals.clone();
                misses.push(CacheMiss { key: key.clone(), pending: Vec::new(), active_removals });
            }
        }
        (misses, load_id)
    }

    /// Completes a load with the rows from the database; returns all records under the key.
    pub(crate) fn finish_load(
        &self,
        owner: &str,
        miss: &CacheMiss,
        load_id: u64,
        rows: &[Arc<StoredRecord>],
    ) -> Vec<Arc<StoredRecord>> {
        let inner = &mut *self.lock();
        let mut cache_keys = CacheKeyBuilder::for_owner(owner);
        let cache_key = cache_keys.key(&miss.key);
        let mut merged = CacheSlot::default();
        for row in rows.iter().chain(&miss.pending) {
            if !inner.active_removals.covers(row) && !miss.active_removals.covers(row) {
                merged.insert(row);
            }
        }
        inner.pending.get(cache_key).into_iter().flatten().for_each(|record| merged.insert(record));
        let Some(slot) = inner.slots.get(cache_key) else { return merged.records };
        slot.records.iter().for_each(|record| merged.insert(record));
        let records = merged.records.clone();
        if slot.load_id == Some(load_id) {
            inner.slots.insert(cache_key, merged);
        }
        records
    }

    /// Drops the slots of a failed load.
    pub(crate) fn abort_load(&self, owner: &str, misses: &[CacheMiss], load_id: u64) {
        let inner = &mut *self.lock();
        let mut cache_keys = CacheKeyBuilder::for_owner(owner);
        for CacheMiss { key, .. } in misses {
            let cache_key = cache_keys.key(key);
            if inner.slots.get(cache_key).is_some_and(|slot| slot.load_id == Some(load_id)) {
                inner.slots.remove(cache_key);
            }
        }
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

    /// Cached records by id.
    pub(crate) fn records(&self) -> BTreeMap<i64, Arc<StoredRecord>> {
        let inner = &mut *self.lock();
        let records = inner.slots.iter_mut().flat_map(|slot| &slot.records);
        records.map(|record| (record.id, Arc::clone(record))).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().slots.is_empty()
    }

    /// Removes records of a store without a database.
    pub(crate) fn remove_records(&self, removal: &Removal) {
        let inner = &mut *self.lock();
        inner
            .slots
            .iter_mut()
            .for_each(|slot| slot.records.retain(|record| !removal.covers(record)));
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

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn has_equal_record(&mut self, cache_key: &str, record: &StoredRecord) -> bool {
        let is_pending = self
            .pending
            .get(cache_key)
            .into_iter()
            .flatten()
            .any(|other| other.has_same_content(record));
        let slot = self.slots.get(cache_key);
        is_pending
            || slot
                .is_some_and(|slot| slot.records.iter().any(|other| other.has_same_content(record)))
    }

    /// Creates a slot with the pending records, to be completed by the load.
    fn begin_load(&mut self, cache_key: &str, load_id: u64) -> u64 {
        let load_id = if load_id == 0 {
            self.last_id += 1;
            self.last_id
        } else {
            load_id
        };
        if self.slots.get(cache_key).is_none() {
            let mut slot = CacheSlot { load_id: Some(load_id), ..CacheSlot::default() };
            self.pending
                .get(cache_key)
                .into_iter()
                .flatten()
                .for_each(|record| slot.insert(record));
            self.slots.insert(cache_key, slot);
        }
        load_id
    }
}

impl CacheMiss {
    pub(crate) fn pending_hits(&self) -> impl Iterator<Item = LookupHit> {
        hits(&self.key, self.pending.iter().rev())
    }
}

pub(crate) fn hits<'k>(
    key: &str,
    records: impl Iterator<Item = &'k Arc<StoredRecord>>,
) -> impl Iterator<Item = LookupHit> {
    records.map(move |record| LookupHit { key: key.to_owned(), body: record.body.clone() })
}
