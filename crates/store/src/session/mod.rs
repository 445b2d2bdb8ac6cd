//! Conversations that outlive processes: what one is, and what every store does with them.

mod id;
mod memory;
mod row;
mod seal;

use std::fmt;
use std::ops::Range;

use bytes::Bytes;

pub(crate) use self::id::Moments;
pub use self::id::{Cursor, NoId, SessionId};
pub(crate) use self::memory::Held;
pub(crate) use self::row::{SessionRow, TurnRow};
pub(crate) use self::seal::{About, Lock};
use crate::BoxFuture;
use crate::health::Trouble;

/// Where conversations are kept. Unlike a record, what was not written is never taken for written: every
/// change is on disk, whole, when its future says so. Whoever drops the future first does not know whether
/// it was made. To be awaited within a tokio runtime that has a clock; nothing waits for ever.
pub trait Sessions: Send + Sync + fmt::Debug {
    /// Begins a conversation.
    fn create(&self, owner: &str, draft: Draft) -> BoxFuture<'_, Result<Session, SessionError>>;

    /// The conversations of an owner, the last changed first: those that come after the cursor, and not
    /// more than so many, nor than [`PAGE`].
    fn list(
        &self,
        owner: &str,
        after: Option<Cursor>,
        most: usize,
    ) -> BoxFuture<'_, Result<Page, SessionError>>;

    /// A conversation and its turns of these numbers, as they are at one moment.
    fn read(
        &self,
        owner: &str,
        id: SessionId,
        numbers: Range<u64>,
    ) -> BoxFuture<'_, Result<Reading, SessionError>>;

    /// Adds turns, all of them or none, and says how many there are now.
    fn append(
        &self,
        owner: &str,
        id: SessionId,
        append: Append,
    ) -> BoxFuture<'_, Result<u64, SessionError>>;

    /// Says anew what the conversation is about.
    fn describe(
        &self,
        owner: &str,
        id: SessionId,
        title: String,
        metadata: Bytes,
    ) -> BoxFuture<'_, Result<(), SessionError>>;

    /// Begins another one with the first so many turns of this one, or with all if there are fewer.
    fn fork(
        &self,
        owner: &str,
        id: SessionId,
        turns: u64,
    ) -> BoxFuture<'_, Result<Session, SessionError>>;

    /// Forgets it. Forks of it stay.
    fn delete(&self, owner: &str, id: SessionId) -> BoxFuture<'_, Result<(), SessionError>>;

    /// Forgets all of this owner, and says how many there were.
    fn delete_all(&self, owner: &str) -> BoxFuture<'_, Result<u64, SessionError>>;
}

/// A conversation, without its turns.
#[derive(Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub title: String,
    /// JSON of whoever began it.
    pub metadata: Bytes,
    /// The model that was last used, or nothing.
    pub model: String,
    /// Microseconds since 1970.
    pub created: i64,
    pub updated: i64,
    /// How many turns it has.
    pub turns: u64,
    /// Bytes of its turns, as they lie in the store.
    pub bytes: u64,
    /// The conversation that it was forked from, and at which turn.
    pub parent: Option<(SessionId, u64)>,
    /// What it is about cannot be read any more; its turns may well be.
    pub is_damaged: bool,
}

/// A conversation that is to begin.
#[derive(Clone, Default)]
pub struct Draft {
    pub title: String,
    pub metadata: Bytes,
    pub model: String,
    pub turns: Vec<Turn>,
}

/// One turn: bytes that nobody in here reads.
#[derive(Clone, PartialEq, Eq)]
pub struct Turn {
    pub state: State,
    pub body: Bytes,
}

/// Whether a turn came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Whole,
    Aborted,
}

/// A turn in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The first is 0.
    pub number: u64,
    /// When, in microseconds since 1970.
    pub at: i64,
    pub turn: Turn,
}

/// What is to be added to a conversation.
#[derive(Clone, Default)]
pub struct Append {
    /// How many turns its author has seen. If there are others meanwhile, nothing is added.
    pub seen: u64,
    pub turns: Vec<Turn>,
    /// The model that was used, if another may be from now on.
    pub model: Option<String>,
}

/// Some of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    pub sessions: Vec<Session>,
    /// Where the next page begins, if there is one.
    pub next: Option<Cursor>,
}

/// What was read of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    pub session: Session,
    pub turns: Vec<Written>,
    /// Numbers of turns whose bytes are not what was written. They stay where they are, and are not read.
    pub damaged: Vec<u64>,
}

/// Why there is nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionError {
    /// This owner has none of this id.
    Missing,
    /// There are so many turns, and not as many as were seen. Nothing was added.
    Conflict { turns: u64 },
    /// Nothing is to be remembered.
    Off,
    /// A turn has too many bytes. Nothing was added.
    TooLarge { bytes: usize },
    /// It is not known to be written, or cannot be read.
    Trouble(Trouble),
}

impl State {
    /// As databases write it: never to be changed.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Whole => 0,
            Self::Aborted => 1,
        }
    }

    pub(crate) fn of(number: i64) -> Option<Self> {
        [Self::Whole, Self::Aborted].into_iter().find(|state| i64::from(state.number()) == number)
    }
}

impl Turn {
    pub fn whole(body: impl Into<Bytes>) -> Self {
        Self { state: State::Whole, body: body.into() }
    }

    pub fn aborted(body: impl Into<Bytes>) -> Self {
        Self { state: State::Aborted, body: body.into() }
    }

    /// Whether all of them can be stored.
    pub(crate) fn check(turns: &[Self]) -> Result<(), SessionError> {
        match turns.iter().map(|turn| turn.body.len()).find(|bytes| *bytes > LARGEST) {
            Some(bytes) => Err(SessionError::TooLarge { bytes }),
            None => Ok(()),
        }
    }
}

impl Page {
    /// Of these, one of which may be there only to tell that there is another page.
    pub(crate) fn of(mut sessions: Vec<Session>, most: usize) -> Self {
        let more = sessions.len() > most;
        sessions.truncate(most);
        let next = sessions.last().filter(|_| more).map(Cursor::after);
        Self { sessions, next }
    }
}

/// How many are listed at once.
pub(crate) fn page(most: usize) -> usize {
    most.clamp(1, PAGE)
}

impl From<Trouble> for SessionError {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no such session"),
            Self::Conflict { turns } => {
                write!(f, "the session has {turns} turns, which are not as many as were seen")
            }
            Self::Off => f.write_str("nothing is stored here: the store is turned off"),
            Self::TooLarge { bytes } => {
                write!(f, "a turn of {bytes} bytes is too large: {LARGEST} is the most")
            }
            Self::Trouble(trouble) => write!(f, "not stored: {trouble}"),
        }
    }
}

impl std::error::Error for SessionError {}

/// Contents are nobody's business.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id)
            .field("turns", &self.turns)
            .field("bytes", &self.bytes)
            .field("updated", &self.updated)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Draft").field("turns", &self.turns.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Append {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Append")
            .field("seen", &self.seen)
            .field("turns", &self.turns.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn").field("state", &self.state).field("bytes", &self.body.len()).finish()
    }
}

/// Conversations of one page, at the most.
pub const PAGE: usize = 500;
/// Bytes of one turn, at the most.
const LARGEST: usize = 256 << 20;
