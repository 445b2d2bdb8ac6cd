//! Executes queued jobs and replies to their callers.

use rusqlite::Connection;

use super::{Job, SharedState, record_queries};
use crate::health::StoreError;
use crate::id;

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
