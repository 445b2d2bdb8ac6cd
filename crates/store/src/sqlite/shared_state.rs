//! What the threads of a SQLite store share, and the operations that its writer executes.

use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64};

use rusqlite::Connection;

use crate::error::StoreError;
use crate::options::StoreOptions;
use crate::pending::PendingWrites;
use crate::session::SessionClock;

pub(super) type Job = crate::queue::Job<Box<dyn WriteOp>>;

/// What the threads of a store share.
#[derive(Debug)]
pub(super) struct SharedState {
    pub(super) path: PathBuf,
    pub(super) options: StoreOptions,
    pub(super) pending: PendingWrites<Box<dyn WriteOp>>,
    pub(super) clock: SessionClock,
    /// Incremented when the writer reopens the file; readers then reopen it too.
    pub(super) open_count: AtomicU64,
    /// Some rows were written without the key.
    pub(super) has_plaintext: AtomicBool,
}

impl SharedState {
    pub(super) fn new(path: PathBuf, options: StoreOptions) -> Self {
        Self {
            pending: PendingWrites::new(&options),
            clock: SessionClock::default(),
            open_count: AtomicU64::new(0),
            has_plaintext: AtomicBool::new(false),
            path,
            options,
        }
    }
}

impl Deref for SharedState {
    type Target = PendingWrites<Box<dyn WriteOp>>;

    fn deref(&self) -> &Self::Target {
        &self.pending
    }
}

/// A write operation with a waiting caller, executed in the writer's next commit.
pub(super) trait WriteOp: Send + fmt::Debug {
    /// Runs within the open transaction. An error rolls the whole transaction back.
    fn execute(&mut self, connection: &Connection, shared: &SharedState) -> rusqlite::Result<()>;

    /// Whether it deletes rows, which may succeed on a full disk.
    fn frees_space(&self) -> bool;

    /// Sends the result to the caller after the commit.
    fn complete(self: Box<Self>, commit_result: Result<(), StoreError>);
}
