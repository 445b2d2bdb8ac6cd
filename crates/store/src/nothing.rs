//! A store for those who want nothing to be remembered.

use std::future::ready;

use crate::health::{Health, Trouble};
use crate::record::{Found, Kind, Record};
use crate::{BoxFuture, Store};

/// Forgets everything at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Store for Nothing {
    fn keep(&self, _: Record) {}

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
