//! What the gateway remembers: records of its own, and the conversations of its clients.
//!
//! ```text
//! keep ─▶ shelf (memory, found at once) ─▶ queue ─▶ writer ─▶ database
//! find ─▶ shelf ─── not known there ───▶ reader ─▶ database
//! ```
//!
//! A record lies under one or more keys of its owner. Nothing that is kept or looked for ever stops an
//! answer: what cannot be written waits, and is dropped when too much waits; what cannot be read is
//! not found; [`Store::health`] says so.
//!
//! A conversation belongs to its client: [`Sessions`] goes to the database with every change, and says what
//! came of it. What is used is added up in memory, and in the database about once a second: [`Accounts`].

mod account;
mod health;
mod id;
mod intake;
mod memory;
mod nothing;
mod options;
mod pack;
mod places;
mod postgres;
mod queue;
mod record;
mod retention;
mod secret;
mod session;
mod shelf;
mod slots;
mod sqlite;

use std::fmt;
use std::pin::Pin;

pub use account::{Accounts, Day, Elsewhere, NoDay, Share, Sums, Used};
pub use health::{Health, Trouble};
pub use memory::Memory;
pub use nothing::Nothing;
pub use options::Options;
pub use postgres::{BadAddress, Postgres};
pub use record::{Found, Kind, Record};
pub use retention::{Keep, Retention};
pub use secret::{Secret, TooShort};
pub use session::{
    Append, Cursor, Draft, NoId, PAGE, Page, Reading, Session, SessionError, SessionId, Sessions,
    State, Turn, Written,
};
pub use sqlite::Sqlite;

/// What a store gives back later.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where records are kept. One test-suite holds all stores to this contract.
pub trait Store: Send + Sync + fmt::Debug {
    /// Keeps a record. Returns at once; what was kept is found at once by this process, and is on
    /// disk soon. The same body under the same keys is kept once.
    fn keep(&self, record: Record);

    /// Everything that this owner has under these keys, in their order: for each key the newest first,
    /// and the newest [`MOST`] at the most. Where no other machine writes to the store, it costs nothing worth
    /// mentioning for keys that were asked for before, whether there was anything or not; where others do, it
    /// is one question to the database, and finds what they have written. To be awaited within a tokio runtime
    /// that has a clock.
    fn find(&self, kind: Kind, owner: &str, keys: &[&str]) -> BoxFuture<'_, Vec<Found>>;

    /// Whether it is known that nobody has anything of this kind, so that nobody need look. A store that can
    /// know knows it when somebody has looked in vain.
    fn is_empty(&self, _: Kind) -> bool {
        false
    }

    /// All records of a kind, the newest first.
    fn all(&self, kind: Kind) -> BoxFuture<'_, Vec<Record>>;

    /// Forgets what is there now: records of this owner, or of all; those under this key, or all. A
    /// record goes whole, whatever other keys it lies under. From now on it is not found, whether or not this
    /// is awaited; in a file it is overwritten when this says how many there were, and a server has forgotten
    /// it, whenever that server overwrites it.
    fn remove(
        &self,
        kind: Kind,
        owner: Option<&str>,
        key: Option<&str>,
    ) -> BoxFuture<'_, Result<u64, Trouble>>;

    /// Waits until everything that was kept so far is on disk, or says why it is not.
    fn flush(&self) -> BoxFuture<'_, Result<(), Trouble>>;

    fn health(&self) -> Health;

    /// Whether others than this process are sent requests that look for what is kept here. They find what
    /// was flushed.
    fn is_shared(&self) -> bool {
        false
    }
}

/// Everything that a gateway asks of one store.
pub trait Keeper: Store + Sessions + Accounts {}

impl<S: Store + Sessions + Accounts> Keeper for S {}

/// How many records are found under one key.
pub const MOST: usize = 64;
