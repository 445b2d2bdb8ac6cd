//! Which rows a batch of the cleaner deletes, and what it has deleted.

/// The rows to delete: those last used before a time, oldest first, until enough bytes are free.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeleteRange {
    /// The last use of the last deleted row: index entries before it are dead, and reading them
    /// again in every batch would take longer and longer.
    pub(super) from: i64,
    pub(super) before: i64,
    pub(super) max_bytes: i64,
}

impl DeleteRange {
    /// What is too old, and what is beyond the size limit.
    pub(super) fn for_limits(
        oldest: i64,
        bytes: i64,
        max_bytes: u64,
    ) -> impl Iterator<Item = Self> {
        let max_bytes = i64::try_from(max_bytes).unwrap_or(i64::MAX);
        let expired = Self { from: i64::MIN, before: oldest, max_bytes: i64::MAX };
        // Frees 1/16 more than needed, so that pruning is not due again immediately.
        let excess = Self {
            from: i64::MIN,
            before: i64::MAX,
            max_bytes: bytes.saturating_sub(max_bytes - max_bytes / 16),
        };
        std::iter::once(expired).chain((bytes > max_bytes).then_some(excess))
    }
}

/// What a batch has deleted.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeletedRows {
    pub(super) rows: i64,
    pub(super) bytes: i64,
    pub(super) last_use: i64,
}
