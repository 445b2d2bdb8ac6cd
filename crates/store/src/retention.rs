//! How long, and how much, is remembered.

use std::time::Duration;

use crate::account::Day;
use crate::record::Kind;

/// What is remembered of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// How long after a record was last found or kept. A conversation that goes on is not forgotten.
    pub age: Duration,
    /// Bytes of all records; beyond them those go that were not needed for the longest time.
    pub bytes: u64,
}

/// What is remembered of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    pub sealed: Keep,
    pub answer: Keep,
    pub lesson: Keep,
    pub capture: Keep,
    pub response: Keep,
    /// Conversations, after they were last changed.
    pub session: Keep,
    /// What was used, by days.
    pub usage: Duration,
}

impl Retention {
    /// The first day of which it is still known what was used.
    pub(crate) fn first_day(&self) -> Day {
        let days = self.usage.as_secs().div_ceil(DAY.as_secs());
        Day::today().before(u32::try_from(days).unwrap_or(u32::MAX))
    }

    pub fn of(&self, kind: Kind) -> Keep {
        match kind {
            Kind::Sealed => self.sealed,
            Kind::Answer => self.answer,
            Kind::Lesson => self.lesson,
            Kind::Capture => self.capture,
            Kind::Response => self.response,
            // Until somebody removes it.
            Kind::Key => Keep { age: Duration::MAX, bytes: u64::MAX },
        }
    }
}

impl Default for Retention {
    fn default() -> Self {
        let keep = Keep { age: 30 * DAY, bytes: 1 << 30 };
        let lesson = Keep { age: 365 * DAY, bytes: 16 << 20 };
        let session = Keep { age: 365 * DAY, bytes: 4 << 30 };
        let capture = Keep { age: 7 * DAY, bytes: 1 << 30 };
        let usage = 365 * DAY;
        Self { sealed: keep, answer: keep, lesson, capture, response: keep, session, usage }
    }
}

const DAY: Duration = Duration::from_hours(24);
