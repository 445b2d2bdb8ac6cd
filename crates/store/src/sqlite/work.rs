//! Write operations with a waiting caller, executed in the writer's next commit.

use std::fmt;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::SharedState;
use crate::health::StoreError;
use crate::session::SessionError;

pub(super) trait WriteOp: Send + fmt::Debug {
    /// Runs within the open transaction. An error rolls the whole transaction back.
    fn execute(&mut self, connection: &Connection, shared: &SharedState) -> rusqlite::Result<()>;

    /// Whether it deletes rows, which may succeed on a full disk.
    fn frees_space(&self) -> bool;

    /// Sends the result to the caller after the commit.
    fn complete(self: Box<Self>, commit_result: Result<(), StoreError>);
}

pub(super) struct PendingOp<T, F> {
    pub(super) op: F,
    pub(super) frees_space: bool,
    pub(super) result: Option<Result<T, SessionError>>,
    pub(super) reply_tx: oneshot::Sender<Result<T, SessionError>>,
}

impl<T, F> WriteOp for PendingOp<T, F>
where
    T: Send,
    F: FnMut(&Connection, &SharedState) -> rusqlite::Result<Result<T, SessionError>> + Send,
{
    fn execute(&mut self, connection: &Connection, shared: &SharedState) -> rusqlite::Result<()> {
        // A caller that timed out has reported a failure already: do not execute.
        if !self.reply_tx.is_closed() {
            self.result = Some((self.op)(connection, shared)?);
        }
        Ok(())
    }

    fn frees_space(&self) -> bool {
        self.frees_space
    }

    fn complete(self: Box<Self>, commit_result: Result<(), StoreError>) {
        let Self { result, reply_tx, .. } = *self;
        let reply = match (commit_result, result) {
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(SessionError::NotFound),
            (Err(error), _) => Err(error.into()),
        };
        // The receiver may have been dropped.
        let _ = reply_tx.send(reply);
    }
}

impl<T, F> fmt::Debug for PendingOp<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingOp").field("frees_space", &self.frees_space).finish_non_exhaustive()
    }
}
