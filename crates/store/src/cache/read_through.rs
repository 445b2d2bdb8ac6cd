//! The cache of a database on this machine: keys that were looked up before are answered from memory,
//! hits and misses alike; others are loaded. After another process has written, all slots are dropped.

use std::sync::Arc;

use super::{ActiveRemovals, Inner, RecordCache, hits};
use crate::cache_key::CacheKeyBuilder;
use crate::cache_slots::{CacheSlot, StoredRecord};
use crate::record::LookupHit;

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

impl RecordCache {
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
