//! Changes that somebody waits for: made in the writer's next commit, and told when it is on disk.

use std::fmt;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::Shared;
use crate::health::Trouble;
use crate::session::SessionError;

pub(super) trait Work: Send + fmt::Debug {
    /// Does it, within the transaction that is open. What fails here takes back everything else in it.
    fn run(&mut self, connection: &Connection, shared: &Shared) -> rusqlite::Result<()>;

    /// Whether it makes room.
    fn deletes(&self) -> bool;

    /// Tells who waits what came of it.
    fn settle(self: Box<Self>, committed: Result<(), Trouble>);
}

/// A change with an answer.
pub(super) struct Task<T, F> {
    pub(super) work: F,
    pub(super) deletes: bool,
    pub(super) done: Option<Result<T, SessionError>>,
    pub(super) answer: oneshot::Sender<Result<T, SessionError>>,
}

impl<T, F> Work for Task<T, F>
where
    T: Send,
    F: FnMut(&Connection, &Shared) -> rusqlite::Result<Result<T, SessionError>> + Send,
{
    fn run(&mut self, connection: &Connection, shared: &Shared) -> rusqlite::Result<()> {
        // Who waits no longer has been told that it failed.
        if !self.answer.is_closed() {
            self.done = Some((self.work)(connection, shared)?);
        }
        Ok(())
    }

    fn deletes(&self) -> bool {
        self.deletes
    }

    fn settle(self: Box<Self>, committed: Result<(), Trouble>) {
        let Self { done, answer, .. } = *self;
        let answered = match (committed, done) {
            (Ok(()), Some(done)) => done,
            (Ok(()), None) => Err(SessionError::Missing),
            (Err(trouble), _) => Err(trouble.into()),
        };
        // Who asked may have left.
        let _ = answer.send(answered);
    }
}

impl<T, F> fmt::Debug for Task<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("deletes", &self.deletes).finish_non_exhaustive()
    }
}
