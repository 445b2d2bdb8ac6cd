//! A store for those who want nothing to be remembered.

use std::future::ready;
use std::ops::{Range, RangeInclusive};

use bytes::Bytes;

use crate::account::{Accounts, Day, Elsewhere, Share, Sums, Tally, Used};
use crate::health::{Health, Trouble};
use crate::record::{Found, Kind, Record};
use crate::session::{
    Append, Cursor, Draft, Page, Reading, Session, SessionError, SessionId, Sessions,
};
use crate::{BoxFuture, Store};

/// Forgets everything at once, but how many tokens were used today.
#[derive(Debug)]
pub struct Nothing(Tally);

impl Default for Nothing {
    fn default() -> Self {
        Self(Tally::new())
    }
}

impl Store for Nothing {
    fn keep(&self, _: Record) {}

    fn is_empty(&self, _: Kind) -> bool {
        true
    }

    fn find(&self, _: Kind, _: &str, _: &[&str]) -> BoxFuture<'_, Vec<Found>> {
        Box::pin(ready(Vec::new()))
    }

    fn all(&self, _: Kind) -> BoxFuture<'_, Vec<Record>> {
        Box::pin(ready(Vec::new()))
    }

    fn remove(
        &self,
        _: Kind,
        _: Option<&str>,
        _: Option<&str>,
    ) -> BoxFuture<'_, Result<u64, Trouble>> {
        Box::pin(ready(Ok(0)))
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), Trouble>> {
        Box::pin(ready(Ok(())))
    }

    fn health(&self) -> Health {
        Health::default()
    }
}

/// Who expects a conversation to be there later is told that it will not be.
impl Sessions for Nothing {
    fn create(&self, _: &str, _: Draft) -> BoxFuture<'_, Result<Session, SessionError>> {
        refused()
    }

    fn list(
        &self,
        _: &str,
        _: Option<Cursor>,
        _: usize,
    ) -> BoxFuture<'_, Result<Page, SessionError>> {
        refused()
    }

    fn read(
        &self,
        _: &str,
        _: SessionId,
        _: Range<u64>,
    ) -> BoxFuture<'_, Result<Reading, SessionError>> {
        refused()
    }

    fn append(&self, _: &str, _: SessionId, _: Append) -> BoxFuture<'_, Result<u64, SessionError>> {
        refused()
    }

    fn describe(
        &self,
        _: &str,
        _: SessionId,
        _: String,
        _: Bytes,
    ) -> BoxFuture<'_, Result<(), SessionError>> {
        refused()
    }

    fn fork(&self, _: &str, _: SessionId, _: u64) -> BoxFuture<'_, Result<Session, SessionError>> {
        refused()
    }

    fn delete(&self, _: &str, _: SessionId) -> BoxFuture<'_, Result<(), SessionError>> {
        refused()
    }

    fn delete_all(&self, _: &str) -> BoxFuture<'_, Result<u64, SessionError>> {
        refused()
    }
}

/// A budget is one of who is asked, too.
impl Accounts for Nothing {
    fn add(&self, day: Day, owner: &str, model: &str, sums: &Sums) {
        self.0.add(day, owner, model, sums);
        self.0.forget(day.next());
    }

    fn usage(
        &self,
        _: RangeInclusive<Day>,
        _: Option<&str>,
    ) -> BoxFuture<'_, Result<Vec<Used>, SessionError>> {
        refused()
    }

    fn spent(&self, day: Day, owner: &str) -> u64 {
        self.0.spent(day, owner)
    }

    fn exchange(&self, _: Vec<Share>) -> BoxFuture<'_, Result<Vec<Elsewhere>, SessionError>> {
        Box::pin(ready(Ok(Vec::new())))
    }
}

fn refused<T: Send + 'static>() -> BoxFuture<'static, Result<T, SessionError>> {
    Box::pin(ready(Err(SessionError::Off)))
}
