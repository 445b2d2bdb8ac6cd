//! An open file, and how sure it is that what was written outlives the machine.
//!
//! What somebody waits for is on disk when it is said to be written. What nobody waits for is with the
//! operating system then, so that it outlives this process, and on disk within a second: a disk is waited
//! for once for all of it.

use std::path::Path;

use rusqlite::Connection;

use super::file;
use crate::health::Trouble;

pub(super) struct Open {
    pub(super) connection: Connection,
    /// Which file that is.
    pub(super) file: Option<(u64, u64)>,
    /// Changes when another process has written.
    pub(super) version: i64,
    /// Every commit waits for the disk.
    waits: bool,
    /// Something is written that may not be on disk.
    loose: bool,
}

impl Open {
    /// A connection as it was just opened.
    pub(super) fn new(connection: Connection, path: &Path, version: i64) -> Self {
        let file = file::identity(path);
        Self { connection, file, version, waits: true, loose: false }
    }

    /// Whether the next commits are to wait for the disk.
    pub(super) fn wait(&mut self, waits: bool) -> rusqlite::Result<()> {
        if self.waits != waits {
            let mode = if waits { "FULL" } else { "NORMAL" };
            self.connection.pragma_update(None, "synchronous", mode)?;
            self.waits = waits;
        }
        self.loose |= !waits;
        Ok(())
    }

    /// Everything that was written is on disk.
    pub(super) fn sync(&mut self, path: &Path) -> Result<(), Trouble> {
        if self.loose {
            let named = |error| Trouble(format!("{}: {error}", path.display()));
            file::sync_log(path).map_err(named)?;
            self.loose = false;
        }
        Ok(())
    }
}
