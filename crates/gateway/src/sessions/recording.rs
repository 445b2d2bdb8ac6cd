//! Appends replies to sessions, and serializes the requests of a session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use interlingua::model::Reply;
use interlingua::native;
use interlingua_store::{AppendTurns, SessionId, Store, StoredTurn};
use tokio::sync::OwnedMutexGuard;

/// Locks of the sessions in use.
#[derive(Debug, Default)]
pub(crate) struct SessionLocks(Mutex<HashMap<SessionId, Arc<SessionLock>>>);

#[derive(Debug, Default)]
struct SessionLock {
    /// Held while a model answers: one request at a time.
    answering: Arc<tokio::sync::Mutex<()>>,
    /// Held while the reply is being stored: readers wait for it.
    writing: Arc<tokio::sync::Mutex<()>>,
}

/// Exclusive access to a session.
#[derive(Debug)]
pub(crate) struct SessionGuard {
    lock: Arc<SessionLock>,
    _answering: OwnedMutexGuard<()>,
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
        SessionGuard { lock, _answering: answering }
    }

    /// Waits until the last reply is stored.
    pub(crate) async fn wait_written(&self, id: SessionId) {
        let lock = self.locks().get(&id).map(Arc::clone);
        if let Some(lock) = lock {
            drop(lock.writing.lock().await);
        }
    }

    /// Waits until all replies are stored.
    pub(crate) async fn wait_all_written(&self) {
        let locks: Vec<Arc<SessionLock>> = self.locks().values().map(Arc::clone).collect();
        for session_lock in locks {
            drop(session_lock.writing.lock().await);
        }
    }

    fn locks(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Arc<SessionLock>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
}

impl SessionRecorder {
    /// Stores the complete reply. An empty one is skipped: providers would reject it in the
    /// history.
    pub(crate) fn record(self, reply: &Reply) {
        if reply.turn.is_blank() {
            return;
        }
        let turn = native::encode_turn(&reply.turn.clone().into());
        let turns = vec![StoredTurn::complete(turn.to_bytes())];
        let append = AppendTurns {
            expected_turns: self.expected_turns,
            turns,
            model: Some(self.model.clone()),
        };
        // Only the owner of the session lock writes, so this lock is free except for a short time
        // while a reader waits on it.
        let write_guard = Arc::clone(&self.guard.lock.writing).try_lock_owned();
        // The end of the response does not wait for the disk.
        tokio::spawn(async move {
            let result = self.store.append(&self.owner, self.id, append).await;
            if let Err(error) = result {
                tracing::error!(session = %self.id, "a reply could not be stored in its session: {error}");
            }
            drop((write_guard, self.guard));
        });
    }
}
