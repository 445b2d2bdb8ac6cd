//! How long, and how many bytes of, each kind of data is stored.

use std::time::Duration;

use crate::record::RecordKind;

/// The limits of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionLimits {
    /// Maximum time since a record was last found or written, so that a conversation in use is not
    /// deleted.
    pub max_age: Duration,
    /// Maximum bytes of all records; beyond it the least recently used are deleted.
    pub max_bytes: u64,
}

/// The limits of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    pub vault_entry: RetentionLimits,
    pub guard_answer: RetentionLimits,
    pub lesson: RetentionLimits,
    pub capture: RetentionLimits,
    pub response: RetentionLimits,
    /// Sessions, by their last change.
    pub session: RetentionLimits,
    /// How many days of usage are stored.
    pub usage_age: Duration,
}

impl Retention {
    pub fn for_kind(&self, kind: RecordKind) -> RetentionLimits {
        match kind {
            RecordKind::VaultEntry => self.vault_entry,
            RecordKind::GuardAnswer => self.guard_answer,
            RecordKind::Lesson => self.lesson,
            RecordKind::Capture => self.capture,
            RecordKind::Response => self.response,
            RecordKind::DivergedReply => self.session,
            // Stored until it is removed.
            RecordKind::ApiKey | RecordKind::SharedKey => {
                RetentionLimits { max_age: Duration::MAX, max_bytes: u64::MAX }
            }
        }
    }
}

impl Default for Retention {
    fn default() -> Self {
        let standard = RetentionLimits { max_age: 30 * ONE_DAY, max_bytes: 1 << 30 };
        let lesson = RetentionLimits { max_age: 365 * ONE_DAY, max_bytes: 16 << 20 };
        let session = RetentionLimits { max_age: 365 * ONE_DAY, max_bytes: 4 << 30 };
        let capture = RetentionLimits { max_age: 7 * ONE_DAY, max_bytes: 1 << 30 };
        let usage_age = 365 * ONE_DAY;
        Self {
            vault_entry: standard,
            guard_answer: standard,
            lesson,
            capture,
            response: standard,
            session,
            usage_age,
        }
    }
}

const ONE_DAY: Duration = Duration::from_hours(24);
