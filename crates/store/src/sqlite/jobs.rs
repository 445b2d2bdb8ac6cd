//! Executes queued jobs, with the write operations among them, and replies to their callers.

use std::fmt;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::record_queries;
use super::shared_state::{Job, SharedState, WriteOp};
use crate::error::StoreError;
use crate::id;
use crate::session::SessionError;

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

/// Whether a job deletes rows, which may succeed on a full disk.
pub(super) fn frees_space(job: &Job) -> bool {
    match job {
        Job::Remove { .. } => true,
        Job::Op(op) => op.frees_space(),
        _ => false,
    }
}

/// Returns the number of records removed by each removal.
pub(super) fn execute_jobs(
    connection: &Connection,
    shared: &SharedState,
    jobs: &mut [Job],
) -> rusqlite::Result<Vec<u64>> {
    let mut removed = Vec::new();
    for job in jobs {
        match job {
            Job::Write(record) => record_queries::insert(connection, shared, record)?,
            Job::Touch(ids) => record_queries::touch(connection, ids, id::unix_millis())?,
            Job::Remove { kind, removal, .. } => {
                removed.push(record_queries::remove(connection, shared, *kind, removal)?);
            }
            // Earlier jobs are committed by now.
            Job::Flush(_) | Job::FlushUsage(_) => {}
            Job::Op(op) => op.execute(connection, shared)?,
        }
    }
    Ok(removed)
}

/// Replies with the error; returns the job if it is to be retried.
pub(super) fn fail_job(job: Job, error: &StoreError) -> Option<Job> {
    match job {
        Job::Flush(reply_tx) | Job::FlushUsage(reply_tx) => {
            let _ = reply_tx.send(Err(error.clone()));
            None
        }
        Job::Remove {
            reply_tx: Some(reply_tx),
            kind,
            removal,
            removal_id,
            removed_before_write,
        } => {
            let _ = reply_tx.send(Err(error.clone()));
            Some(Job::Remove { kind, removal, removal_id, removed_before_write, reply_tx: None })
        }
        // Not retried: its failure was reported.
        Job::Op(op) => {
            op.complete(Err(error.clone()));
            None
        }
        // A lost update of the last use is harmless.
        Job::Touch(_) => None,
        job => Some(job),
    }
}
