//! A store in memory, which is lost when the process ends.

use std::future::ready;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use bytes::Bytes;

use crate::cache::{RecordCaches, Removal};
use crate::cache_slots::StoredRecord;
use crate::error::StoreError;
use crate::health::StoreHealth;
use crate::id::{self, IdGenerator};
use crate::record::{LookupHit, Record, RecordKind};
use crate::retention::{Retention, RetentionLimits};
use crate::session::{
    AppendTurns, Cursor, MemorySessions, NewSession, SessionContents, SessionError, SessionId,
    SessionInfo, SessionPage, SessionStore,
};
use crate::usage::{DailyUsage, Day, LocalLoad, RemoteLoad, UsageStore, UsageTally, UsageTotals};
use crate::{BoxFuture, RecordStore};

/// Records, sessions and usage in memory, bounded in bytes per kind.
#[derive(Debug)]
pub struct MemoryStore {
    sessions: MemorySessions,
    caches: RecordCaches,
    ids: IdGenerator,
    usage: UsageTally,
    retention: Retention,
}

impl MemoryStore {
    /// Holds at most `bytes` per kind, within the retention.
    pub fn new(retention: &Retention, bytes: usize) -> Self {
        let RetentionLimits { max_age, max_bytes } = retention.session;
        let sessions = MemorySessions::new(RetentionLimits {
            max_age,
            max_bytes: max_bytes.min(bytes as u64),
        });
        Self {
            sessions,
            caches: RecordCaches::new(retention, bytes),
            ids: IdGenerator::starting_after(0),
            usage: UsageTally::new(),
            retention: *retention,
        }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new(&Retention::default(), DEFAULT_BYTES)
    }
}

impl RecordStore for MemoryStore {
    fn put(&self, record: Record) {
        let cache = self.caches.for_kind(record.kind);
        cache.insert(&Arc::new(StoredRecord::new(record, self.ids.next(), id::unix_millis())));
    }

    fn is_known_empty(&self, kind: RecordKind) -> bool {
        self.caches.for_kind(kind).is_empty()
    }

    fn find(&self, kind: RecordKind, owner: &str, keys: &[&str]) -> BoxFuture<'_, Vec<LookupHit>> {
        Box::pin(ready(self.caches.for_kind(kind).lookup_memory(owner, keys, id::unix_millis())))
    }

    fn list_records(&self, kind: RecordKind) -> BoxFuture<'_, Vec<Record>> {
        let records = self.caches.for_kind(kind).records();
        Box::pin(ready(records.values().rev().map(|record| record.to_record()).collect()))
    }

    fn remove(
        &self,
        kind: RecordKind,
        owner: Option<&str>,
        key: Option<&str>,
    ) -> BoxFuture<'_, Result<u64, StoreError>> {
        let cache = self.caches.for_kind(kind);
        let (owner, key) = (owner.map(str::to_owned), key.map(str::to_owned));
        let removal = Removal { owner, key, before_id: self.ids.next() };
        let removed = cache.records().values().filter(|record| removal.covers(record)).count();
        cache.remove_records(&removal);
        Box::pin(ready(Ok(removed as u64)))
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(ready(Ok(())))
    }

    fn health(&self) -> StoreHealth {
        StoreHealth { sessions: self.sessions.count(), ..StoreHealth::default() }
    }
}

impl SessionStore for MemoryStore {
    fn create(
        &self,
        owner: &str,
        draft: NewSession,
    ) -> BoxFuture<'_, Result<SessionInfo, SessionError>> {
        Box::pin(ready(self.sessions.create(owner, draft)))
    }

    fn list(
        &self,
        owner: &str,
        after: Option<Cursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<SessionPage, SessionError>> {
        Box::pin(ready(Ok(self.sessions.list(owner, after, limit))))
    }

    fn read(
        &self,
        owner: &str,
        id: SessionId,
        numbers: Range<u64>,
    ) -> BoxFuture<'_, Result<SessionContents, SessionError>> {
        Box::pin(ready(self.sessions.read(owner, id, numbers)))
    }

    fn append(
        &self,
        owner: &str,
        id: SessionId,
        append: AppendTurns,
    ) -> BoxFuture<'_, Result<u64, SessionError>> {
        Box::pin(ready(self.sessions.append(owner, id, append)))
    }

    fn update_details(
        &self,
        owner: &str,
        id: SessionId,
        title: String,
        metadata: Bytes,
    ) -> BoxFuture<'_, Result<(), SessionError>> {
        Box::pin(ready(self.sessions.update_details(owner, id, title, &metadata)))
    }

    fn fork(
        &self,
        owner: &str,
        id: SessionId,
        turns: u64,
    ) -> BoxFuture<'_, Result<SessionInfo, SessionError>> {
        Box::pin(ready(self.sessions.fork(owner, id, turns)))
    }

    fn delete(&self, owner: &str, id: SessionId) -> BoxFuture<'_, Result<(), SessionError>> {
        Box::pin(ready(self.sessions.delete(owner, id)))
    }

    fn delete_all(&self, owner: &str) -> BoxFuture<'_, Result<u64, SessionError>> {
        Box::pin(ready(Ok(self.sessions.delete_all(owner))))
    }
}

impl UsageStore for MemoryStore {
    fn add_usage(&self, day: Day, owner: &str, model: &str, totals: &UsageTotals) {
        self.usage.add(day, owner, model, totals);
    }

    fn usage(
        &self,
        days: RangeInclusive<Day>,
        owner: Option<&str>,
    ) -> BoxFuture<'_, Result<Vec<DailyUsage>, SessionError>> {
        self.usage.forget_before(Day::oldest_stored(self.retention.usage_age));
        Box::pin(ready(Ok(self.usage.usage(&days, owner))))
    }

    fn tokens_used(&self, day: Day, owner: &str) -> u64 {
        self.usage.tokens_used(day, owner)
    }

    fn sync_load(&self, _: Vec<LocalLoad>) -> BoxFuture<'_, Result<Vec<RemoteLoad>, SessionError>> {
        self.usage.forget_before(Day::oldest_stored(self.retention.usage_age));
        Box::pin(ready(Ok(Vec::new())))
    }
}

const DEFAULT_BYTES: usize = 64 << 20;
