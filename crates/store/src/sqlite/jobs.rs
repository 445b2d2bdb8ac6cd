//! What becomes of what waits: it is written, or who waits is told that it is not.

use rusqlite::Connection;

use super::{Job, Shared, rows};
use crate::health::Trouble;
use crate::id;

/// Whether it makes room.
pub(super) fn is_removal(job: &Job) -> bool {
    match job {
        Job::Remove { .. } => true,
        Job::Work(work) => work.deletes(),
        _ => false,
    }
}

/// How many records each removal removed.
pub(super) fn write(
    connection: &Connection,
    shared: &Shared,
    jobs: &mut [Job],
) -> rusqlite::Result<Vec<u64>> {
    let mut removed = Vec::new();
    for job in jobs {
        match job {
            Job::Write(kept) => rows::insert(connection, shared, kept)?,
            Job::Revive(ids) => rows::revive(connection, ids, id::now())?,
            Job::Remove { kind, removal, .. } => {
                removed.push(rows::remove(connection, shared, *kind, removal)?);
            }
            // What was written before is on disk already.
            Job::Flush(_) | Job::Account(_) => {}
            Job::Work(work) => work.run(connection, shared)?,
        }
    }
    Ok(removed)
}

/// Who waits is told; what is to be written is tried again.
pub(super) fn refuse(job: Job, trouble: &Trouble) -> Option<Job> {
    match job {
        Job::Flush(answer) | Job::Account(answer) => {
            let _ = answer.send(Err(trouble.clone()));
            None
        }
        Job::Remove { answer: Some(answer), kind, removal, number, unwritten } => {
            let _ = answer.send(Err(trouble.clone()));
            Some(Job::Remove { kind, removal, number, unwritten, answer: None })
        }
        // Nothing is written later than it was said to have failed.
        Job::Work(work) => {
            work.settle(Err(trouble.clone()));
            None
        }
        // That something was needed is not worth the room.
        Job::Revive(_) => None,
        job => Some(job),
    }
}
