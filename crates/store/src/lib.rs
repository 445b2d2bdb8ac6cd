//! Stores the gateway's records, its clients' sessions and their token usage in memory, SQLite or
//! PostgreSQL.
//!
//! ```text
//! put  ─▶ cache (in memory, readable immediately) ─▶ queue ─▶ writer ─▶ database
//! find ─▶ cache ─── miss ───▶ reader ─▶ database
//! ```
//!
//! A record is stored under one or more keys of its owner. [`RecordStore::put`] and
//! [`RecordStore::find`] never delay a reply: records that cannot be written wait in a bounded
//! queue, and the oldest are dropped when it is full; records that cannot be read are treated as
//! missing. [`RecordStore::health`] reports both.
//!
//! A session belongs to its client: [`SessionStore`] commits every change to the database and
//! returns the result. Usage is summed in memory and flushed to the database about once a second:
//! [`UsageStore`].

mod box_future;
mod cache;
mod cache_key;
mod cache_slots;
mod encryption;
mod error;
mod health;
mod id;
mod memory;
mod noop;
mod options;
mod pack;
mod pending;
mod postgres;
mod queue;
mod record;
mod record_store;
mod retention;
mod session;
mod sqlite;
mod usage;

pub use box_future::BoxFuture;
pub use encryption::{EncryptionKey, InvalidEncryptionKey};
pub use error::StoreError;
pub use health::StoreHealth;
pub use memory::MemoryStore;
pub use noop::NoopStore;
pub use options::StoreOptions;
pub use postgres::{InvalidDatabaseUrl, PostgresStore};
pub use record::{LookupHit, MAX_RECORDS_PER_KEY, Record, RecordKind, RecordList};
pub use record_store::RecordStore;
pub use retention::{Retention, RetentionLimits};
pub use session::{
    AppendTurns, Cursor, MAX_PAGE_SIZE, NewSession, NumberedTurn, ParseIdError, SessionContents,
    SessionError, SessionId, SessionInfo, SessionPage, SessionStore, StoredTurn, TurnState,
};
pub use sqlite::SqliteStore;
pub use usage::{DailyUsage, Day, LocalLoad, ParseDayError, RemoteLoad, UsageStore, UsageTotals};

/// The interfaces that the gateway needs from one store.
pub trait Store: RecordStore + SessionStore + UsageStore {}

impl<S: RecordStore + SessionStore + UsageStore> Store for S {}
