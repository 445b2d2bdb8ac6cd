//! Filters out records that a queued removal has not deleted yet.

use crate::cache_slots::StoredRecord;

/// Selects the records to remove.
#[derive(Clone, Debug)]
pub(crate) struct Removal {
    pub(crate) owner: Option<String>,
    pub(crate) key: Option<String>,
    /// Records with this id or a larger one stay.
    pub(crate) before_id: i64,
}

/// The removals in progress, by their ids.
///
/// A query takes a copy along: a removal that finishes before the rows are processed may still have
/// been in progress when the database was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveRemovals(Vec<(u64, Removal)>);

impl Removal {
    pub(crate) fn covers(&self, record: &StoredRecord) -> bool {
        record.id < self.before_id
            && self.owner.as_ref().is_none_or(|owner| *owner == record.owner)
            && self.key.as_ref().is_none_or(|key| record.keys.contains(key))
    }
}

impl ActiveRemovals {
    pub(super) fn add(&mut self, id: u64, removal: Removal) {
        self.0.push((id, removal));
    }

    pub(super) fn remove(&mut self, id: u64) {
        self.0.retain(|(other, _)| *other != id);
    }

    pub(super) fn covers(&self, record: &StoredRecord) -> bool {
        self.0.iter().any(|(_, removal)| removal.covers(record))
    }
}
