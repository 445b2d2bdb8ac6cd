//! Appends replies to sessions, and serializes the requests of a session.

mod diverged;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use interlingua::RawJson;
use interlingua_dialects::native;
use interlingua_model::Reply;
use interlingua_store::{AppendTurns, SessionError, SessionId, Store, StoreError, StoredTurn};
use tokio::sync::{OwnedMutexGuard, oneshot, watch};
use tokio::time::{sleep, timeout};

pub use self::diverged::DivergedReply;
use crate::services::store::{
    FlushFuture, REPLY_FLUSH_TIMEOUT, SHUTDOWN_FLUSH_TIMEOUT, UnstoredReply,
};

/// Locks of the sessions in use.
#[derive(Debug, Default)]
pub(crate) struct SessionLocks(Mutex<HashMap<SessionId, Arc<SessionLock>>>);

#[derive(Debug, Default)]
struct SessionLock {
    /// Held while a model answers: one request at a time.
    answering: Arc<tokio::sync::Mutex<()>>,
    /// While the reply is being stored: readers wait for it.
    is_writing: watch::Sender<bool>,
}

/// Exclusive access to a session.
#[derive(Debug)]
pub(crate) struct SessionGuard {
    lock: Arc<SessionLock>,
    answering: OwnedMutexGuard<()>,
}

/// The number of replies that a worker is storing.
#[derive(Debug, Default)]
pub(crate) struct SessionWrites(watch::Sender<usize>);

/// Held while a reply is being stored.
#[derive(Debug)]
struct WriteGuard {
    lock: Arc<SessionLock>,
    writes: Arc<SessionWrites>,
}

impl SessionLocks {
    /// Waits for exclusive access.
    pub(crate) async fn lock(&self, id: SessionId) -> SessionGuard {
        let lock = {
            let mut locks = self.locks();
            // Drops unused locks.
            locks.retain(|_, lock| Arc::strong_count(lock) > 1);
            Arc::clone(locks.entry(id).or_default())
        };
        let answering = Arc::clone(&lock.answering).lock_owned().await;
        SessionGuard { lock, answering }
    }

    /// Waits until the last reply of this gateway is stored, or returns an error if that takes too
    /// long.
    pub(crate) async fn wait_written(&self, id: SessionId) -> Result<(), SessionError> {
        let lock = self.locks().get(&id).map(Arc::clone);
        let Some(lock) = lock else { return Ok(()) };
        timeout(REPLY_FLUSH_TIMEOUT, lock.wait_written())
            .await
            .map_err(|_| StoreError("the last answer is not in the session yet".into()).into())
    }

    fn locks(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Arc<SessionLock>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionLock {
    async fn wait_written(&self) {
        // The sender is `self`, so that this cannot fail.
        let _ = self.is_writing.subscribe().wait_for(|is_writing| !is_writing).await;
    }
}

impl SessionWrites {
    /// Waits until all replies are stored, but not longer than [`SHUTDOWN_FLUSH_TIMEOUT`]. A worker
    /// does so before its runtime ends, which drops the tasks that store them.
    pub(crate) async fn finish(&self) {
        let mut count = self.0.subscribe();
        let finished = count.wait_for(|count| *count == 0);
        if timeout(SHUTDOWN_FLUSH_TIMEOUT, finished).await.is_err() {
            let count = *self.0.borrow();
            tracing::error!(
                "{count} replies are lost: they are not in their sessions, because the store takes \
                 too long"
            );
        }
    }
}

impl WriteGuard {
    fn new(lock: Arc<SessionLock>, writes: Arc<SessionWrites>) -> Self {
        lock.is_writing.send_replace(true);
        writes.0.send_modify(|count| *count += 1);
        Self { lock, writes }
    }
}

impl Drop for WriteGuard {
    fn drop(&mut self) {
        self.lock.is_writing.send_replace(false);
        self.writes.0.send_modify(|count| *count -= 1);
    }
}

/// Stores the reply in a session when it is complete.
#[derive(Debug)]
pub(crate) struct SessionRecorder {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) owner: String,
    pub(crate) id: SessionId,
    /// Turns before the reply.
    pub(crate) expected_turns: u64,
    /// The model name that the client sent.
    pub(crate) model: String,
    pub(crate) guard: SessionGuard,
    pub(crate) writes: Arc<SessionWrites>,
}

impl SessionRecorder {
    /// Stores the complete reply. The end of the response must wait for the returned future, so that
    /// the next request finds the reply on any node. An empty reply is skipped: providers would
    /// reject it in the history.
    pub(crate) fn record(self, reply: &Reply) -> Option<FlushFuture> {
        if reply.turn.is_blank() {
            return None;
        }
        let turn = native::encode_turn(&reply.turn.clone().into()).to_bytes();
        let Self { store, owner, id, expected_turns, model, guard, writes } = self;
        let SessionGuard { lock, answering } = guard;
        let write_guard = WriteGuard::new(lock, writes);
        let pending = PendingReply { store, owner, id, expected_turns, model, turn };
        let (stored_tx, stored_rx) = oneshot::channel();
        // A task of its own: the reply is stored even if the client disconnects.
        tokio::spawn(async move {
            let stored = pending.store();
            tokio::pin!(stored);
            let is_stored = timeout(REPLY_FLUSH_TIMEOUT, &mut stored).await.is_ok();
            // The receiver may have been dropped.
            let _ = stored_tx.send(is_stored);
            if !is_stored {
                // Later requests wait for the writing only, which has a timeout.
                drop(answering);
                stored.await;
            }
            drop(write_guard);
        });
        Some(Box::pin(async move {
            if stored_rx.await == Ok(true) { Ok(()) } else { Err(UnstoredReply(id)) }
        }))
    }
}

/// A complete reply on its way into its session.
struct PendingReply {
    store: Arc<dyn Store>,
    owner: String,
    id: SessionId,
    expected_turns: u64,
    model: String,
    turn: Bytes,
}

impl PendingReply {
    /// Appends the reply to the session, as often as needed. If the session has other turns in its
    /// place, the reply is stored beside it.
    async fn store(self) {
        let mut is_uncertain = false;
        loop {
            let append = AppendTurns {
                expected_turns: self.expected_turns,
                turns: vec![StoredTurn::complete(self.turn.clone())],
                model: Some(self.model.clone()),
            };
            match self.store.append(&self.owner, self.id, append).await {
                Ok(_) => return,
                Err(SessionError::Conflict { .. }) => {
                    match if is_uncertain { self.is_in_session().await } else { Ok(false) } {
                        Ok(true) => return,
                        Ok(false) => return self.store_beside().await,
                        Err(_) => {}
                    }
                }
                Err(SessionError::Store(error)) => {
                    if !is_uncertain {
                        tracing::warn!(session = %self.id, "a reply is not stored in its session yet: {error}");
                    }
                    // The commit may have succeeded.
                    is_uncertain = true;
                }
                Err(error) => {
                    tracing::error!(session = %self.id, "a reply could not be stored in its session: {error}");
                    return;
                }
            }
            sleep(RETRY_DELAY).await;
        }
    }

    /// Whether an append whose outcome was unknown has succeeded.
    async fn is_in_session(&self) -> Result<bool, SessionError> {
        let number = self.expected_turns;
        let contents = self.store.read(&self.owner, self.id, number..number + 1).await?;
        Ok(contents.turns.iter().any(|stored| stored.turn.body == self.turn))
    }

    async fn store_beside(self) {
        tracing::warn!(session = %self.id, "the session has other turns: the reply is stored beside it");
        let turn = RawJson::parse(String::from_utf8_lossy(&self.turn).into_owned());
        let turn = turn.unwrap_or(RawJson::NULL);
        let reply = DivergedReply::new(self.expected_turns, self.model, turn);
        self.store.put(reply.to_record(&self.owner, self.id));
        while self.store.flush().await.is_err() {
            sleep(RETRY_DELAY).await;
        }
    }
}

/// Between two attempts to store a reply.
const RETRY_DELAY: Duration = Duration::from_millis(500);
