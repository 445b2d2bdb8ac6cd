//! Implements [`SessionStore`] for PostgreSQL: every change is one transaction.

use std::future::ready;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::pool::{Attempt, Purpose};
use super::query_error::QueryError;
use super::shared_state::SharedState;
use super::{PostgresStore, session_queries};
use crate::BoxFuture;
use crate::pending::store_closed;
use crate::session::{
    AppendTurns, Cursor, NewSession, RowCipher, SessionContents, SessionError, SessionId,
    SessionInfo, SessionPage, SessionRow, SessionStore, StoredTurn,
};

type SessionResult<T> = Result<T, SessionError>;

impl PostgresStore {
    /// Runs work of a request, and once more if its connection was lost. An error concerns this
    /// request only, unless the database cannot be reached at all.
    pub(super) fn run<R, T, F>(
        &self,
        request: R,
        work: fn(Arc<SharedState>, Arc<R>, Attempt) -> F,
    ) -> BoxFuture<'_, SessionResult<T>>
    where
        R: Send + Sync + 'static,
        T: Send + 'static,
        F: Future<Output = Result<T, QueryError>> + Send + 'static,
    {
        let (shared, request) = (Arc::clone(&self.shared), Arc::new(request));
        let task = self.runtime.spawn(async move {
            let attempt = |attempt| work(Arc::clone(&shared), Arc::clone(&request), attempt);
            let result = shared.pool.run(SESSION_TIMEOUT, attempt).await;
            if let Err(SessionError::Store(error)) = &result {
                shared.check_reachable(error);
            }
            result
        });
        Box::pin(async move { task.await.unwrap_or_else(|_| Err(store_closed().into())) })
    }
}

impl SessionStore for PostgresStore {
    fn create(&self, owner: &str, draft: NewSession) -> BoxFuture<'_, SessionResult<SessionInfo>> {
        if let Err(error) = StoredTurn::check_sizes(&draft.turns) {
            return Box::pin(ready(Err(error)));
        }
        let row_cipher = RowCipher(self.shared.options.encryption_key.as_ref());
        let new = self.shared.clock.new_session();
        let rows = new.and_then(|new| SessionRow::create(row_cipher, &new, owner, &draft));
        let rows = match rows {
            Ok(rows) => rows,
            Err(error) => return Box::pin(ready(Err(error.into()))),
        };
        self.run((owner.to_owned(), rows), |shared, request, _| async move {
            let (owner, rows) = &*request;
            let mut lease = shared.pool.get(Purpose::Session).await?;
            let result = session_queries::create(&mut lease, &shared, owner, rows).await;
            lease.release(result)
        })
    }

    fn list(
        &self,
        owner: &str,
        after: Option<Cursor>,
        limit: usize,
    ) -> BoxFuture<'_, SessionResult<SessionPage>> {
        self.run((owner.to_owned(), after, limit), |shared, request, _| async move {
            let (owner, after, limit) = &*request;
            let mut lease = shared.pool.get(Purpose::Session).await?;
            let result = session_queries::list(&mut lease, &shared, owner, *after, *limit).await;
            lease.release(result)
        })
    }

    fn read(
        &self,
        owner: &str,
        id: SessionId,
        numbers: Range<u64>,
    ) -> BoxFuture<'_, SessionResult<SessionContents>> {
        self.run((owner.to_owned(), id, numbers), |shared, request, _| async move {
            let (owner, id, numbers) = &*request;
            let mut lease = shared.pool.get(Purpose::Session).await?;
            let result = session_queries::read(&mut lease, &shared, owner, *id, numbers).await;
            lease.release(result)
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
        let request = (owner.to_owned(), id, append, self.shared.clock.next());
        self.run(request, |shared, request, attempt| async move {
            let (owner, id, append, now) = &*request;
            let mut lease = shared.pool.get(Purpose::Session).await?;
            let result =
                session_queries::append(&mut lease, &shared, owner, *id, append, (*now, attempt))
                    .await;
            lease.release(result)
        })
    }

    fn update_details(
        &self,
        owner: &str,
        id: SessionId,
        title: String,
        metadata: Bytes,
    ) -> BoxFuture<'_, SessionResult<()>> {
        self.run((owner.to_owned(), id, title, metadata), |shared, request, _| async move {
            let (owner, id, title, metadata) = &*request;
            let mut lease = shared.pool.get(Purpose::Session).await?;
            let result =
                session_queries::update_details(&mut lease, &shared, owner, *id, title, metadata)
                    .await;
            lease.release(result)
        })
    }

    fn fork(
        &self,
        owner: &str,
        id: SessionId,
        turns: u64,
    ) -> BoxFuture<'_, SessionResult<SessionInfo>> {
        let new = match self.shared.clock.new_session() {
            Ok(new) => new,
            Err(error) => return Box::pin(ready(Err(error.into()))),
        };
        self.run((owner.to_owned(), id, turns, new), |shared, request, _| async move {
            let (owner, id, turns, new) = &*request;
            let mut lease = shared.pool.get(Purpose::Session).await?;
            let result = session_queries::fork(&mut lease, &shared, owner, *id, *turns, new).await;
            lease.release(result)
        })
    }

    fn delete(&self, owner: &str, id: SessionId) -> BoxFuture<'_, SessionResult<()>> {
        self.run((owner.to_owned(), id), |shared, request, attempt| async move {
            let (owner, id) = &*request;
            let mut lease = shared.pool.get(Purpose::Session).await?;
            let result = session_queries::delete(&mut lease, &shared, owner, *id).await;
            match lease.release(result) {
                // The first attempt has deleted it.
                Err(QueryError::Session(SessionError::NotFound)) if attempt == Attempt::Retry => {
                    Ok(())
                }
                result => result,
            }
        })
    }

    fn delete_all(&self, owner: &str) -> BoxFuture<'_, SessionResult<u64>> {
        self.run(owner.to_owned(), |shared, owner, _| async move {
            let mut lease = shared.pool.get(Purpose::Session).await?;
            let result = session_queries::delete_all(&mut lease, &shared, &owner).await;
            lease.release(result)
        })
    }
}

/// Includes waiting for a connection.
const SESSION_TIMEOUT: Duration = Duration::from_secs(15);
