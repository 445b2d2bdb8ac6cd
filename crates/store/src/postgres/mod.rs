//! A store in a PostgreSQL database that several nodes share.
//!
//! Every lookup queries the database, so that it sees what other nodes have written; the cache only
//! avoids reading bodies again, and serves lookups while the database is unavailable. Records wait
//! for one thread that writes them in batches; session changes go to the database directly.
//! Connections run on a thread of the store, independent of the callers' runtimes.

mod cleaner;
mod connect_config;
mod delete_range;
mod pool;
mod query_error;
mod record_queries;
mod schema;
mod session_queries;
mod sessions;
mod shared_state;
mod sums;
mod usage;
mod usage_queries;
mod writer;

use std::collections::HashSet;
use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use self::connect_config::ConnectConfig;
pub use self::connect_config::InvalidDatabaseUrl;
use self::pool::{ConnectionPool, Purpose};
use self::shared_state::{Job, SharedState};
use self::writer::Writer;
use crate::cache;
use crate::cache_slots::{StoredList, StoredRecord};
use crate::error::StoreError;
use crate::health::StoreHealth;
use crate::id;
use crate::options::StoreOptions;
use crate::pending::store_closed;
use crate::record::{LookupHit, Record, RecordKind, RecordList, check_complete};
use crate::session::SessionError;
use crate::{BoxFuture, RecordStore};

/// A store in a PostgreSQL database.
#[derive(Debug)]
pub struct PostgresStore {
    shared: Arc<SharedState>,
    runtime: Handle,
    writer: Option<JoinHandle<()>>,
    /// When dropped, the connection thread ends.
    _shutdown_tx: oneshot::Sender<Infallible>,
}

impl PostgresStore {
    /// Checks that a URL is usable, without connecting.
    pub fn check_url(url: &str) -> Result<(), InvalidDatabaseUrl> {
        ConnectConfig::parse(url).map(drop)
    }

    /// Connects to the database and creates its tables if needed. If that fails now,
    /// [`RecordStore::health`] has the error, connecting is retried, and until then records stay in
    /// memory. Returns an error only if the URL is invalid or a thread cannot be started.
    pub fn open(url: &str, options: StoreOptions) -> io::Result<Self> {
        let to_io_error =
            |error: InvalidDatabaseUrl| io::Error::new(io::ErrorKind::InvalidInput, error);
        let pool = ConnectionPool::new(ConnectConfig::parse(url).map_err(to_io_error)?)
            .map_err(to_io_error)?;
        let shared = Arc::new(SharedState::new(pool, options));
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (shutdown_tx, shutdown_rx) = oneshot::channel::<Infallible>();
        let thread = thread::Builder::new().name("store postgres".into());
        thread.spawn(move || {
            // Resolves when the store is dropped.
            let _ = runtime.block_on(shutdown_rx);
            runtime.shutdown_background();
        })?;
        connect_first(&shared, &handle);
        handle.spawn(cleaner::run(Arc::clone(&shared)));
        let writer = Writer::new(Arc::clone(&shared), handle.clone());
        let writer = thread::Builder::new().name("store writer".into()).spawn(|| writer.run())?;
        Ok(Self { shared, runtime: handle, writer: Some(writer), _shutdown_tx: shutdown_tx })
    }
}

/// Connects, and waits for that so long as a start may wait: a database that answers is known before
/// the first request, and a silent one delays nothing.
fn connect_first(shared: &Arc<SharedState>, runtime: &Handle) {
    let (done_tx, done_rx) = mpsc::channel();
    let task = Arc::clone(shared);
    runtime.spawn(async move {
        let result = task.pool.with_timeout(FIRST_CONNECT_TIMEOUT, async {
            let mut lease = task.pool.get(Purpose::Background).await?;
            let counted = sums::refresh(&mut lease, &task).await;
            lease.release(counted).map(drop)
        });
        let result = result.await.map_err(|error| match error {
            SessionError::Store(error) => error,
            other => StoreError(other.to_string()),
        });
        task.health_tracker.record_write(&result);
        task.health_tracker.record_read(result.as_ref().err());
        let foreign = task.health_tracker.other_key.load(Ordering::Relaxed);
        if foreign > 0 {
            let name = &task.pool.name;
            tracing::warn!(
                "{foreign} records and sessions of {name} are encrypted with another key and cannot be read"
            );
        }
        // The receiver may have timed out.
        let _ = done_tx.send(());
    });
    let _ = done_rx.recv_timeout(MAX_START_WAIT);
}

impl PostgresStore {
    /// The records of these keys: those in memory if the database cannot be read, with the error.
    fn look_up(
        &self,
        kind: RecordKind,
        owner: &str,
        keys: &[&str],
    ) -> BoxFuture<'_, (Vec<LookupHit>, Option<StoreError>)> {
        let mut seen = HashSet::new();
        let unique_keys: Vec<&str> = keys.iter().copied().filter(|key| seen.insert(*key)).collect();
        let (cache, now) = (self.shared.caches.for_kind(kind), id::unix_millis());
        let snapshots = cache.snapshot(owner, &unique_keys);
        let mut fallback = Vec::new();
        for snapshot in &snapshots {
            fallback
                .extend(cache::hits(&snapshot.key, cache.fallback_records(snapshot, now).iter()));
        }
        // The writer finds out when the database is readable again.
        let read_error = self.shared.health_tracker.read_error();
        if unique_keys.is_empty() || read_error.is_some() {
            return Box::pin(ready((fallback, read_error)));
        }
        let (shared, owner) = (Arc::clone(&self.shared), owner.to_owned());
        let task = self.runtime.spawn(async move {
            let rows = shared.pool.run(QUERY_TIMEOUT, async |_| {
                let lease = shared.pool.get(Purpose::Lookup).await?;
                let result = record_queries::find(&lease, &shared, kind, &owner, &snapshots).await;
                lease.release(result)
            });
            let rows = match rows.await {
                Ok(rows) => rows,
                Err(error) => {
                    let error = StoreError(error.to_string());
                    shared.check_reachable(&error);
                    return Err(error);
                }
            };
            let (cache, now) = (shared.caches.for_kind(kind), id::unix_millis());
            let (mut hits, mut revived) = (Vec::new(), Vec::new());
            for (key, rows) in snapshots.iter().zip(rows) {
                let records = cache.merge_rows(&owner, key, &rows, now, &mut revived);
                hits.extend(cache::hits(&key.key, records.iter()));
            }
            if !revived.is_empty() {
                shared.enqueue(Job::Touch(revived));
            }
            Ok(hits)
        });
        Box::pin(async move {
            match task.await.unwrap_or_else(|_| Err(store_closed())) {
                Ok(hits) => (hits, None),
                Err(error) => (fallback, Some(error)),
            }
        })
    }

    /// All records of a kind: those waiting to be written and those in the database, or without the
    /// latter and with the error.
    fn read_list(
        &self,
        kind: RecordKind,
    ) -> impl Future<Output = (StoredList, Option<StoreError>)> + Send + '_ {
        let cache = self.shared.caches.for_kind(kind);
        let (pending, active_removals) = (cache.pending(), cache.active_removals());
        let mut list = StoredList { records: pending, unreadable: 0 };
        let shared = Arc::clone(&self.shared);
        let task = self.runtime.spawn(async move {
            let rows = shared.pool.run(LIST_TIMEOUT, async |_| {
                let lease = shared.pool.get(Purpose::Background).await?;
                let result = record_queries::list_records(&lease, &shared, kind).await;
                lease.release(result)
            });
            rows.await.map_err(|error| {
                let error = StoreError(error.to_string());
                shared.check_reachable(&error);
                error
            })
        });
        async move {
            match task.await.unwrap_or_else(|_| Err(store_closed())) {
                Ok(rows) => {
                    list.records.extend(rows.records);
                    list.unreadable = rows.unreadable;
                    cache.retain_not_removed(&mut list.records, &active_removals);
                    (list, None)
                }
                Err(error) => (list, Some(error)),
            }
        }
    }
}

impl RecordStore for PostgresStore {
    fn put(&self, record: Record) {
        let record = Arc::new(StoredRecord::new(record, self.shared.ids.next(), id::unix_millis()));
        if self.shared.caches.for_kind(record.kind).add_pending(&record) {
            self.shared.enqueue(Job::Write(record));
        }
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

    fn is_shared(&self) -> bool {
        true
    }
}

/// Writes pending records; those that cannot be written are lost.
impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.shared.queue.close();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

const FIRST_CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const MAX_START_WAIT: Duration = Duration::from_secs(1);
/// Timeout of a lookup, which delays a request.
const QUERY_TIMEOUT: Duration = Duration::from_secs(2);
/// Timeout of reading all records of a kind, for which no request waits.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);
