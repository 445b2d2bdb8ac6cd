//! A store that keeps nothing, except today's token counts for budgets.

use std::future::ready;
use std::ops::{Range, RangeInclusive};

use bytes::Bytes;

use crate::error::StoreError;
use crate::health::StoreHealth;
use crate::record::{LookupHit, Record, RecordKind};
use crate::session::{
    AppendTurns, Cursor, NewSession, SessionContents, SessionError, SessionId, SessionInfo,
    SessionPage, SessionStore,
};
use crate::usage::{DailyUsage, Day, LocalLoad, RemoteLoad, UsageStore, UsageTally, UsageTotals};
use crate::{BoxFuture, RecordStore};

/// Discards everything except how many tokens were used today.
#[derive(Debug)]
pub struct NoopStore(UsageTally);

impl Default for NoopStore {
    fn default() -> Self {
        Self(UsageTally::new())
    }
}

impl RecordStore for NoopStore {
    fn put(&self, _: Record) {}

    fn is_known_empty(&self, _: RecordKind) -> bool {
        true
    }

    fn find(&self, _: RecordKind, _: &str, _: &[&str]) -> BoxFuture<'_, Vec<LookupHit>> {
        Box::pin(ready(Vec::new()))
    }

    fn list_records(&self, _: RecordKind) -> BoxFuture<'_, Vec<Record>> {
        Box::pin(ready(Vec::new()))
    }

    fn remove(
        &self,
        _: RecordKind,
        _: Option<&str>,
        _: Option<&str>,
    ) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(ready(Ok(0)))
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(ready(Ok(())))
    }

    fn health(&self) -> StoreHealth {
        StoreHealth::default()
    }
}

/// Every call fails with [`SessionError::Disabled`].
impl SessionStore for NoopStore {
    fn create(&self, _: &str, _: NewSession) -> BoxFuture<'_, Result<SessionInfo, SessionError>> {
        disabled()
    }

    fn list(
        &self,
        _: &str,
        _: Option<Cursor>,
        _: usize,
    ) -> BoxFuture<'_, Result<SessionPage, SessionError>> {
        disabled()
    }

    fn read(
        &self,
        _: &str,
        _: SessionId,
        _: Range<u64>,
    ) -> BoxFuture<'_, Result<SessionContents, SessionError>> {
        disabled()
    }

    fn append(
        &self,
        _: &str,
        _: SessionId,
        _: AppendTurns,
    ) -> BoxFuture<'_, Result<u64, SessionError>> {
        disabled()
    }

    fn update_details(
        &self,
        _: &str,
        _: SessionId,
        _: String,
        _: Bytes,
    ) -> BoxFuture<'_, Result<(), SessionError>> {
        disabled()
    }

    fn fork(
        &self,
        _: &str,
        _: SessionId,
        _: u64,
    ) -> BoxFuture<'_, Result<SessionInfo, SessionError>> {
        disabled()
    }

    fn delete(&self, _: &str, _: SessionId) -> BoxFuture<'_, Result<(), SessionError>> {
        disabled()
    }

    fn delete_all(&self, _: &str) -> BoxFuture<'_, Result<u64, SessionError>> {
        disabled()
    }
}

/// Budgets work without a store: today's usage stays in memory.
impl UsageStore for NoopStore {
    fn add_usage(&self, day: Day, owner: &str, model: &str, totals: &UsageTotals) {
        self.0.add(day, owner, model, totals);
        self.0.forget_before(day.next());
    }

    fn usage(
        &self,
        _: RangeInclusive<Day>,
        _: Option<&str>,
    ) -> BoxFuture<'_, Result<Vec<DailyUsage>, SessionError>> {
        disabled()
    }

    fn tokens_used(&self, day: Day, owner: &str) -> u64 {
        self.0.tokens_used(day, owner)
    }

    fn sync_load(&self, _: Vec<LocalLoad>) -> BoxFuture<'_, Result<Vec<RemoteLoad>, SessionError>> {
        Box::pin(ready(Ok(Vec::new())))
    }
}

fn disabled<T: Send + 'static>() -> BoxFuture<'static, Result<T, SessionError>> {
    Box::pin(ready(Err(SessionError::Disabled)))
}
