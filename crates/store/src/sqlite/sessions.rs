//! Conversations in a file: changes go to the writer, questions to a reader of their own.

use std::future::ready;
use std::ops::Range;
use std::time::Duration;

use bytes::Bytes;
use rusqlite::Connection;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::reader::Ask;
use super::work::Task;
use super::{Job, Shared, Sqlite, conversations};
use crate::BoxFuture;
use crate::health::Trouble;
use crate::intake::ended;
use crate::session::{
    Append, Cursor, Draft, Page, Reading, Session, SessionError, SessionId, Sessions, Turn,
};

type Answer<T> = Result<T, SessionError>;

impl Sqlite {
    /// A change, in the writer's next commit.
    fn change<T: Send + 'static>(
        &self,
        deletes: bool,
        work: impl FnMut(&Connection, &Shared) -> rusqlite::Result<Answer<T>> + Send + 'static,
    ) -> BoxFuture<'_, Answer<T>> {
        let (answer, answered) = oneshot::channel();
        self.shared.put(Job::Work(Box::new(Task { work, deletes, done: None, answer })));
        Box::pin(within(answered))
    }

    /// A question, of everything as it is at one moment.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection, &Shared) -> rusqlite::Result<Answer<T>> + Send + 'static,
    ) -> BoxFuture<'_, Answer<T>> {
        let (answer, answered) = oneshot::channel();
        let ask = Ask::Other(Box::new(move |reader| {
            let read = reader.read(|connection, shared| {
                let transaction = connection.unchecked_transaction()?;
                question(&transaction, shared)
            });
            // Who asked may have left.
            let _ = answer.send(read.unwrap_or_else(|trouble| Err(trouble.into())));
        }));
        // If nobody reads, nobody answers.
        let _ = self.others.send(ask);
        Box::pin(within(answered))
    }
}

async fn within<T>(answered: oneshot::Receiver<Answer<T>>) -> Answer<T> {
    match timeout(PATIENCE, answered).await {
        Ok(answered) => answered.unwrap_or_else(|_| Err(ended().into())),
        Err(_) => Err(Trouble(format!("no answer within {} s", PATIENCE.as_secs())).into()),
    }
}

impl Sessions for Sqlite {
    fn create(&self, owner: &str, draft: Draft) -> BoxFuture<'_, Answer<Session>> {
        if let Err(error) = Turn::check(&draft.turns) {
            return Box::pin(ready(Err(error)));
        }
        let owner = owner.to_owned();
        self.change(false, move |connection, shared| {
            conversations::create(connection, shared, &owner, &draft)
        })
    }

    fn list(&self, owner: &str, after: Option<Cursor>, most: usize) -> BoxFuture<'_, Answer<Page>> {
        let owner = owner.to_owned();
        self.ask(move |connection, shared| {
            conversations::list(connection, shared, &owner, after, most).map(Ok)
        })
    }

    fn read(
        &self,
        owner: &str,
        id: SessionId,
        numbers: Range<u64>,
    ) -> BoxFuture<'_, Answer<Reading>> {
        let owner = owner.to_owned();
        self.ask(move |connection, shared| {
            conversations::read(connection, shared, &owner, id, &numbers)
        })
    }

    fn append(&self, owner: &str, id: SessionId, append: Append) -> BoxFuture<'_, Answer<u64>> {
        if let Err(error) = Turn::check(&append.turns) {
            return Box::pin(ready(Err(error)));
        }
        let owner = owner.to_owned();
        self.change(false, move |connection, shared| {
            conversations::append(connection, shared, &owner, id, &append)
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
        self.change(false, move |connection, shared| {
            conversations::describe(connection, shared, &owner, id, &title, &metadata)
        })
    }

    fn fork(&self, owner: &str, id: SessionId, turns: u64) -> BoxFuture<'_, Answer<Session>> {
        let owner = owner.to_owned();
        self.change(false, move |connection, shared| {
            conversations::fork(connection, shared, &owner, id, turns)
        })
    }

    fn delete(&self, owner: &str, id: SessionId) -> BoxFuture<'_, Answer<()>> {
        let owner = owner.to_owned();
        self.change(true, move |connection, shared| {
            conversations::delete(connection, shared, &owner, id)
        })
    }

    fn delete_all(&self, owner: &str) -> BoxFuture<'_, Answer<u64>> {
        let owner = owner.to_owned();
        self.change(true, move |connection, shared| {
            conversations::delete_all(connection, shared, &owner).map(Ok)
        })
    }
}

/// For a disk, and for whoever is before us.
const PATIENCE: Duration = Duration::from_secs(15);
