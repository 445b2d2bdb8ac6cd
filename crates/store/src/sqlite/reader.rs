//! The thread that reads.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::{Shared, rows, schema};
use crate::health::Trouble;
use crate::record::{Found, Kind};
use crate::shelf::{self, Missing};
use crate::slots::Kept;

pub(super) enum Ask {
    /// Everything under these keys, which are loading.
    Keys {
        kind: Kind,
        owner: String,
        keys: Vec<Missing>,
        load: u64,
        answer: oneshot::Sender<Vec<Found>>,
    },
    All {
        kind: Kind,
        answer: oneshot::Sender<BTreeMap<i64, Arc<Kept>>>,
    },
    /// Something else, which answers by itself.
    Other(Box<dyn FnOnce(&mut Reader) + Send>),
}

pub(super) struct Reader {
    shared: Arc<Shared>,
    connection: Option<Connection>,
    /// Which opening of the file this is.
    opened: u64,
}

impl Reader {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, connection: None, opened: 0 }
    }

    /// Answers until nobody can ask any more.
    pub(super) fn run(mut self, asks: &mpsc::Receiver<Ask>) {
        while let Ok(ask) = asks.recv() {
            match ask {
                Ask::Keys { kind, owner, keys, load, answer } => {
                    if let Some(found) = self.keys(kind, &owner, &keys, load) {
                        // Who asked may have left.
                        let _ = answer.send(found);
                    }
                }
                Ask::All { kind, answer } => {
                    let all = self.read(|connection, shared| rows::all(connection, shared, kind));
                    let _ = answer.send(all.unwrap_or_default());
                }
                Ask::Other(ask) => ask(&mut self),
            }
        }
    }

    /// Nothing if the database cannot be read.
    fn keys(&mut self, kind: Kind, owner: &str, keys: &[Missing], load: u64) -> Option<Vec<Found>> {
        let changes = self.shared.shelves.of(kind).changes();
        let read = self.read(|connection, shared| {
            // All of it as it is at one moment.
            let transaction = connection.unchecked_transaction()?;
            let found =
                keys.iter().map(|it| rows::find(&transaction, shared, kind, owner, &it.key));
            let found = found.collect::<rusqlite::Result<Vec<_>>>()?;
            let is_bare = found.iter().all(Vec::is_empty) && !rows::any(&transaction, kind)?;
            Ok((found, is_bare))
        });
        let known = self.shared.shelves.of(kind);
        let Ok((read, is_bare)) = read else {
            known.abandon(owner, keys, load);
            return None;
        };
        let mut found = Vec::new();
        for (key, rows) in keys.iter().zip(read) {
            found.extend(shelf::found(&key.key, known.fill(owner, key, load, &rows).iter()));
        }
        if is_bare {
            known.found_bare(changes);
        }
        Some(found)
    }

    pub(super) fn read<T>(
        &mut self,
        with: impl FnOnce(&Connection, &Shared) -> rusqlite::Result<T>,
    ) -> Result<T, Trouble> {
        let shared = Arc::clone(&self.shared);
        let opened = shared.opened.load(Ordering::Acquire);
        if self.opened != opened {
            self.connection = None;
            self.opened = opened;
        }
        let connection = match self.connection.take() {
            Some(connection) => Ok(connection),
            None => schema::open_to_read(&shared.path),
        };
        let read = connection.and_then(|connection| {
            let value = with(&connection, &shared)
                .map_err(|error| schema::trouble(&shared.path, &error))?;
            self.connection = Some(connection);
            Ok(value)
        });
        shared.pulse.read(read.as_ref().err());
        read
    }
}
