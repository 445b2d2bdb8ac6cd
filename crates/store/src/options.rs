//! The options of a database store.

use std::time::Duration;

use crate::encryption::EncryptionKey;
use crate::retention::Retention;

/// The options of a database store.
#[derive(Debug)]
pub struct StoreOptions {
    pub retention: Retention,
    /// Encrypts bodies and hides owners and keys.
    pub encryption_key: Option<EncryptionKey>,
    /// Bytes cached per kind.
    pub cache_bytes: usize,
    /// Bytes of records that may wait to be written.
    pub queue_bytes: usize,
    /// How often records beyond their retention are deleted.
    pub prune_interval: Duration,
    /// Maximum size of the SQLite file, about: beyond it, writes fail as on a full disk. Ignored by
    /// PostgreSQL.
    pub max_file_bytes: Option<u64>,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            retention: Retention::default(),
            encryption_key: None,
            cache_bytes: 64 << 20,
            queue_bytes: 64 << 20,
            prune_interval: Duration::from_mins(1),
            max_file_bytes: None,
        }
    }
}
