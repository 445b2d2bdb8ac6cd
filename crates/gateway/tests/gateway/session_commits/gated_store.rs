//! A store whose appends of answers wait for the test.

use std::ops::{Range, RangeInclusive};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use interlingua_store::{
    AppendTurns, BoxFuture, Cursor, DailyUsage, Day, LocalLoad, LookupHit, NewSession, Record,
    RecordKind, RecordStore, RemoteLoad, SessionContents, SessionError, SessionId, SessionInfo,
    SessionPage, SessionStore, Store, StoreError, StoreHealth, UsageStore, UsageTotals,
};
use tokio::sync::watch;

#[derive(Debug)]
pub(crate) struct GatedStore {
    inner: Box<dyn Store>,
    gate: watch::Sender<bool>,
    /// Answers that have come to the gate.
    arrived: AtomicUsize,
    /// The next answer is appended, but its caller gets an error.
    pub(crate) loses_next_result: AtomicBool,
    /// Lookups fail with this error.
    pub(crate) read_error: Mutex<Option<StoreError>>,
    pub(crate) is_shared: bool,
}

impl GatedStore {
    pub(crate) fn new(inner: impl Store + 'static, is_open: bool) -> Self {
        Self {
            inner: Box::new(inner),
            gate: watch::Sender::new(is_open),
            arrived: AtomicUsize::new(0),
            loses_next_result: AtomicBool::new(false),
            read_error: Mutex::default(),
            is_shared: false,
        }
    }

    pub(crate) fn open(&self) {
        self.gate.send_replace(true);
    }

    pub(crate) fn close(&self) {
        self.gate.send_replace(false);
    }

    /// Waits until so many answers have come to the gate.
    pub(crate) fn wait_arrived(&self, count: usize) {
        let start = Instant::now();
        while self.arrived.load(Ordering::SeqCst) < count {
            assert!(start.elapsed() < Duration::from_secs(10), "no answer is appended");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Appends as another gateway does.
    pub(crate) async fn append_directly(&self, id: SessionId, append: AppendTurns) -> u64 {
        self.inner.append("", id, append).await.unwrap()
    }
}

impl RecordStore for GatedStore {
    fn put(&self, record: Record) {
        self.inner.put(record);
    }

    fn find(&self, kind: RecordKind, owner: &str, keys: &[&str]) -> BoxFuture<'_, Vec<LookupHit>> {
        self.inner.find(kind, owner, keys)
    }

    fn try_find(
        &self,
        kind: RecordKind,
        owner: &str,
        keys: &[&str],
    ) -> BoxFuture<'_, Result<Vec<LookupHit>, StoreError>> {
        let error = self.read_error.lock().unwrap().clone();
        let found = self.inner.try_find(kind, owner, keys);
        Box::pin(async move { error.map_or(Ok(found.await?), Err) })
    }

    fn list_records(&self, kind: RecordKind) -> BoxFuture<'_, Vec<Record>> {
        self.inner.list_records(kind)
    }

    fn remove(
        &self,
        kind: RecordKind,
        owner: Option<&str>,
        key: Option<&str>,
    ) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.remove(kind, owner, key)
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.flush()
    }

    fn health(&self) -> StoreHealth {
        self.inner.health()
    }

    fn is_shared(&self) -> bool {
        self.is_shared
    }
}

impl SessionStore for GatedStore {
    fn create(
        &self,
        owner: &str,
        draft: NewSession,
    ) -> BoxFuture<'_, Result<SessionInfo, SessionError>> {
        self.inner.create(owner, draft)
    }

    fn list(
        &self,
        owner: &str,
        after: Option<Cursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<SessionPage, SessionError>> {
        self.inner.list(owner, after, limit)
    }

    fn read(
        &self,
        owner: &str,
        id: SessionId,
        numbers: Range<u64>,
    ) -> BoxFuture<'_, Result<SessionContents, SessionError>> {
        self.inner.read(owner, id, numbers)
    }

    fn append(
        &self,
        owner: &str,
        id: SessionId,
        append: AppendTurns,
    ) -> BoxFuture<'_, Result<u64, SessionError>> {
        let is_answer =
            |body: &Bytes| String::from_utf8_lossy(body).contains("\"role\":\"assistant\"");
        if !append.turns.iter().any(|turn| is_answer(&turn.body)) {
            return self.inner.append(owner, id, append);
        }
        let owner = owner.to_owned();
        Box::pin(async move {
            self.arrived.fetch_add(1, Ordering::SeqCst);
            self.gate.subscribe().wait_for(|is_open| *is_open).await.unwrap();
            let appended = self.inner.append(&owner, id, append).await;
            if self.loses_next_result.swap(false, Ordering::SeqCst) {
                return Err(SessionError::Store(StoreError("the connection was lost".to_owned())));
            }
            appended
        })
    }

    fn update_details(
        &self,
        owner: &str,
        id: SessionId,
        title: String,
        metadata: Bytes,
    ) -> BoxFuture<'_, Result<(), SessionError>> {
        self.inner.update_details(owner, id, title, metadata)
    }

    fn fork(
        &self,
        owner: &str,
        id: SessionId,
        turns: u64,
    ) -> BoxFuture<'_, Result<SessionInfo, SessionError>> {
        self.inner.fork(owner, id, turns)
    }

    fn delete(&self, owner: &str, id: SessionId) -> BoxFuture<'_, Result<(), SessionError>> {
        self.inner.delete(owner, id)
    }

    fn delete_all(&self, owner: &str) -> BoxFuture<'_, Result<u64, SessionError>> {
        self.inner.delete_all(owner)
    }
}

impl UsageStore for GatedStore {
    fn add_usage(&self, day: Day, owner: &str, model: &str, totals: &UsageTotals) {
        self.inner.add_usage(day, owner, model, totals);
    }

    fn usage(
        &self,
        days: RangeInclusive<Day>,
        owner: Option<&str>,
    ) -> BoxFuture<'_, Result<Vec<DailyUsage>, SessionError>> {
        self.inner.usage(days, owner)
    }

    fn tokens_used(&self, day: Day, owner: &str) -> u64 {
        self.inner.tokens_used(day, owner)
    }

    fn sync_load(
        &self,
        local_load: Vec<LocalLoad>,
    ) -> BoxFuture<'_, Result<Vec<RemoteLoad>, SessionError>> {
        self.inner.sync_load(local_load)
    }
}
