//! A store in one SQLite file.
//!
//! One thread writes: it commits everything that is queued in one transaction. Two threads read: one
//! loads records missing from the cache, the other reads sessions and usage. Several processes may
//! open the same file: SQLite serializes their commits, and each process drops its cache within a
//! second after another one has written.

mod file;
mod jobs;
mod reader;
mod record_queries;
mod salvage;
mod schema;
mod session_queries;
mod sessions;
mod shared_state;
mod usage;
mod usage_queries;
mod write_connection;
mod writer;

use std::collections::HashMap;
use std::future::ready;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use self::reader::{ReadRequest, Reader};
use self::shared_state::{Job, SharedState};
use self::writer::Writer;
use crate::cache::CacheMiss;
use crate::cache_slots::{StoredList, StoredRecord};
use crate::error::StoreError;
use crate::health::StoreHealth;
use crate::id;
use crate::options::StoreOptions;
use crate::pending::store_closed;
use crate::record::{LookupHit, Record, RecordKind, RecordList, check_complete};
use crate::{BoxFuture, RecordStore};

/// A store in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    shared: Arc<SharedState>,
    record_reader: mpsc::Sender<ReadRequest>,
    /// Session reads have their own thread, so that record lookups do not wait for them.
    session_reader: mpsc::Sender<ReadRequest>,
    writer: Option<JoinHandle<()>>,
}

impl SqliteStore {
    /// Opens or creates the file. If that fails now, [`RecordStore::health`] has the error, opening
    /// is retried, and until then everything stays in memory. Returns an error only if a thread
    /// cannot be started.
    pub fn open(path: PathBuf, options: StoreOptions) -> io::Result<Self> {
        let shared = Arc::new(SharedState::new(path, options));
        let reader = || {
            let (requests, request_rx) = mpsc::channel();
            let reader = Reader::new(Arc::clone(&shared));
            let thread = thread::Builder::new().name("store reader".into());
            thread.spawn(move || reader.run(&request_rx)).map(|_| requests)
        };
        let (requests, session_requests) = (reader()?, reader()?);
        // The file is opened in `Writer::new`, so that errors are logged at startup.
        let writer = Writer::new(Arc::clone(&shared));
        let writer = thread::Builder::new().name("store writer".into()).spawn(|| writer.run())?;
        Ok(Self {
            shared,
            record_reader: requests,
            session_reader: session_requests,
            writer: Some(writer),
        })
    }
}

impl SqliteStore {
    /// The records of these keys: those in memory if the file cannot be read, with the error.
    fn look_up(
        &self,
        kind: RecordKind,
        owner: &str,
        keys: &[&str],
    ) -> BoxFuture<'_, (Vec<LookupHit>, Option<StoreError>)> {
        let lookup = self.shared.caches.for_kind(kind).lookup(owner, keys, id::unix_millis());
        if !lookup.touched.is_empty() {
            self.shared.enqueue(Job::Touch(lookup.touched));
        }
        if lookup.misses.is_empty() {
            return Box::pin(ready((lookup.hits, None)));
        }
        let (reply_tx, reply_rx) = oneshot::channel();
        let mut hits = lookup.hits;
        // Duplicate keys: any position will do.
        let with_position = |(nth, key): (usize, &&str)| ((*key).to_owned(), nth);
        let positions: HashMap<String, usize> =
            keys.iter().enumerate().map(with_position).collect();
        let fallback: Vec<LookupHit> =
            lookup.misses.iter().flat_map(CacheMiss::pending_hits).collect();
        let (owner, keys) = (owner.to_owned(), lookup.misses);
        let request = ReadRequest::Find { kind, owner, keys, load_id: lookup.load_id, reply_tx };
        let is_sent = self.record_reader.send(request).is_ok();
        Box::pin(async move {
            let reply = async { if is_sent { reply_rx.await.ok() } else { None } };
            let is_failing = self.shared.health_tracker.read_error().is_some();
            let mut error = None;
            match timeout(if is_failing { READ_TIMEOUT_AFTER_FAILURE } else { READ_TIMEOUT }, reply)
                .await
            {
                Ok(Some(rows)) => hits.extend(rows),
                Ok(None) => {
                    hits.extend(fallback);
                    error = Some(StoreError("the file cannot be read".into()));
                }
                Err(_) => {
                    hits.extend(fallback);
                    error =
                        Some(StoreError(format!("no reply within {} s", READ_TIMEOUT.as_secs())));
                    self.shared.health_tracker.record_read(error.as_ref());
                }
            }
            hits.sort_by_key(|hit| positions.get(&hit.key).copied());
            (hits, error)
        })
    }

    /// All records of a kind: those waiting to be written and those in the file, or without the
    /// latter and with the error.
    fn read_list(
        &self,
        kind: RecordKind,
    ) -> impl Future<Output = (StoredList, Option<StoreError>)> + Send + '_ {
        let cache = self.shared.caches.for_kind(kind);
        let (pending, active_removals) = (cache.pending(), cache.active_removals());
        let mut list = StoredList { records: pending, unreadable: 0 };
        let (reply_tx, reply_rx) = oneshot::channel();
        // An error drops the sender.
        let _ = self.record_reader.send(ReadRequest::List { kind, reply_tx });
        async move {
            match reply_rx.await.unwrap_or_else(|_| Err(store_closed())) {
                Ok(rows) => {
                    list.records.extend(rows.records);
                    list.unreadable = rows.unreadable;
                    cache.retain_not_removed(&mut list.records, &active_removals);
                    (list, None)
                }
                // Without a file there are no records, whatever keeps it from being created.
                Err(_) if file::is_absent(&self.shared.path) => (list, None),
                Err(error) => (list, Some(error)),
            }
        }
    }
}

impl RecordStore for SqliteStore {
    fn put(&self, record: Record) {
        let record = Arc::new(StoredRecord::new(record, self.shared.ids.next(), id::unix_millis()));
        if self.shared.caches.for_kind(record.kind).insert_pending(&record) {
            self.shared.enqueue(Job::Write(record));
        }
    }

    fn is_known_empty(&self, kind: RecordKind) -> bool {
        self.shared.caches.for_kind(kind).is_known_empty()
    }

    fn find(&self, kind: RecordKind, owner: &str, keys: &[&str]) -> BoxFuture<'_, Vec<LookupHit>> {
        let lookup = self.look_up(kind, owner, keys);
        Box::pin(async move { lookup.await.0 })
    }

    fn try_find(
        &self,
        kind: RecordKind,
        owner: &str,
        keys: &[&str],
    ) -> BoxFuture<'_, Result<Vec<LookupHit>, StoreError>> {
        let lookup = self.look_up(kind, owner, keys);
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        Box::pin(async move {
            let (hits, error) = lookup.await;
            check_complete(hits, error, &keys)
        })
    }

    fn list_records(&self, kind: RecordKind) -> BoxFuture<'_, Vec<Record>> {
        let listed = self.read_list(kind);
        Box::pin(async move { listed.await.0.into_list().records })
    }

    fn load_records(&self, kind: RecordKind) -> BoxFuture<'_, Result<RecordList, StoreError>> {
        let listed = self.read_list(kind);
        Box::pin(async move {
            let (list, error) = listed.await;
            error.map_or_else(|| Ok(list.into_list()), Err)
        })
    }

    fn remove(
        &self,
        kind: RecordKind,
        owner: Option<&str>,
        key: Option<&str>,
    ) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.shared.remove(kind, owner, key)
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.shared.flush()
    }

    fn health(&self) -> StoreHealth {
        self.shared.health()
    }
}

/// Writes pending records; those that cannot be written are lost.
impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.shared.queue.close();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

/// Timeout of a lookup.
const READ_TIMEOUT: Duration = Duration::from_secs(2);
/// Timeout of a lookup while reads are failing.
const READ_TIMEOUT_AFTER_FAILURE: Duration = Duration::from_millis(50);
