//! Implements [`SessionStore`] for SQLite: changes go to the writer, queries to a reader thread.

use std::future::ready;
use std::ops::Range;
use std::time::Duration;

use bytes::Bytes;
use rusqlite::Connection;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::jobs::PendingOp;
use super::reader::ReadRequest;
use super::shared_state::{Job, SharedState};
use super::{SqliteStore, session_queries};
use crate::BoxFuture;
use crate::error::StoreError;
use crate::pending::store_closed;
use crate::session::{
    AppendTurns, Cursor, NewSession, SessionContents, SessionError, SessionId, SessionInfo,
    SessionPage, SessionStore, StoredTurn,
};

type SessionResult<T> = Result<T, SessionError>;

impl SqliteStore {
    /// Runs a write in the writer's next commit.
    fn write<T: Send + 'static>(
        &self,
        frees_space: bool,
        op: impl FnMut(&Connection, &SharedState) -> rusqlite::Result<SessionResult<T>> + Send + 'static,
    ) -> BoxFuture<'_, SessionResult<T>> {
        let (reply_tx, reply_rx) = oneshot::channel();
        self.shared.enqueue(Job::Op(Box::new(PendingOp {
            op,
            frees_space,
            result: None,
            reply_tx,
        })));
        Box::pin(with_timeout(reply_rx))
    }

    /// Runs a query in one read transaction.
    pub(super) fn query<T: Send + 'static>(
        &self,
        run: impl FnOnce(&Connection, &SharedState) -> rusqlite::Result<SessionResult<T>>
        + Send
        + 'static,
    ) -> BoxFuture<'_, SessionResult<T>> {
        let (reply_tx, reply_rx) = oneshot::channel();
        let request = ReadRequest::Run(Box::new(move |reader| {
            let result = reader.with_connection(|connection, shared| {
                let transaction = connection.unchecked_transaction()?;
                run(&transaction, shared)
            });
            // The receiver may have been dropped.
            let _ = reply_tx.send(result.unwrap_or_else(|error| Err(error.into())));
        }));
        // If the reader has ended, the reply channel is closed.
        let _ = self.session_reader.send(request);
        Box::pin(with_timeout(reply_rx))
    }
}

async fn with_timeout<T>(reply_rx: oneshot::Receiver<SessionResult<T>>) -> SessionResult<T> {
    match timeout(SESSION_TIMEOUT, reply_rx).await {
        Ok(reply) => reply.unwrap_or_else(|_| Err(store_closed().into())),
        Err(_) => {
            Err(StoreError(format!("no reply within {} s", SESSION_TIMEOUT.as_secs())).into())
        }
    }
}

impl SessionStore for SqliteStore {
    fn create(&self, owner: &str, draft: NewSession) -> BoxFuture<'_, SessionResult<SessionInfo>> {
        if let Err(error) = StoredTurn::check_sizes(&draft.turns) {
            return Box::pin(ready(Err(error)));
        }
        let owner = owner.to_owned();
        self.write(false, move |connection, shared| {
            session_queries::create(connection, shared, &owner, &draft)
        })
    }

    fn list(
        &self,
        owner: &str,
        after: Option<Cursor>,
        limit: usize,
    ) -> BoxFuture<'_, SessionResult<SessionPage>> {
        let owner = owner.to_owned();
        self.query(move |connection, shared| {
            session_queries::list(connection, shared, &owner, after, limit).map(Ok)
        })
    }

    fn read(
        &self,
        owner: &str,
        id: SessionId,
        numbers: Range<u64>,
    ) -> BoxFuture<'_, SessionResult<SessionContents>> {
        let owner = owner.to_owned();
        self.query(move |connection, shared| {
            session_queries::read(connection, shared, &owner, id, &numbers)
        })
    }

    fn append(
        &self,
        owner: &str,
        id: SessionId,
        append: AppendTurns,
    ) -> BoxFuture<'_, SessionResult<u64>> {
        if let Err(error) = StoredTurn::check_sizes(&append.turns) {
            return Box::pin(ready(Err(error)));
        }
        let owner = owner.to_owned();
        self.write(false, move |connection, shared| {
            session_queries::append(connection, shared, &owner, id, &append)
        })
    }

    fn update_details(
        &self,
        owner: &str,
        id: SessionId,
        title: String,
        metadata: Bytes,
    ) -> BoxFuture<'_, SessionResult<()>> {
        let owner = owner.to_owned();
        self.write(false, move |connection, shared| {
            session_queries::update_details(connection, shared, &owner, id, &title, &metadata)
        })
    }

    fn fork(
        &self,
        owner: &str,
        id: SessionId,
        turns: u64,
    ) -> BoxFuture<'_, SessionResult<SessionInfo>> {
        let owner = owner.to_owned();
        self.write(false, move |connection, shared| {
            session_queries::fork(connection, shared, &owner, id, turns)
        })
    }

    fn delete(&self, owner: &str, id: SessionId) -> BoxFuture<'_, SessionResult<()>> {
        let owner = owner.to_owned();
        self.write(true, move |connection, shared| {
            session_queries::delete(connection, shared, &owner, id)
        })
    }

    fn delete_all(&self, owner: &str) -> BoxFuture<'_, SessionResult<u64>> {
        let owner = owner.to_owned();
        self.write(true, move |connection, shared| {
            session_queries::delete_all(connection, shared, &owner).map(Ok)
        })
    }
}

/// Includes waiting for earlier jobs.
const SESSION_TIMEOUT: Duration = Duration::from_secs(15);
