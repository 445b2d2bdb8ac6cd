//! What waits to be written, bounded in bytes. Nobody who puts something in ever waits.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::health::Trouble;
use crate::record::Kind;
use crate::shelf::Removal;
use crate::slots::Kept;

/// Something to write; `W` is what a database has beside records.
#[derive(Debug)]
pub(crate) enum Job<W> {
    Write(Arc<Kept>),
    /// Records that were needed again.
    Revive(Vec<i64>),
    Remove {
        kind: Kind,
        removal: Removal,
        number: u64,
        /// How many of them waited and were never written.
        unwritten: u64,
        answer: Option<oneshot::Sender<Result<u64, Trouble>>>,
    },
    Flush(oneshot::Sender<Result<(), Trouble>>),
    /// Somebody waits until what was used is added up.
    Account(oneshot::Sender<Result<(), Trouble>>),
    Work(W),
}

#[derive(Debug)]
pub(crate) struct Queue<W> {
    inside: Mutex<Inside<W>>,
    bell: Condvar,
    room: usize,
}

#[derive(Debug)]
struct Inside<W> {
    jobs: VecDeque<Job<W>>,
    bytes: usize,
    /// Somebody waits for what is in it.
    hurry: bool,
    closed: bool,
    /// When something was taken last.
    taken: Option<Instant>,
}

impl<W> Queue<W> {
    pub(crate) fn new(room: usize) -> Self {
        let jobs = VecDeque::new();
        let inside = Inside { jobs, bytes: 0, hurry: false, closed: false, taken: None };
        Self { inside: Mutex::new(inside), bell: Condvar::new(), room }
    }

    /// Gives what had to go for it: the oldest, but neither lessons nor keys.
    pub(crate) fn put(&self, job: Job<W>) -> Vec<Arc<Kept>> {
        let mut inside = self.inside();
        let first = inside.jobs.is_empty();
        inside.bytes += job.cost();
        inside.hurry |= job.is_awaited();
        inside.jobs.push_back(job);
        let lost = inside.make_room(self.room);
        // Who gathers what waits looks for more when its time has come.
        let rings = first || inside.hurry || inside.bytes >= BATCH_BYTES;
        drop(inside);
        if rings {
            self.bell.notify_one();
        }
        lost
    }

    /// Back to where they were taken from, in their order.
    pub(crate) fn put_back(&self, jobs: Vec<Job<W>>) -> Vec<Arc<Kept>> {
        let mut inside = self.inside();
        for job in jobs.into_iter().rev() {
            inside.bytes += job.cost();
            inside.jobs.push_front(job);
        }
        inside.make_room(self.room)
    }

    /// What waits, as much as is committed at once; nothing if nothing comes for so long. Between two times
    /// is the pace at least: what comes meanwhile is gathered, unless somebody waits for it.
    pub(crate) fn take(&self, patience: Duration, pace: Duration) -> Vec<Job<W>> {
        let mut inside = self.inside();
        if inside.jobs.is_empty() && !inside.closed {
            let waited = self.bell.wait_timeout(inside, patience);
            inside = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let since = inside.taken.map_or(pace, |taken| taken.elapsed());
        if since < pace && !inside.jobs.is_empty() {
            let gathers = |inside: &mut Inside<W>| {
                !inside.hurry && !inside.closed && inside.bytes < BATCH_BYTES
            };
            let waited = self.bell.wait_timeout_while(inside, pace.saturating_sub(since), gathers);
            inside = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let mut taken = Vec::new();
        let mut bytes = 0;
        while taken.len() < BATCH && bytes < BATCH_BYTES {
            let Some(job) = inside.jobs.pop_front() else { break };
            bytes += job.cost();
            taken.push(job);
        }
        inside.bytes -= bytes;
        inside.hurry &= !inside.jobs.is_empty();
        inside.taken = (!taken.is_empty()).then(Instant::now).or(inside.taken);
        taken
    }

    /// Waits before something is tried again; not if everything is to end.
    pub(crate) fn pause(&self, time: Duration) {
        let inside = self.inside();
        // Somebody who rings for a new job is not who is waited for.
        let open = |inside: &mut Inside<W>| !inside.closed;
        drop(self.bell.wait_timeout_while(inside, time, open));
    }

    pub(crate) fn close(&self) {
        self.inside().closed = true;
        self.bell.notify_all();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.inside().closed
    }

    pub(crate) fn waiting(&self) -> u64 {
        let inside = self.inside();
        inside.jobs.iter().filter(|job| matches!(job, Job::Write(_))).count() as u64
    }

    fn inside(&self) -> MutexGuard<'_, Inside<W>> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W> Inside<W> {
    fn make_room(&mut self, room: usize) -> Vec<Arc<Kept>> {
        let mut lost = Vec::new();
        while self.bytes > room {
            let can_go = |job: &Job<W>| matches!(job, Job::Write(kept) if !matches!(kept.kind, Kind::Lesson | Kind::Key));
            let Some(at) = self.jobs.iter().position(can_go) else { break };
            let Some(job) = self.jobs.remove(at) else { break };
            self.bytes -= job.cost();
            if let Job::Write(kept) = job {
                lost.push(kept);
            }
        }
        lost
    }
}

impl<W> Job<W> {
    /// Somebody waits until it is written.
    pub(crate) fn is_awaited(&self) -> bool {
        !matches!(self, Self::Write(_) | Self::Revive(_))
    }

    fn cost(&self) -> usize {
        match self {
            Self::Write(kept) => kept.cost(),
            Self::Revive(ids) => ids.len() * 8,
            // Of those that wait for an answer there are not more than ask.
            Self::Remove { .. } | Self::Flush(_) | Self::Account(_) | Self::Work(_) => 0,
        }
    }
}

/// What is removed before it was written is not written at all.
pub(crate) fn without_what_goes<W>(jobs: Vec<Job<W>>) -> Vec<Job<W>> {
    let mut left: Vec<Job<W>> = Vec::with_capacity(jobs.len());
    for mut job in jobs {
        if let Job::Remove { kind, removal, unwritten, .. } = &mut job {
            let before = left.len();
            left.retain(|earlier| {
                !matches!(earlier, Job::Write(kept) if kept.kind == *kind && removal.covers(kept))
            });
            *unwritten += (before - left.len()) as u64;
        }
        left.push(job);
    }
    left
}

/// Records and bytes of one commit, at the most.
const BATCH: usize = 512;
const BATCH_BYTES: usize = 8 << 20;
