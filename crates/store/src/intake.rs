//! Records on their way into a database: what is known of them, what waits, and how that goes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::oneshot;

use crate::BoxFuture;
use crate::account::{Share, Tally};
use crate::health::{Health, Pulse, Trouble};
use crate::id::Ids;
use crate::options::Options;
use crate::queue::{Job, Queue};
use crate::record::Kind;
use crate::session::SessionError;
use crate::shelf::{Removal, Shelves};
use crate::slots::Kept;

/// What every store before a database has; `W` is what waits for its writer beside records.
#[derive(Debug)]
pub(crate) struct Intake<W> {
    pub(crate) shelves: Shelves,
    pub(crate) queue: Queue<W>,
    pub(crate) pulse: Pulse,
    pub(crate) ids: Ids,
    pub(crate) tally: Tally,
}

impl<W> Intake<W> {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            shelves: Shelves::new(&options.retention, options.cache),
            queue: Queue::new(options.queue),
            pulse: Pulse::default(),
            ids: Ids::after(0),
            tally: Tally::new(),
        }
    }

    pub(crate) fn put(&self, job: Job<W>) {
        self.lose(&self.queue.put(job));
    }

    /// Back to wait.
    pub(crate) fn put_back(&self, jobs: Vec<Job<W>>) {
        self.lose(&self.queue.put_back(jobs));
    }

    /// Too much waits, and these go.
    fn lose(&self, lost: &[Arc<Kept>]) {
        for kept in lost {
            self.shelves.of(kept.kind).settle(kept);
            if self.pulse.dropped.fetch_add(1, Ordering::Relaxed) == 0 {
                tracing::error!("records are dropped: more is to be stored than can be written");
            }
        }
    }

    /// As [`crate::Store::remove`] says it.
    pub(crate) fn remove(
        &self,
        kind: Kind,
        owner: Option<&str>,
        key: Option<&str>,
    ) -> BoxFuture<'static, Result<u64, Trouble>> {
        let (owner, key) = (owner.map(str::to_owned), key.map(str::to_owned));
        let removal = Removal { owner, key, before: self.ids.next() };
        let number = self.shelves.of(kind).remove(removal.clone());
        let (answer, answered) = oneshot::channel();
        self.put(Job::Remove { kind, removal, number, unwritten: 0, answer: Some(answer) });
        Box::pin(async move { answered.await.unwrap_or_else(|_| Err(ended())) })
    }

    /// As [`crate::Store::flush`] says it.
    pub(crate) fn flush(&self) -> BoxFuture<'static, Result<(), Trouble>> {
        let (answer, answered) = oneshot::channel();
        self.put(Job::Flush(answer));
        Box::pin(async move { answered.await.unwrap_or_else(|_| Err(ended())) })
    }

    /// What was used is in the database when this is over, and what all have used of these is known.
    pub(crate) fn account(
        &self,
        here: Option<&[Share]>,
    ) -> BoxFuture<'static, Result<(), SessionError>> {
        if let Some(here) = here {
            let watched = here.iter().filter(|share| share.is_budgeted);
            self.tally.watch(watched.map(|share| share.owner.clone()).collect());
        }
        let (answer, answered) = oneshot::channel();
        self.put(Job::Account(answer));
        Box::pin(async move { Ok(answered.await.unwrap_or_else(|_| Err(ended()))?) })
    }

    pub(crate) fn health(&self) -> Health {
        self.pulse.health(self.queue.waiting())
    }
}

pub(crate) fn ended() -> Trouble {
    Trouble("the store has ended".into())
}
