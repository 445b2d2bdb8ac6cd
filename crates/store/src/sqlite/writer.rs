//! The thread that writes: what waits, together; and what is to be forgotten, in small steps.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};

use super::jobs::{is_removal, refuse, write};
use super::open::Open;
use super::{Job, Shared, accounts, conversations, file, rows, schema};
use crate::account::Day;
use crate::health::Trouble;
use crate::id;
use crate::queue::without_what_goes;
use crate::record::Kind;

pub(super) struct Writer {
    shared: Arc<Shared>,
    open: Option<Open>,
    /// The file was found to be damaged.
    suspect: bool,
    looked: Instant,
    /// When what was used was last added up.
    accounted: Instant,
    tidied: Instant,
    /// There is more to forget, or to seal, than was done at once.
    more: bool,
}

impl Writer {
    /// Opens the file; what is wrong with it is said at once.
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let now = Instant::now();
        let (open, suspect, more) = (None, false, false);
        let (looked, accounted, tidied) = (now, now, now);
        let mut writer = Self { shared, open, suspect, looked, accounted, tidied, more };
        let opened = writer.reopen();
        writer.shared.pulse.wrote(&opened);
        writer
    }

    /// Writes until the queue is closed and empty.
    pub(super) fn run(mut self) {
        loop {
            let patience = if self.more { Duration::ZERO } else { POLL };
            let jobs = self.shared.queue.take(patience, PACE);
            let idle = jobs.is_empty();
            let failed = !idle && self.commit(jobs).is_err();
            if (idle || failed) && self.shared.queue.is_closed() {
                // What cannot be done now never will be.
                let _ = self.account().and_then(|()| self.sync());
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
        let mut jobs = without_what_goes(jobs);
        let written = self.prepare(&jobs).and_then(|()| {
            self.transact(|connection, shared| write(connection, shared, &mut jobs))
        });
        self.shared.pulse.wrote(&written);
        match written {
            Ok(removed) => {
                self.settle(jobs, removed);
                Ok(())
            }
            Err(trouble) => {
                let jobs = self.remove_alone(jobs);
                let back = jobs.into_iter().filter_map(|job| refuse(job, &trouble)).collect();
                self.shared.put_back(back);
                Err(trouble)
            }
        }
    }

    /// Who waits for something waits for the disk.
    fn prepare(&mut self, jobs: &[Job]) -> Result<(), Trouble> {
        if jobs.iter().any(|job| matches!(job, Job::Account(_))) {
            self.account()?;
        }
        if jobs.iter().any(|job| matches!(job, Job::Flush(_) | Job::Account(_))) {
            self.sync()?;
        }
        self.wait(jobs.iter().any(Job::is_awaited))
    }

    /// Whether commits are to wait for the disk.
    fn wait(&mut self, waits: bool) -> Result<(), Trouble> {
        if self.open.is_none() {
            self.reopen()?;
        }
        let waited = self.open.as_mut().map_or(Ok(()), |open| open.wait(waits));
        waited.map_err(|error| {
            self.open = None;
            schema::trouble(&self.shared.path, &error)
        })
    }

    /// Everything that was written is on disk.
    fn sync(&mut self) -> Result<(), Trouble> {
        let synced = self.open.as_mut().map_or(Ok(()), |open| open.sync(&self.shared.path));
        if synced.is_err() {
            self.open = None;
        }
        synced
    }

    /// What is to be removed may be what a full disk needs. Gives everything else.
    fn remove_alone(&mut self, jobs: Vec<Job>) -> Vec<Job> {
        if !jobs.iter().any(is_removal) {
            return jobs;
        }
        let (mut removals, mut others): (Vec<_>, Vec<_>) = jobs.into_iter().partition(is_removal);
        match self.transact(|connection, shared| write(connection, shared, &mut removals)) {
            Ok(removed) => self.settle(removals, removed),
            Err(_) => others.extend(removals),
        }
        others
    }

    /// Everything is on disk.
    fn settle(&mut self, jobs: Vec<Job>, removed: Vec<u64>) {
        let mut removed = removed.into_iter();
        if jobs.iter().any(is_removal) {
            self.wipe();
        }
        for job in jobs {
            match job {
                Job::Write(kept) => {
                    let known = self.shared.shelves.of(kept.kind);
                    known.settle(&kept);
                    // It will be asked for: who does need not wait for a disk.
                    let (unknown, load) = known.unknown(&kept);
                    let Some(open) = &self.open else { continue };
                    for key in &unknown {
                        let (kind, owner) = (kept.kind, &*kept.owner);
                        let rows =
                            match rows::is_alone(&open.connection, &self.shared, &kept, &key.key) {
                                // Nobody reads what was just written.
                                Ok(true) => Ok(vec![Arc::clone(&kept)]),
                                _ => rows::find(
                                    &open.connection,
                                    &self.shared,
                                    kind,
                                    owner,
                                    &key.key,
                                ),
                            };
                        match rows {
                            Ok(rows) => drop(known.fill(owner, key, load, &rows)),
                            Err(_) => known.abandon(owner, &unknown, load),
                        }
                    }
                }
                Job::Revive(_) => {}
                Job::Remove { kind, number, unwritten, answer, .. } => {
                    self.shared.shelves.of(kind).removed(number);
                    let count = removed.next().unwrap_or_default() + unwritten;
                    // Who asked may have left.
                    answer.map(|answer| answer.send(Ok(count)));
                }
                Job::Flush(answer) | Job::Account(answer) => drop(answer.send(Ok(()))),
                Job::Work(work) => work.settle(Ok(())),
            }
        }
        self.count();
    }

    /// Another process may have written, or somebody have taken the file away.
    fn look_around(&mut self) {
        self.looked = Instant::now();
        self.more = false;
        let moved =
            self.open.as_ref().is_none_or(|open| open.file != file::identity(&self.shared.path));
        if moved {
            self.open = None;
        }
        let synced = self.sync();
        let looked = synced.and_then(|()| self.attempt(|connection, _| version(connection)));
        self.report(&looked);
        match (looked, &mut self.open) {
            (Ok(version), Some(open)) if open.version != version => {
                open.version = version;
                self.shared.shelves.forget();
                self.count();
            }
            (Err(_), _) => self.shared.queue.pause(AGAIN),
            _ => {}
        }
        if self.accounted.elapsed() >= POLL {
            // It is tried again, and the pulse says so.
            let _ = self.account();
        }
        if self.tidied.elapsed() > self.shared.options.tidy {
            self.tidy();
        }
        self.seal();
    }

    /// Adds up what was used, and hears what all have used of who is watched.
    fn account(&mut self) -> Result<(), Trouble> {
        self.accounted = Instant::now();
        let (batch, watched) = self.shared.tally.turn();
        if batch.is_none() && watched.is_empty() {
            return Ok(());
        }
        self.wait(false)?;
        let day = Day::today();
        let totals = self.transact(|connection, shared| {
            accounts::add(connection, shared, batch.as_deref())?;
            accounts::totals(connection, shared, day, &watched)
        });
        self.report(&totals);
        self.shared.tally.settle(day, totals?);
        Ok(())
    }

    /// Puts what was written without the key under it: one step.
    fn seal(&mut self) {
        if self.shared.options.secret.is_none() || !self.shared.plain.load(Ordering::Relaxed) {
            return;
        }
        let sealed = self.transact(|connection, shared| {
            let records = rows::seal_plain(connection, shared)?;
            Ok(records + conversations::seal_plain(connection, shared)?)
        });
        if sealed.is_ok_and(|sealed| sealed > 0) {
            self.more = true;
            self.wipe();
            self.count();
        }
    }

    /// Forgets what is too old or too much: one step, and the next as soon as nothing waits.
    fn tidy(&mut self) {
        let mut gone = 0;
        for kind in Kind::ALL {
            let step = self.transact(|connection, shared| {
                rows::tidy(connection, kind, shared.options.retention.of(kind), id::now())
            });
            let Ok(step) = step else { return };
            if step > 0 {
                self.shared.shelves.of(kind).forget();
            }
            gone += step;
        }
        let step = self.transact(|connection, shared| {
            let now = shared.moments.next();
            conversations::tidy(connection, shared.options.retention.session, now)
        });
        let Ok(step) = step else { return };
        gone += step;
        let step = self.transact(accounts::tidy);
        let Ok(step) = step else { return };
        gone += step;
        if gone == 0 {
            self.tidied = Instant::now();
            return;
        }
        self.more = true;
        self.wipe();
        self.count();
    }

    /// What was deleted leaves the file too, and the file becomes smaller.
    fn wipe(&mut self) {
        let wiped = self.attempt(|connection, _| {
            connection.execute_batch("PRAGMA incremental_vacuum(1024)")?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        });
        self.report(&wiped);
    }

    /// What came of something beside what waits: while that cannot be written, all is not well.
    fn report<T>(&self, result: &Result<T, Trouble>) {
        let waits = self.shared.queue.waiting() > 0 || self.shared.tally.is_stuck();
        if result.is_err() || !waits {
            self.shared.pulse.wrote(result);
        }
    }

    fn count(&mut self) {
        let Some(open) = &self.open else { return };
        let Ok(totals) = rows::totals(&open.connection, &self.shared) else { return };
        let pulse = &self.shared.pulse;
        pulse.records.store(totals.records, Ordering::Relaxed);
        pulse.bytes.store(totals.bytes, Ordering::Relaxed);
        pulse.sessions.store(totals.sessions, Ordering::Relaxed);
        pulse.foreign.store(totals.foreign, Ordering::Relaxed);
        self.shared.plain.store(totals.plain > 0, Ordering::Relaxed);
    }

    /// As [`Writer::attempt`], all of it or nothing.
    fn transact<T>(
        &mut self,
        with: impl FnOnce(&Connection, &Shared) -> rusqlite::Result<T>,
    ) -> Result<T, Trouble> {
        self.attempt(|connection, shared| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = with(&transaction, shared)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    fn attempt<T>(
        &mut self,
        with: impl FnOnce(&mut Connection, &Shared) -> rusqlite::Result<T>,
    ) -> Result<T, Trouble> {
        if self.open.is_none() {
            self.reopen()?;
        }
        let Some(open) = &mut self.open else { return Err(Trouble("it is not open".into())) };
        with(&mut open.connection, &self.shared).map_err(|error| {
            self.suspect = schema::is_broken(&error);
            // Whatever state it is in, the next one begins anew.
            self.open = None;
            schema::trouble(&self.shared.path, &error)
        })
    }

    fn reopen(&mut self) -> Result<(), Trouble> {
        let shared = Arc::clone(&self.shared);
        let connection = schema::open(&shared.path, self.suspect)?;
        let named = |error: rusqlite::Error| schema::trouble(&shared.path, &error);
        if let Some(bytes) = shared.options.limit {
            schema::limit(&connection, bytes).map_err(named)?;
        }
        let version = version(&connection).map_err(named)?;
        shared.ids.raise(rows::newest(&connection).map_err(named)?);
        self.open = Some(Open::new(connection, &shared.path, version));
        self.suspect = false;
        shared.opened.fetch_add(1, Ordering::Release);
        // Who reads follows; what was wrong with the old one is over.
        shared.pulse.read(None);
        shared.shelves.forget();
        self.count();
        let foreign = shared.pulse.foreign.load(Ordering::Relaxed);
        if foreign > 0 {
            tracing::warn!(
                "{foreign} records and sessions of {} were sealed with another key and are not found",
                shared.path.display()
            );
        }
        Ok(())
    }
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA data_version", [], |row| row.get(0))
}

/// How often others are looked for.
const POLL: Duration = Duration::from_secs(1);
/// Between two commits of records at least. One that comes after silence is written at once; of many, each
/// is on disk so much later at the most, and found at once by whoever asks.
const PACE: Duration = Duration::from_millis(50);
/// Before something that failed is tried again.
const AGAIN: Duration = Duration::from_secs(1);
