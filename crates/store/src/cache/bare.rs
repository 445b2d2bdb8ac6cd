//! Remembers that a kind has no records at all, so that lookups skip the database.

use super::RecordCache;

/// Whether a kind is known to have no records.
#[derive(Debug, Default)]
pub(super) struct KnownEmpty {
    is_set: bool,
    /// Number of changes: records added or written, or a possible change by another process.
    changes: u64,
}

impl KnownEmpty {
    pub(super) fn invalidate(&mut self) {
        self.is_set = false;
        self.changes += 1;
    }

    pub(super) fn is_set(&self) -> bool {
        self.is_set
    }
}

impl RecordCache {
    pub(crate) fn is_known_empty(&self) -> bool {
        self.lock().known_empty.is_set
    }

    /// To be read before the database query, for [`RecordCache::set_known_empty`].
    pub(crate) fn change_count(&self) -> u64 {
        self.lock().known_empty.changes
    }

    /// The database had no records at some time after the change with number `changes`.
    pub(crate) fn set_known_empty(&self, changes: u64) {
        let inner = &mut *self.lock();
        inner.known_empty.is_set = inner.known_empty.changes == changes && inner.pending.is_empty();
    }
}
