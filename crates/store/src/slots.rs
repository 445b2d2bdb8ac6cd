//! What lies under each place of a shelf, bounded in bytes.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use bytes::Bytes;

use crate::MOST;
use crate::places::ByPlace;
use crate::record::{Kind, Record};

/// A record as it lies on a shelf.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) id: i64,
    pub(crate) kind: Kind,
    pub(crate) owner: String,
    pub(crate) keys: Vec<String>,
    pub(crate) body: Bytes,
    /// When it was last needed.
    pub(crate) used: AtomicI64,
}

/// Everything under one place, as far as it is known.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// The newest first.
    pub(crate) kept: Vec<Arc<Kept>>,
    /// There may be more; this load will tell.
    pub(crate) loading: Option<u64>,
}

/// Slots by place. Those that nobody asks for go: when the young ones fill half of the room they
/// become the old ones, and the old ones that were not asked for meanwhile are dropped.
#[derive(Debug)]
pub(crate) struct Slots {
    young: ByPlace<Slot>,
    old: ByPlace<Slot>,
    bytes: usize,
    room: usize,
}

impl Kept {
    /// The body is copied: it may be a slice of something much larger.
    pub(crate) fn new(record: Record, id: i64, now: i64) -> Self {
        let Record { kind, owner, keys, body } = record;
        let body = Bytes::copy_from_slice(&body);
        Self { id, kind, owner, keys, body, used: AtomicI64::new(now) }
    }

    pub(crate) fn record(&self) -> Record {
        Record {
            kind: self.kind,
            owner: self.owner.clone(),
            keys: self.keys.clone(),
            body: self.body.clone(),
        }
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.body == other.body && self.keys == other.keys && self.owner == other.owner
    }

    /// Bytes it takes, about.
    pub(crate) fn cost(&self) -> usize {
        let keys: usize = self.keys.iter().map(|key| key.len() + OVERHEAD).sum();
        self.body.len() + self.owner.len() + keys + OVERHEAD
    }
}

impl Slot {
    /// Puts a record in its place, once.
    pub(crate) fn put(&mut self, kept: &Arc<Kept>) {
        let at = self.kept.partition_point(|other| other.id > kept.id);
        let same = |other: &Arc<Kept>| other.id == kept.id || other.is_same(kept);
        if !self.kept.iter().any(same) {
            self.kept.insert(at, Arc::clone(kept));
            self.kept.truncate(MOST);
        }
    }

    fn cost(&self) -> usize {
        OVERHEAD + self.kept.iter().map(|kept| kept.cost()).sum::<usize>()
    }
}

impl Slots {
    pub(crate) fn new(bytes: usize) -> Self {
        let (young, old) = (ByPlace::default(), ByPlace::default());
        Self { young, old, bytes: 0, room: bytes / 2 }
    }

    pub(crate) fn find(&mut self, place: &str) -> Option<&mut Slot> {
        if !self.old.is_empty()
            && !self.young.contains_key(place)
            && let Some((place, slot)) = self.old.remove_entry(place)
        {
            self.bytes += place.len() + slot.cost();
            self.young.insert(place, slot);
        }
        self.young.get_mut(place)
    }

    pub(crate) fn insert(&mut self, place: &str, slot: Slot) {
        self.old.remove(place);
        self.bytes += place.len() + slot.cost();
        self.young.insert(place.into(), slot);
        self.make_room();
    }

    /// Puts a record where there is a slot for it.
    pub(crate) fn put(&mut self, place: &str, kept: &Arc<Kept>) -> bool {
        let Some(slot) = self.find(place) else { return false };
        slot.put(kept);
        self.bytes += kept.cost();
        self.make_room();
        true
    }

    pub(crate) fn remove(&mut self, place: &str) {
        self.young.remove(place);
        self.old.remove(place);
    }

    pub(crate) fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
        self.bytes = 0;
    }

    pub(crate) fn are_none(&self) -> bool {
        self.young.is_empty() && self.old.is_empty()
    }

    pub(crate) fn each(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.young.values_mut().chain(self.old.values_mut())
    }

    fn make_room(&mut self) {
        if self.bytes > self.room {
            self.old = mem::take(&mut self.young);
            self.bytes = 0;
        }
    }
}

/// Of an entry of a map, and of a record beside its texts.
const OVERHEAD: usize = 96;
