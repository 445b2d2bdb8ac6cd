//! Records and lookup results.

use std::fmt;

use bytes::Bytes;

use crate::error::StoreError;

/// A namespace for records with its own retention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// Assistant turns with their providers' seals.
    VaultEntry,
    /// The guard's answers to tool calls.
    GuardAnswer,
    /// What was learned from a provider's error.
    Lesson,
    /// Captured requests and replies for inspection.
    Capture,
    /// Replies that a later request may refer to by id, each with its request.
    Response,
    /// Clients' API keys created at run time.
    ApiKey,
    /// Replies to a session whose history had moved on when they were complete.
    DivergedReply,
    /// Keys that the gateways of a store generate and share, for what they encrypt for clients.
    SharedKey,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Record {
    pub kind: RecordKind,
    /// The name of the client's API key, or empty. Lookups return only the owner's records.
    pub owner: String,
    pub keys: Vec<String>,
    pub body: Bytes,
}

/// All records of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordList {
    /// Newest first.
    pub records: Vec<Record>,
    /// Stored records that cannot be decoded: they are damaged, or encrypted with another key.
    pub unreadable: u64,
}

/// One record under one of the keys of a lookup.
#[derive(Clone, PartialEq, Eq)]
pub struct LookupHit {
    pub key: String,
    pub body: Bytes,
}

/// The hits of a lookup, or the error that may be why one of its keys has none.
pub(crate) fn check_complete(
    hits: Vec<LookupHit>,
    error: Option<StoreError>,
    keys: &[String],
) -> Result<Vec<LookupHit>, StoreError> {
    let is_missing = |key: &String| hits.iter().all(|hit| hit.key != *key);
    match error {
        Some(error) if keys.iter().any(is_missing) => Err(error),
        _ => Ok(hits),
    }
}

impl RecordKind {
    pub const ALL: [Self; 8] = [
        Self::VaultEntry,
        Self::GuardAnswer,
        Self::Lesson,
        Self::Capture,
        Self::Response,
        Self::ApiKey,
        Self::DivergedReply,
        Self::SharedKey,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::VaultEntry => "sealed",
            Self::GuardAnswer => "answer",
            Self::Lesson => "lesson",
            Self::Capture => "capture",
            Self::Response => "response",
            Self::ApiKey => "key",
            Self::DivergedReply => "diverged",
            Self::SharedKey => "shared-key",
        }
    }

    /// Whether a full queue may drop such a record.
    pub(crate) fn is_droppable(self) -> bool {
        !matches!(self, Self::Lesson | Self::ApiKey | Self::DivergedReply | Self::SharedKey)
    }

    /// The code stored in databases; must never change.
    pub(crate) fn db_code(self) -> u8 {
        match self {
            Self::VaultEntry => 1,
            Self::GuardAnswer => 2,
            Self::Lesson => 3,
            Self::Capture => 4,
            Self::Response => 5,
            Self::ApiKey => 6,
            Self::DivergedReply => 7,
            Self::SharedKey => 8,
        }
    }

    pub(crate) fn index(self) -> usize {
        usize::from(self.db_code()) - 1
    }
}

/// Omits the contents, which are private.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("kind", &self.kind)
            .field("owner", &self.owner)
            .field("keys", &self.keys.len())
            .field("bytes", &self.body.len())
            .finish()
    }
}

impl fmt::Debug for LookupHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LookupHit").field("bytes", &self.body.len()).finish_non_exhaustive()
    }
}

/// Maximum number of records that a lookup returns per key.
pub const MAX_RECORDS_PER_KEY: usize = 64;
