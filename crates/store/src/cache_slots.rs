//! Maps cache keys to records, bounded in bytes.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use bytes::Bytes;

use crate::MAX_RECORDS_PER_KEY;
use crate::cache_key::CacheKeyMap;
use crate::record::{Record, RecordKind, RecordList};

/// A record in the cache.
#[derive(Debug)]
pub(crate) struct StoredRecord {
    pub(crate) id: i64,
    pub(crate) kind: RecordKind,
    pub(crate) owner: String,
    pub(crate) keys: Vec<String>,
    pub(crate) body: Bytes,
    /// Approximate size in memory; each of the keys asks for it.
    size_bytes: usize,
    /// Unix milliseconds.
    pub(crate) last_used: AtomicI64,
}

/// All records of a kind, by id.
#[derive(Debug, Default)]
pub(crate) struct StoredList {
    pub(crate) records: BTreeMap<i64, Arc<StoredRecord>>,
    /// Rows that cannot be decoded.
    pub(crate) unreadable: u64,
}

/// The known records under one cache key.
#[derive(Debug, Default)]
pub(crate) struct CacheSlot {
    /// Newest first.
    pub(crate) records: Vec<Arc<StoredRecord>>,
    /// The load that will complete this slot; until then the database may have more records.
    pub(crate) load_id: Option<u64>,
}

/// A cache of two generations: when the young one exceeds half of the capacity it becomes the old
/// one, and the slots of the previous old one that were not used since are dropped.
#[derive(Debug)]
pub(crate) struct CacheSlots {
    young: CacheKeyMap<CacheSlot>,
    old: CacheKeyMap<CacheSlot>,
    bytes: usize,
    max_young_bytes: usize,
}

impl StoredList {
    pub(crate) fn into_list(self) -> RecordList {
        let records = self.records.values().rev().map(|record| record.to_record()).collect();
        RecordList { records, unreadable: self.unreadable }
    }
}

impl StoredRecord {
    /// Copies the body: it may be a slice of a much larger buffer.
    pub(crate) fn new(record: Record, id: i64, now: i64) -> Self {
        let Record { kind, owner, keys, body } = record;
        let body = Bytes::copy_from_slice(&body);
        Self::from_parts(id, kind, owner, keys, body, now)
    }

    pub(crate) fn from_parts(
        id: i64,
        kind: RecordKind,
        owner: String,
        keys: Vec<String>,
        body: Bytes,
        last_used: i64,
    ) -> Self {
        let key_bytes: usize = keys.iter().map(|key| key.len() + ENTRY_OVERHEAD_BYTES).sum();
        let size_bytes = body.len() + owner.len() + key_bytes + ENTRY_OVERHEAD_BYTES;
        Self { id, kind, owner, keys, body, size_bytes, last_used: AtomicI64::new(last_used) }
    }

    pub(crate) fn to_record(&self) -> Record {
        Record {
            kind: self.kind,
            owner: self.owner.clone(),
            keys: self.keys.clone(),
            body: self.body.clone(),
        }
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    pub(crate) fn has_same_content(&self, other: &Self) -> bool {
        self.body == other.body && self.keys == other.keys && self.owner == other.owner
    }
}

impl CacheSlot {
    /// Inserts a record at its position, unless the slot has it already.
    pub(crate) fn insert(&mut self, record: &Arc<StoredRecord>) {
        let index = self.records.partition_point(|other| other.id > record.id);
        let same =
            |other: &Arc<StoredRecord>| other.id == record.id || other.has_same_content(record);
        if !self.records.iter().any(same) {
            self.records.insert(index, Arc::clone(record));
            self.records.truncate(MAX_RECORDS_PER_KEY);
        }
    }

    fn size_bytes(&self) -> usize {
        ENTRY_OVERHEAD_BYTES + self.records.iter().map(|record| record.size_bytes()).sum::<usize>()
    }
}

impl CacheSlots {
    pub(crate) fn new(bytes: usize) -> Self {
        let (young, old) = (CacheKeyMap::default(), CacheKeyMap::default());
        Self { young, old, bytes: 0, max_young_bytes: bytes / 2 }
    }

    pub(crate) fn get(&mut self, key: &str) -> Option<&mut CacheSlot> {
        if !self.old.is_empty()
            && !self.young.contains_key(key)
            && let Some((key, slot)) = self.old.remove_entry(key)
        {
            self.bytes += key.len() + slot.size_bytes();
            self.young.insert(key, slot);
        }
        self.young.get_mut(key)
    }

    pub(crate) fn insert(&mut self, key: &str, slot: CacheSlot) {
        self.old.remove(key);
        self.bytes += key.len() + slot.size_bytes();
        self.young.insert(key.into(), slot);
        self.rotate_if_full();
    }

    /// Adds a record if the key has a slot.
    pub(crate) fn add_record(&mut self, key: &str, record: &Arc<StoredRecord>) -> bool {
        let Some(slot) = self.get(key) else { return false };
        slot.insert(record);
        self.bytes += record.size_bytes();
        self.rotate_if_full();
        true
    }

    pub(crate) fn remove(&mut self, key: &str) {
        self.young.remove(key);
        self.old.remove(key);
    }

    pub(crate) fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
        self.bytes = 0;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.young.is_empty() && self.old.is_empty()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut CacheSlot> {
        self.young.values_mut().chain(self.old.values_mut())
    }

    fn rotate_if_full(&mut self) {
        if self.bytes > self.max_young_bytes {
            self.old = mem::take(&mut self.young);
            self.bytes = 0;
        }
    }
}

/// Approximate overhead of a map entry, and of a record besides its texts.
const ENTRY_OVERHEAD_BYTES: usize = 96;
