//! The writer's connection, which chooses per commit whether to wait for the disk.
//!
//! Commits with a waiting caller are synced to disk before the reply. Other commits are left to the
//! operating system, so that they survive the process, and are synced about once a second.

use std::path::Path;

use rusqlite::Connection;

use super::file;
use crate::error::StoreError;

pub(super) struct WriteConnection {
    pub(super) connection: Connection,
    /// Device and inode, to detect that the file was replaced.
    pub(super) file_id: Option<(u64, u64)>,
    /// `PRAGMA data_version`, which changes when another process commits.
    pub(super) data_version: i64,
    /// `synchronous` is `FULL`: every commit waits for the disk.
    is_sync_full: bool,
    /// Some commit may not be on disk.
    has_unsynced: bool,
}

impl WriteConnection {
    pub(super) fn new(connection: Connection, path: &Path, data_version: i64) -> Self {
        let file_id = file::file_id(path);
        Self { connection, file_id, data_version, is_sync_full: true, has_unsynced: false }
    }

    pub(super) fn set_sync_full(&mut self, is_full: bool) -> rusqlite::Result<()> {
        if self.is_sync_full != is_full {
            let mode = if is_full { "FULL" } else { "NORMAL" };
            self.connection.pragma_update(None, "synchronous", mode)?;
            self.is_sync_full = is_full;
        }
        self.has_unsynced |= !is_full;
        Ok(())
    }

    /// Syncs earlier commits to disk.
    pub(super) fn sync(&mut self, path: &Path) -> Result<(), StoreError> {
        if self.has_unsynced {
            let to_store_error = |error| StoreError(format!("{}: {error}", path.display()));
            file::sync_wal(path).map_err(to_store_error)?;
            self.has_unsynced = false;
        }
        Ok(())
    }
}
