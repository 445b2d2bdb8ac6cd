//! Remembers that a kind has no records at all, so that lookups skip the database.

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

    pub(super) fn set(&mut self, is_set: bool) {
        self.is_set = is_set;
    }

    pub(super) fn change_count(&self) -> u64 {
        self.changes
    }
}
