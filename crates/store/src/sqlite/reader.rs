//! The reader threads: serve lookups and queries from read-only connections.

use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::shared_state::SharedState;
use super::{record_queries, schema};
use crate::cache::{self, CacheMiss};
use crate::cache_slots::StoredList;
use crate::error::StoreError;
use crate::record::{LookupHit, RecordKind};

pub(super) enum ReadRequest {
    /// Load these keys.
    Find {
        kind: RecordKind,
        owner: String,
        keys: Vec<CacheMiss>,
        load_id: u64,
        reply_tx: oneshot::Sender<Vec<LookupHit>>,
    },
    List {
        kind: RecordKind,
        reply_tx: oneshot::Sender<Result<StoredList, StoreError>>,
    },
    /// Run a closure, which sends its own reply.
    Run(Box<dyn FnOnce(&mut Reader) + Send>),
}

pub(super) struct Reader {
    shared: Arc<SharedState>,
    connection: Option<Connection>,
    /// The value of `Shared::open_count` when the connection was opened.
    open_count: u64,
}

impl Reader {
    pub(super) fn new(shared: Arc<SharedState>) -> Self {
        Self { shared, connection: None, open_count: 0 }
    }

    /// Serves requests until the store is dropped.
    pub(super) fn run(mut self, requests: &mpsc::Receiver<ReadRequest>) {
        while let Ok(request) = requests.recv() {
            match request {
                ReadRequest::Find { kind, owner, keys: misses, load_id, reply_tx } => {
                    if let Some(hits) = self.find(kind, &owner, &misses, load_id) {
                        // The receiver may have been dropped.
                        let _ = reply_tx.send(hits);
                    }
                }
                ReadRequest::List { kind, reply_tx } => {
                    let records = self.with_connection(|connection, shared| {
                        record_queries::list_records(connection, shared, kind)
                    });
                    let _ = reply_tx.send(records);
                }
                ReadRequest::Run(run_query) => run_query(&mut self),
            }
        }
    }

    /// Returns `None` if the database cannot be read.
    fn find(
        &mut self,
        kind: RecordKind,
        owner: &str,
        misses: &[CacheMiss],
        load_id: u64,
    ) -> Option<Vec<LookupHit>> {
        let changes = self.shared.caches.for_kind(kind).change_count();
        let read = self.with_connection(|connection, shared| {
            // All keys are read from one snapshot.
            let transaction = connection.unchecked_transaction()?;
            let rows = misses
                .iter()
                .map(|miss| record_queries::find(&transaction, shared, kind, owner, &miss.key));
            let rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
            let is_empty =
                rows.iter().all(Vec::is_empty) && !record_queries::exists(&transaction, kind)?;
            Ok((rows, is_empty))
        });
        let cache = self.shared.caches.for_kind(kind);
        let Ok((rows_by_key, is_empty)) = read else {
            cache.abort_load(owner, misses, load_id);
            return None;
        };
        let mut hits = Vec::new();
        for (miss, rows) in misses.iter().zip(rows_by_key) {
            hits.extend(cache::hits(
                &miss.key,
                cache.finish_load(owner, miss, load_id, &rows).iter(),
            ));
        }
        if is_empty {
            cache.set_known_empty(changes);
        }
        Some(hits)
    }

    pub(super) fn with_connection<T>(
        &mut self,
        query: impl FnOnce(&Connection, &SharedState) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let shared = Arc::clone(&self.shared);
        let current = shared.open_count.load(Ordering::Acquire);
        if self.open_count != current {
            self.connection = None;
            self.open_count = current;
        }
        let connection = match self.connection.take() {
            Some(connection) => Ok(connection),
            None => schema::open_read_only(&shared.path),
        };
        let result = connection.and_then(|connection| {
            let value = query(&connection, &shared)
                .map_err(|error| schema::store_error(&shared.path, &error))?;
            self.connection = Some(connection);
            Ok(value)
        });
        shared.health_tracker.record_read(result.as_ref().err());
        result
    }
}
