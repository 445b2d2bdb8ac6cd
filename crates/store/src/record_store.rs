//! The interface of stores for records.

use std::fmt;

use crate::box_future::BoxFuture;
use crate::error::StoreError;
use crate::health::StoreHealth;
use crate::record::{LookupHit, Record, RecordKind, RecordList};

/// Stores records under keys. One test suite checks every store against this contract.
pub trait RecordStore: Send + Sync + fmt::Debug {
    /// Stores a record. Returns immediately; the record is visible to this process immediately and
    /// is on disk soon after. The same body under the same keys is stored once.
    fn put(&self, record: Record);

    /// Returns this owner's records under these keys, in the order of the keys, newest first and at
    /// most [`MAX_RECORDS_PER_KEY`](crate::MAX_RECORDS_PER_KEY) per key. If no other machine writes to the store, keys that
    /// were looked up before are answered from memory, hits and misses alike; otherwise every call
    /// is one database query, which includes what other machines have written. Must be polled
    /// within a tokio runtime with the time driver.
    fn find(&self, kind: RecordKind, owner: &str, keys: &[&str]) -> BoxFuture<'_, Vec<LookupHit>>;

    /// As [`RecordStore::find`], or the error that kept a key without a hit from being looked up. For
    /// callers that must not take an unreadable record for a missing one.
    fn try_find(
        &self,
        kind: RecordKind,
        owner: &str,
        keys: &[&str],
    ) -> BoxFuture<'_, Result<Vec<LookupHit>, StoreError>> {
        let found = self.find(kind, owner, keys);
        Box::pin(async move { Ok(found.await) })
    }

    /// Returns true if the store is known to have no record of this kind, so that lookups can be
    /// skipped. It is known after one lookup found the database empty.
    fn is_known_empty(&self, _: RecordKind) -> bool {
        false
    }

    /// Returns all records of a kind, newest first; while the database cannot be read, only those
    /// that wait to be written.
    fn list_records(&self, kind: RecordKind) -> BoxFuture<'_, Vec<Record>>;

    /// Returns all records of a kind, or the error that kept them from being read. For callers that
    /// must not take an unreadable store for an empty one.
    fn load_records(&self, kind: RecordKind) -> BoxFuture<'_, Result<RecordList, StoreError>> {
        let listed = self.list_records(kind);
        Box::pin(async move { Ok(RecordList { records: listed.await, unreadable: 0 }) })
    }

    /// Removes the records that exist now, of one owner or all owners, under one key or all keys. A
    /// record is removed entirely, even if it has other keys. Lookups stop returning it
    /// immediately, whether or not the future is polled. When the future resolves with the number
    /// of removed records, SQLite has overwritten their bytes; a PostgreSQL server has deleted the
    /// rows and reclaims the space later.
    fn remove(
        &self,
        kind: RecordKind,
        owner: Option<&str>,
        key: Option<&str>,
    ) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Waits until every record stored so far is on disk, or returns the write error.
    fn flush(&self) -> BoxFuture<'_, Result<(), StoreError>>;

    fn health(&self) -> StoreHealth;

    /// Returns true if other processes serve requests that look up the same records. They see
    /// flushed records.
    fn is_shared(&self) -> bool {
        false
    }
}
