//! The thread that writes records: what waits, together; and what is to be forgotten, in small steps.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

use super::link::{Fault, Lease};
use super::{Job, Shared, accounts, conversations, rows, schema};
use crate::account::Day;
use crate::health::Trouble;
use crate::id;
use crate::queue::without_what_goes;
use crate::record::Kind;
use crate::session::{Lock, SessionError};
use crate::slots::Kept;

pub(super) struct Writer {
    shared: Arc<Shared>,
    runtime: Handle,
    looked: Instant,
    /// When what was used was last added up.
    accounted: Instant,
    /// Nothing if it is due.
    tidied: Option<Instant>,
    /// There is more to forget, or to seal, than was done at once.
    more: bool,
}

impl Writer {
    pub(super) fn new(shared: Arc<Shared>, runtime: Handle) -> Self {
        let now = Instant::now();
        let (looked, accounted, tidied) = (now, now, Some(now));
        Self { shared, runtime, looked, accounted, tidied, more: false }
    }

    /// Writes until the queue is closed and empty.
    pub(super) fn run(mut self) {
        loop {
            let patience = if self.more { Duration::ZERO } else { POLL };
            // Another node may need it at once.
            let jobs = self.shared.queue.take(patience, Duration::ZERO);
            let idle = jobs.is_empty();
            let failed = !idle && self.commit(jobs).is_err();
            if (idle || failed) && self.shared.queue.is_closed() {
                // What cannot be done now never will be.
                let _ = self.account();
                return;
            }
            if failed {
                self.shared.queue.pause(AGAIN);
            }
            if self.more || self.looked.elapsed() >= POLL {
                self.look_around();
            }
        }
    }

    /// One commit for all of them. What cannot be written goes back to wait.
    fn commit(&mut self, jobs: Vec<Job>) -> Result<(), Trouble> {
        let jobs = without_what_goes(jobs);
        let shared = Arc::clone(&self.shared);
        let asked = jobs.iter().any(|job| matches!(job, Job::Account(_)));
        let accounted = if asked { self.account() } else { Ok(()) };
        let written = accounted.and_then(|()| {
            self.attempt(async {
                let mut lease = shared.link.lease().await?;
                let done = write(&mut lease, &shared, &jobs).await;
                lease.settle(done)
            })
        });
        self.shared.pulse.wrote(&written);
        match written {
            Ok(removed) => {
                self.settle(jobs, removed);
                Ok(())
            }
            Err(trouble) => {
                let back = jobs.into_iter().filter_map(|job| refuse(job, &trouble)).collect();
                self.shared.put_back(back);
                Err(trouble)
            }
        }
    }

    /// Everything is on disk.
    fn settle(&mut self, jobs: Vec<Job>, removed: Vec<u64>) {
        let mut removed = removed.into_iter();
        for job in jobs {
            match job {
                Job::Write(kept) => self.shared.shelves.of(kept.kind).settle(&kept),
                Job::Revive(_) => {}
                Job::Remove { kind, number, unwritten, answer, .. } => {
                    self.shared.shelves.of(kind).removed(number);
                    let count = removed.next().unwrap_or_default() + unwritten;
                    // Who asked may have left.
                    answer.map(|answer| answer.send(Ok(count)));
                }
                Job::Flush(answer) | Job::Account(answer) => drop(answer.send(Ok(()))),
                Job::Work(never) => match never {},
            }
        }
    }

    /// Whether the database is there; and what is to be forgotten or sealed.
    fn look_around(&mut self) {
        self.looked = Instant::now();
        self.more = false;
        let shared = Arc::clone(&self.shared);
        let looked = self.attempt(async {
            let lease = shared.link.lease().await?;
            let done = lease.batch_execute("").await.map_err(Fault::from);
            lease.settle(done)
        });
        // While what waits cannot be written, all is not well.
        let waits = shared.queue.waiting() > 0 || shared.tally.is_stuck();
        if looked.is_err() || !waits {
            shared.pulse.wrote(&looked);
        }
        shared.pulse.read(looked.as_ref().err());
        if looked.is_err() {
            shared.queue.pause(AGAIN);
            return;
        }
        if self.accounted.elapsed() >= POLL && self.account().is_err() {
            return;
        }
        let due = |tidied: Instant| tidied.elapsed() > shared.options.tidy;
        if self.tidied.is_none_or(due) {
            self.tidy();
        }
        if shared.options.secret.is_some() && shared.plain.load(Ordering::Relaxed) {
            self.seal();
        }
    }

    /// Adds up what was used, and hears what all have used of who is watched.
    fn account(&mut self) -> Result<(), Trouble> {
        self.accounted = Instant::now();
        let shared = Arc::clone(&self.shared);
        let (batch, watched) = shared.tally.turn();
        if batch.is_none() && watched.is_empty() {
            return Ok(());
        }
        let day = Day::today();
        let totals = self.attempt(async {
            let mut lease = shared.link.lease().await?;
            let done = accounts::add(&mut lease, &shared, batch.as_deref(), day, &watched).await;
            lease.settle(done)
        });
        if totals.is_err() {
            shared.pulse.wrote(&totals);
        }
        shared.tally.settle(day, totals?);
        Ok(())
    }

    /// Puts what was written without the key under it: one step.
    fn seal(&mut self) {
        let shared = Arc::clone(&self.shared);
        let sealed = self.attempt(async {
            let mut lease = shared.link.lease().await?;
            let done = seal(&mut lease, &shared).await;
            lease.settle(done)
        });
        match sealed {
            Ok(sealed) => self.more |= sealed > 0,
            Err(trouble) => {
                tracing::warn!("what is older than the key is not sealed yet: {trouble}");
            }
        }
    }

    /// Forgets what is too old or too much: one step, and the next as soon as nothing waits.
    fn tidy(&mut self) {
        let shared = Arc::clone(&self.shared);
        let gone = self.attempt(async {
            let mut lease = shared.link.lease().await?;
            let done = tidy(&mut lease, &shared).await;
            lease.settle(done)
        });
        match gone {
            Ok(0) => self.tidied = Some(Instant::now()),
            Ok(_) => (self.tidied, self.more) = (None, true),
            Err(trouble) => {
                self.tidied = Some(Instant::now());
                tracing::warn!("what is too old stays for now: {trouble}");
            }
        }
    }

    fn attempt<T>(&self, work: impl Future<Output = Result<T, Fault>>) -> Result<T, Trouble> {
        let done = self.runtime.block_on(self.shared.link.within(PATIENCE, work));
        done.map_err(|error| match error {
            SessionError::Trouble(trouble) => trouble,
            other => Trouble(other.to_string()),
        })
    }
}

/// How many records each removal removed.
async fn write(lease: &mut Lease, shared: &Shared, jobs: &[Job]) -> Result<Vec<u64>, Fault> {
    let transaction = lease.transaction().await?;
    let mut removed = Vec::new();
    let mut together: Vec<Arc<Kept>> = Vec::new();
    for job in jobs {
        match job {
            Job::Write(kept) => together.push(Arc::clone(kept)),
            Job::Revive(ids) => rows::revive(&transaction, ids, id::now()).await?,
            Job::Remove { kind, removal, .. } => {
                rows::insert(&transaction, shared, &together).await?;
                together.clear();
                removed.push(rows::remove(&transaction, shared, *kind, removal).await?);
            }
            // What was written before is on disk already.
            Job::Flush(_) | Job::Account(_) => {}
            Job::Work(never) => match *never {},
        }
    }
    rows::insert(&transaction, shared, &together).await?;
    transaction.commit().await?;
    Ok(removed)
}

async fn seal(lease: &mut Lease, shared: &Shared) -> Result<usize, Fault> {
    let transaction = lease.transaction().await?;
    let sealed = rows::seal_plain(&transaction, shared).await?
        + conversations::seal_plain(&transaction, shared).await?;
    transaction.commit().await?;
    if sealed == 0 {
        count(lease, shared).await?;
    }
    Ok(sealed)
}

/// How many records and conversations went. One node does it at a time.
async fn tidy(lease: &mut Lease, shared: &Shared) -> Result<u64, Fault> {
    let transaction = lease.transaction().await?;
    let alone = "SELECT pg_try_advisory_xact_lock($1)";
    let mut gone = 0;
    if transaction.query_one(alone, &[&schema::TIDY]).await?.try_get(0)? {
        for kind in Kind::ALL {
            let keep = shared.options.retention.of(kind);
            gone += rows::tidy(&transaction, kind, keep, id::now()).await?;
        }
        let keep = shared.options.retention.session;
        gone += conversations::tidy(&transaction, keep, shared.moments.next()).await?;
        gone += accounts::tidy(&transaction, shared).await?;
    }
    transaction.commit().await?;
    count(lease, shared).await?;
    Ok(gone)
}

/// Counts what there is.
pub(super) async fn count(lease: &mut Lease, shared: &Shared) -> Result<(), Fault> {
    let counts = "SELECT lock, count(*), coalesce(sum(size), 0)::bigint, false \
                  FROM interlingua_records GROUP BY lock UNION ALL \
                  SELECT lock, count(*), 0, true FROM interlingua_sessions GROUP BY lock";
    let own = Lock(shared.options.secret.as_ref()).name();
    let (mut records, mut bytes, mut sessions, mut foreign, mut plain) = (0, 0, 0, 0, 0);
    for row in lease.query(counts, &[]).await? {
        let lock: &[u8] = row.try_get(0)?;
        let many = u64::try_from(row.try_get::<_, i64>(1)?).unwrap_or(0);
        if row.try_get(3)? {
            sessions += many;
        } else {
            records += many;
        }
        bytes += u64::try_from(row.try_get::<_, i64>(2)?).unwrap_or(0);
        if lock.is_empty() {
            plain += many;
        } else if lock != own {
            foreign += many;
        }
    }
    let pulse = &shared.pulse;
    let counted = [
        (&pulse.records, records),
        (&pulse.bytes, bytes),
        (&pulse.sessions, sessions),
        (&pulse.foreign, foreign),
    ];
    for (place, count) in counted {
        place.store(count, Ordering::Relaxed);
    }
    shared.plain.store(plain > 0, Ordering::Relaxed);
    Ok(())
}

/// Who waits is told; what is to be written is tried again.
fn refuse(job: Job, trouble: &Trouble) -> Option<Job> {
    match job {
        Job::Flush(answer) | Job::Account(answer) => {
            let _ = answer.send(Err(trouble.clone()));
            None
        }
        Job::Remove { answer: Some(answer), kind, removal, number, unwritten } => {
            let _ = answer.send(Err(trouble.clone()));
            Some(Job::Remove { kind, removal, number, unwritten, answer: None })
        }
        // That something was needed is not worth the room.
        Job::Revive(_) => None,
        job => Some(job),
    }
}

/// How often the database is looked for.
const POLL: Duration = Duration::from_secs(1);
/// Before something that failed is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// For a commit.
const PATIENCE: Duration = Duration::from_secs(10);
