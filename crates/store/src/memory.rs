//! A store that forgets when the process ends.

use std::future::ready;
use std::sync::Arc;

use crate::health::{Health, Trouble};
use crate::id::{self, Ids};
use crate::record::{Found, Kind, Record};
use crate::retention::Retention;
use crate::shelf::{Removal, Shelves};
use crate::slots::Kept;
use crate::{BoxFuture, Store};

/// Records in memory, the last so many bytes of each kind.
#[derive(Debug)]
pub struct Memory {
    shelves: Shelves,
    ids: Ids,
}

impl Memory {
    /// Not more than so many bytes of each kind, and what the retention says.
    pub fn new(retention: &Retention, bytes: usize) -> Self {
        Self { shelves: Shelves::new(retention, bytes), ids: Ids::after(0) }
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
        Health::default()
    }
}

const BYTES: usize = 64 << 20;
