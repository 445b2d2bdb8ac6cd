//! Implements [`SessionStore`] for PostgreSQL: every change is one transaction.

use std::future::ready;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::pool::QueryError;
use super::{PostgresStore, SharedState, session_queries};
use crate::BoxFuture;
use crate::health::{HealthTracker, StoreError};
use crate::pending::store_closed;
use crate::session::{
    AppendTurns, Cursor, NewSession, SessionContents, SessionError, SessionId, SessionInfo,
    SessionPage, SessionStore, StoredTurn,
};

type SessionResult<T> = Result<T, SessionError>;

impl PostgresStore {
    /// Runs a write; a failure counts as a write error.
    pub(super) fn write<T, F>(
        &self,
        work: impl FnOnce(Arc<SharedState>) -> F,
    ) -> BoxFuture<'_, SessionResult<T>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, QueryError>> + Send + 'static,
    {
        self.spawn(work, |health_tracker, error| {
            health_tracker.record_write::<()>(&Err(error.clone()));
        })
    }

    /// Runs a query; a failure counts as a read error.
    pub(super) fn query<T, F>(
        &self,
        work: impl FnOnce(Arc<SharedState>) -> F,
    ) -> BoxFuture<'_, SessionResult<T>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, QueryError>> + Send + 'static,
    {
        self.spawn(work, |health_tracker, error| health_tracker.record_read(Some(error)))
    }

    fn spawn<T, F>(
        &self,
        work: impl FnOnce(Arc<SharedState>) -> F,
        report_error: fn(&HealthTracker, &StoreError),
    ) -> BoxFuture<'_, SessionResult<T>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, QueryError>> + Send + 'static,
    {
        let (shared, work) = (Arc::clone(&self.shared), work(Arc::clone(&self.shared)));
        let task = self.runtime.spawn(async move {
            let result = shared.pool.with_timeout(SESSION_TIMEOUT, work).await;
            if let Err(SessionError::Store(error)) = &result {
                report_error(&shared.health_tracker, error);
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
        let owner = owner.to_owned();
        self.write(|shared| async move {
            let mut lease = shared.pool.get().await?;
            let result = session_queries::create(&mut lease, &shared, &owner, &draft).await;
            lease.release(result)
        })
    }

    fn list(
        &self,
        owner: &str,
        after: Option<Cursor>,
        limit: usize,
    ) -> BoxFuture<'_, SessionResult<SessionPage>> {
        let owner = owner.to_owned();
        self.query(move |shared| async move {
            let mut lease = shared.pool.get().await?;
            let result = session_queries::list(&mut lease, &shared, &owner, after, limit).await;
            lease.release(result)
        })
    }

    fn read(
        &self,
        owner: &str,
        id: SessionId,
        numbers: Range<u64>,
    ) -> BoxFuture<'_, SessionResult<SessionContents>> {
        let owner = owner.to_owned();
        self.query(move |shared| async move {
            let mut lease = shared.pool.get().await?;
            let result = session_queries::read(&mut lease, &shared, &owner, id, &numbers).await;
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
        let owner = owner.to_owned();
        self.write(move |shared| async move {
            let mut lease = shared.pool.get().await?;
            let result = session_queries::append(&mut lease, &shared, &owner, id, &append).await;
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
        let owner = owner.to_owned();
        self.write(move |shared| async move {
            let mut lease = shared.pool.get().await?;
            let result =
                session_queries::update_details(&mut lease, &shared, &owner, id, &title, &metadata)
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
        let owner = owner.to_owned();
        self.write(move |shared| async move {
            let mut lease = shared.pool.get().await?;
            let result = session_queries::fork(&mut lease, &shared, &owner, id, turns).await;
            lease.release(result)
        })
    }

    fn delete(&self, owner: &str, id: SessionId) -> BoxFuture<'_, SessionResult<()>> {
        let owner = owner.to_owned();
        self.write(move |shared| async move {
            let mut lease = shared.pool.get().await?;
            let result = session_queries::delete(&mut lease, &shared, &owner, id).await;
            lease.release(result)
        })
    }

    fn delete_all(&self, owner: &str) -> BoxFuture<'_, SessionResult<u64>> {
        let owner = owner.to_owned();
        self.write(move |shared| async move {
            let mut lease = shared.pool.get().await?;
            let result = session_queries::delete_all(&mut lease, &shared, &owner).await;
            lease.release(result)
        })
    }
}

/// Includes waiting for a connection.
const SESSION_TIMEOUT: Duration = Duration::from_secs(15);
