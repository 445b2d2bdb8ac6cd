//! Sessions: stored conversations, and the interface for creating, listing, appending to and
//! forking them.

mod cipher;
mod id;
mod memory;
mod row;

use std::fmt;
use std::ops::Range;

use bytes::Bytes;

pub(crate) use self::cipher::{RowCipher, SessionDetails};
pub use self::id::{Cursor, ParseIdError, SessionId};
pub(crate) use self::id::{NewSessionId, SessionClock};
pub(crate) use self::memory::MemorySessions;
pub(crate) use self::row::{SessionRow, TurnRow};
use crate::BoxFuture;
use crate::error::StoreError;

/// Stores sessions. Unlike records, changes are never acknowledged before they are written: a
/// future resolves when its change is committed to disk as a whole. If the future is dropped before
/// that, the change may or may not have been made. Must be polled within a tokio runtime with the
/// time driver; every operation has a timeout.
pub trait SessionStore: Send + Sync + fmt::Debug {
    /// Creates a session.
    fn create(
        &self,
        owner: &str,
        draft: NewSession,
    ) -> BoxFuture<'_, Result<SessionInfo, SessionError>>;

    /// Lists an owner's sessions after the cursor, most recently changed first: at most `limit`, and
    /// at most [`MAX_PAGE_SIZE`].
    fn list(
        &self,
        owner: &str,
        after: Option<Cursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<SessionPage, SessionError>>;

    /// Reads a session and its turns with these numbers in one transaction.
    fn read(
        &self,
        owner: &str,
        id: SessionId,
        numbers: Range<u64>,
    ) -> BoxFuture<'_, Result<SessionContents, SessionError>>;

    /// Appends all turns or none; returns the new number of turns.
    fn append(
        &self,
        owner: &str,
        id: SessionId,
        append: AppendTurns,
    ) -> BoxFuture<'_, Result<u64, SessionError>>;

    /// Replaces title and metadata.
    fn update_details(
        &self,
        owner: &str,
        id: SessionId,
        title: String,
        metadata: Bytes,
    ) -> BoxFuture<'_, Result<(), SessionError>>;

    /// Creates a session with the first `turns` turns of this one, or all if it has fewer.
    fn fork(
        &self,
        owner: &str,
        id: SessionId,
        turns: u64,
    ) -> BoxFuture<'_, Result<SessionInfo, SessionError>>;

    /// Deletes a session. Its forks stay.
    fn delete(&self, owner: &str, id: SessionId) -> BoxFuture<'_, Result<(), SessionError>>;

    /// Deletes all sessions of an owner; returns their number.
    fn delete_all(&self, owner: &str) -> BoxFuture<'_, Result<u64, SessionError>>;
}

/// A session without its turns.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionInfo {
    pub id: SessionId,
    pub title: String,
    /// The client's JSON.
    pub metadata: Bytes,
    /// The last used model, or empty.
    pub model: String,
    /// Microseconds since 1970.
    pub created: i64,
    pub updated: i64,
    pub turn_count: u64,
    /// Bytes of its turns as stored.
    pub bytes: u64,
    /// The session that it was forked from, and the number of turns copied.
    pub parent: Option<(SessionId, u64)>,
    /// Title, metadata or model cannot be read; the turns may be readable.
    pub is_damaged: bool,
}

impl Cursor {
    pub(crate) fn after(session: &SessionInfo) -> Self {
        Self { updated: session.updated, id: session.id }
    }
}

/// A session to be created.
#[derive(Clone, Default)]
pub struct NewSession {
    pub title: String,
    pub metadata: Bytes,
    pub model: String,
    pub turns: Vec<StoredTurn>,
}

/// One turn; its body is opaque to the store.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredTurn {
    pub state: TurnState,
    pub body: Bytes,
}

/// Whether a turn is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnState {
    Complete,
    Aborted,
}

/// A turn and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedTurn {
    /// Starts at 0.
    pub number: u64,
    /// Microseconds since 1970.
    pub written_at: i64,
    pub turn: StoredTurn,
}

/// Turns to append to a session.
#[derive(Clone, Default)]
pub struct AppendTurns {
    /// The number of turns the client has seen. If the session has a different number, nothing is
    /// appended.
    pub expected_turns: u64,
    pub turns: Vec<StoredTurn>,
    /// The last used model, if it changed.
    pub model: Option<String>,
}

/// A page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionPage {
    pub sessions: Vec<SessionInfo>,
    /// The start of the next page, if any.
    pub next: Option<Cursor>,
}

/// A session with the turns that were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionContents {
    pub info: SessionInfo,
    pub turns: Vec<NumberedTurn>,
    /// Numbers of damaged or missing turns, which are not in `turns`.
    pub damaged_turns: Vec<u64>,
}

/// Why a session operation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionError {
    /// The owner has no session with this id.
    NotFound,
    /// The session has this number of turns, not the expected one. Nothing was appended.
    Conflict { turns: u64 },
    /// The store is turned off.
    Disabled,
    /// A turn has too many bytes. Nothing was appended.
    TooLarge { bytes: usize },
    /// The write is not confirmed, or the read failed.
    Store(StoreError),
}

impl TurnState {
    /// The code stored in databases; must never change.
    pub(crate) fn db_code(self) -> u8 {
        match self {
            Self::Complete => 0,
            Self::Aborted => 1,
        }
    }

    pub(crate) fn from_db_code(number: i64) -> Option<Self> {
        [Self::Complete, Self::Aborted]
            .into_iter()
            .find(|state| i64::from(state.db_code()) == number)
    }
}

impl StoredTurn {
    pub fn complete(body: impl Into<Bytes>) -> Self {
        Self { state: TurnState::Complete, body: body.into() }
    }

    pub fn aborted(body: impl Into<Bytes>) -> Self {
        Self { state: TurnState::Aborted, body: body.into() }
    }

    pub(crate) fn check_sizes(turns: &[Self]) -> Result<(), SessionError> {
        match turns.iter().map(|turn| turn.body.len()).find(|bytes| *bytes > MAX_TURN_BYTES) {
            Some(bytes) => Err(SessionError::TooLarge { bytes }),
            None => Ok(()),
        }
    }
}

impl SessionPage {
    /// Builds a page from up to `page_size + 1` rows; the extra row shows that there is another page.
    pub(crate) fn from_rows(mut sessions: Vec<SessionInfo>, page_size: usize) -> Self {
        let has_more = sessions.len() > page_size;
        sessions.truncate(page_size);
        let next = sessions.last().filter(|_| has_more).map(Cursor::after);
        Self { sessions, next }
    }
}

pub(crate) fn clamp_page_size(limit: usize) -> usize {
    limit.clamp(1, MAX_PAGE_SIZE)
}

impl From<StoreError> for SessionError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("there is no such session"),
            Self::Conflict { turns } => {
                write!(f, "the session has {turns} turns, not the expected number")
            }
            Self::Disabled => {
                f.write_str("sessions and usage are not stored: the store is turned off")
            }
            Self::TooLarge { bytes } => {
                write!(f, "a turn of {bytes} bytes is too large: the maximum is {MAX_TURN_BYTES}")
            }
            Self::Store(error) => write!(f, "not stored: {error}"),
        }
    }
}

impl std::error::Error for SessionError {}

/// Omits the contents, which are private.
impl fmt::Debug for SessionInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionInfo")
            .field("id", &self.id)
            .field("turns", &self.turn_count)
            .field("bytes", &self.bytes)
            .field("updated", &self.updated)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for NewSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewSession").field("turns", &self.turns.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for AppendTurns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppendTurns")
            .field("expected_turns", &self.expected_turns)
            .field("turns", &self.turns.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for StoredTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredTurn")
            .field("state", &self.state)
            .field("bytes", &self.body.len())
            .finish()
    }
}

/// Maximum number of sessions per page.
pub const MAX_PAGE_SIZE: usize = 500;
const MAX_TURN_BYTES: usize = 256 << 20;
