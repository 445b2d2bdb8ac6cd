//! Conversations in a database: every change is a transaction of its own.

use std::future::ready;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::link::Fault;
use super::{Postgres, Shared, conversations};
use crate::BoxFuture;
use crate::health::{Pulse, Trouble};
use crate::intake::ended;
use crate::session::{
    Append, Cursor, Draft, Page, Reading, Session, SessionError, SessionId, Sessions, Turn,
};

type Answer<T> = Result<T, SessionError>;

impl Postgres {
    /// A change: if it fails, nothing can be stored.
    pub(super) fn change<T, F>(
        &self,
        work: impl FnOnce(Arc<Shared>) -> F,
    ) -> BoxFuture<'_, Answer<T>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Fault>> + Send + 'static,
    {
        self.spawn(work, |pulse, trouble| pulse.wrote::<()>(&Err(trouble.clone())))
    }

    /// A question.
    pub(super) fn ask<T, F>(&self, work: impl FnOnce(Arc<Shared>) -> F) -> BoxFuture<'_, Answer<T>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Fault>> + Send + 'static,
    {
        self.spawn(work, |pulse, trouble| pulse.read(Some(trouble)))
    }

    fn spawn<T, F>(
        &self,
        work: impl FnOnce(Arc<Shared>) -> F,
        tell: fn(&Pulse, &Trouble),
    ) -> BoxFuture<'_, Answer<T>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Fault>> + Send + 'static,
    {
        let (shared, work) = (Arc::clone(&self.shared), work(Arc::clone(&self.shared)));
        let task = self.runtime.spawn(async move {
            let done = shared.link.within(PATIENCE, work).await;
            if let Err(SessionError::Trouble(trouble)) = &done {
                tell(&shared.pulse, trouble);
            }
            done
        });
        Box::pin(async move { task.await.unwrap_or_else(|_| Err(ended().into())) })
    }
}

impl Sessions for Postgres {
    fn create(&self, owner: &str, draft: Draft) -> BoxFuture<'_, Answer<Session>> {
        if let Err(error) = Turn::check(&draft.turns) {
            return Box::pin(ready(Err(error)));
        }
        let owner = owner.to_owned();
        self.change(|shared| async move {
            let mut lease = shared.link.lease().await?;
            let done = conversations::create(&mut lease, &shared, &owner, &draft).await;
            lease.settle(done)
        })
    }

    fn list(&self, owner: &str, after: Option<Cursor>, most: usize) -> BoxFuture<'_, Answer<Page>> {
        let owner = owner.to_owned();
        self.ask(move |shared| async move {
            let mut lease = shared.link.lease().await?;
            let done = conversations::list(&mut lease, &shared, &owner, after, most).await;
            lease.settle(done)
        })
    }

    fn read(
        &self,
        owner: &str,
        id: SessionId,
        numbers: Range<u64>,
    ) -> BoxFuture<'_, Answer<Reading>> {
        let owner = owner.to_owned();
        self.ask(move |shared| async move {
            let mut lease = shared.link.lease().await?;
            let done = conversations::read(&mut lease, &shared, &owner, id, &numbers).await;
            lease.settle(done)
        })
    }

    fn append(&self, owner: &str, id: SessionId, append: Append) -> BoxFuture<'_, Answer<u64>> {
        if let Err(error) = Turn::check(&append.turns) {
            return Box::pin(ready(Err(error)));
        }
        let owner = owner.to_owned();
        self.change(move |shared| async move {
            let mut lease = shared.link.lease().await?;
            let done = conversations::append(&mut lease, &shared, &owner, id, &append).await;
            lease.settle(done)
        })
    }

    fn describe(
        &self,
        owner: &str,
        id: SessionId,
        title: String,
        metadata: Bytes,
    ) -> BoxFuture<'_, Answer<()>> {
        let owner = owner.to_owned();
        self.change(move |shared| async move {
            let mut lease = shared.link.lease().await?;
            let done =
                conversations::describe(&mut lease, &shared, &owner, id, &title, &metadata).await;
            lease.settle(done)
        })
    }

    fn fork(&self, owner: &str, id: SessionId, turns: u64) -> BoxFuture<'_, Answer<Session>> {
        let owner = owner.to_owned();
        self.change(move |shared| async move {
            let mut lease = shared.link.lease().await?;
            let done = conversations::fork(&mut lease, &shared, &owner, id, turns).await;
            lease.settle(done)
        })
    }

    fn delete(&self, owner: &str, id: SessionId) -> BoxFuture<'_, Answer<()>> {
        let owner = owner.to_owned();
        self.change(move |shared| async move {
            let mut lease = shared.link.lease().await?;
            let done = conversations::delete(&mut lease, &shared, &owner, id).await;
            lease.settle(done)
        })
    }

    fn delete_all(&self, owner: &str) -> BoxFuture<'_, Answer<u64>> {
        let owner = owner.to_owned();
        self.change(move |shared| async move {
            let mut lease = shared.link.lease().await?;
            let done = conversations::delete_all(&mut lease, &shared, &owner).await;
            lease.settle(done)
        })
    }
}

/// For a database, and for whoever is before us.
const PATIENCE: Duration = Duration::from_secs(15);
