//! The records of a store without a database: the cache has all of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{RecordCache, Removal};
use crate::cache_key::CacheKeyBuilder;
use crate::cache_slots::{CacheSlot, StoredRecord};
use crate::record::LookupHit;

impl RecordCache {
    /// Adds a record.
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

    /// Looks up records, and marks them as used.
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

    /// All records by id.
    pub(crate) fn records(&self) -> BTreeMap<i64, Arc<StoredRecord>> {
        let inner = &mut *self.lock();
        let records = inner.slots.iter_mut().flat_map(|slot| &slot.records);
        records.map(|record| (record.id, Arc::clone(record))).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().slots.is_empty()
    }

    /// Removes records.
    pub(crate) fn remove_records(&self, removal: &Removal) {
        let inner = &mut *self.lock();
        inner
            .slots
            .iter_mut()
            .for_each(|slot| slot.records.retain(|record| !removal.covers(record)));
    }
}
