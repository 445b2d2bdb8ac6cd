//! A store that forgets when the process ends.

use std::future::ready;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use bytes::Bytes;

use crate::account::{Accounts, Day, Elsewhere, Share, Sums, Tally, Used};
use crate::health::{Health, Trouble};
use crate::id::{self, Ids};
use crate::record::{Found, Kind, Record};
use crate::retention::{Keep, Retention};
use crate::session::{
    Append, Cursor, Draft, Held, Page, Reading, Session, SessionError, SessionId, Sessions,
};
use crate::shelf::{Removal, Shelves};
use crate::slots::Kept;
use crate::{BoxFuture, Store};

/// Records and conversations in memory, the last so many bytes of each kind.
#[derive(Debug)]
pub struct Memory {
    sessions: Held,
    shelves: Shelves,
    ids: Ids,
    tally: Tally,
    retention: Retention,
}

impl Memory {
    /// Not more than so many bytes of each kind, and what the retention says.
    pub fn new(retention: &Retention, bytes: usize) -> Self {
        let Keep { age, bytes: most } = retention.session;
        let sessions = Held::new(Keep { age, bytes: most.min(bytes as u64) });
        Self {
            sessions,
            shelves: Shelves::new(retention, bytes),
            ids: Ids::after(0),
            tally: Tally::new(),
            retention: *retention,
        }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new(&Retention::default(), BYTES)
    }
}

impl Store for Memory {
    fn keep(&self, record: Record) {
        let all = self.shelves.of(record.kind);
        all.hold(&Arc::new(Kept::new(record, self.ids.next(), id::now())));
    }

    fn is_empty(&self, kind: Kind) -> bool {
        self.shelves.of(kind).holds_nothing()
    }

    fn find(&self, kind: Kind, owner: &str, keys: &[&str]) -> BoxFuture<'_, Vec<Found>> {
        Box::pin(ready(self.shelves.of(kind).look_here(owner, keys, id::now())))
    }

    fn all(&self, kind: Kind) -> BoxFuture<'_, Vec<Record>> {
        let held = self.shelves.of(kind).held();
        Box::pin(ready(held.values().rev().map(|kept| kept.record()).collect()))
    }

    fn remove(
        &self,
        kind: Kind,
        owner: Option<&str>,
        key: Option<&str>,
    ) -> BoxFuture<'_, Result<u64, Trouble>> {
        let all = self.shelves.of(kind);
        let (owner, key) = (owner.map(str::to_owned), key.map(str::to_owned));
        let removal = Removal { owner, key, before: self.ids.next() };
        let gone = all.held().values().filter(|kept| removal.covers(kept)).count();
        all.drop_held(&removal);
        Box::pin(ready(Ok(gone as u64)))
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), Trouble>> {
        Box::pin(ready(Ok(())))
    }

    fn health(&self) -> Health {
        Health { sessions: self.sessions.count(), ..Health::default() }
    }
}

impl Sessions for Memory {
    fn create(&self, owner: &str, draft: Draft) -> BoxFuture<'_, Result<Session, SessionError>> {
        Box::pin(ready(self.sessions.create(owner, draft)))
    }

    fn list(
        &self,
        owner: &str,
        after: Option<Cursor>,
        most: usize,
    ) -> BoxFuture<'_, Result<Page, SessionError>> {
        Box::pin(ready(Ok(self.sessions.list(owner, after, most))))
    }

    fn read(
        &self,
        owner: &str,
        id: SessionId,
        numbers: Range<u64>,
    ) -> BoxFuture<'_, Result<Reading, SessionError>> {
        Box::pin(ready(self.sessions.read(owner, id, numbers)))
    }

    fn append(
        &self,
        owner: &str,
        id: SessionId,
        append: Append,
    ) -> BoxFuture<'_, Result<u64, SessionError>> {
        Box::pin(ready(self.sessions.append(owner, id, append)))
    }

    fn describe(
        &self,
        owner: &str,
        id: SessionId,
        title: String,
        metadata: Bytes,
    ) -> BoxFuture<'_, Result<(), SessionError>> {
        Box::pin(ready(self.sessions.describe(owner, id, title, &metadata)))
    }

    fn fork(
        &self,
        owner: &str,
        id: SessionId,
        turns: u64,
    ) -> BoxFuture<'_, Result<Session, SessionError>> {
        Box::pin(ready(self.sessions.fork(owner, id, turns)))
    }

    fn delete(&self, owner: &str, id: SessionId) -> BoxFuture<'_, Result<(), SessionError>> {
        Box::pin(ready(self.sessions.delete(owner, id)))
    }

    fn delete_all(&self, owner: &str) -> BoxFuture<'_, Result<u64, SessionError>> {
        Box::pin(ready(Ok(self.sessions.delete_all(owner))))
    }
}

impl Accounts for Memory {
    fn add(&self, day: Day, owner: &str, model: &str, sums: &Sums) {
        self.tally.add(day, owner, model, sums);
    }

    fn usage(
        &self,
        days: RangeInclusive<Day>,
        owner: Option<&str>,
    ) -> BoxFuture<'_, Result<Vec<Used>, SessionError>> {
        self.tally.forget(self.retention.first_day());
        Box::pin(ready(Ok(self.tally.here(&days, owner))))
    }

    fn spent(&self, day: Day, owner: &str) -> u64 {
        self.tally.spent(day, owner)
    }

    fn exchange(&self, _: Vec<Share>) -> BoxFuture<'_, Result<Vec<Elsewhere>, SessionError>> {
        self.tally.forget(self.retention.first_day());
        Box::pin(ready(Ok(Vec::new())))
    }
}

const BYTES: usize = 64 << 20;
