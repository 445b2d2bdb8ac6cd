//! Session ids (UUID version 7), list cursors, and a clock that never goes back.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::error::StoreError;
use crate::id::unix_micros;

/// A UUID of version 7: sorted by time and not guessable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub(crate) [u8; 16]);

/// A position in a list of sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub(crate) updated: i64,
    pub(crate) id: SessionId,
}

/// The text is not a session id or cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseIdError;

/// The id and time of a session to be created, chosen once for a request. Repeating the request's
/// work inserts the same primary key, so a commit whose reply was lost leaves no second session.
#[derive(Debug)]
pub(crate) struct NewSessionId {
    pub(crate) id: SessionId,
    /// Microseconds since 1970.
    pub(crate) created: i64,
}

/// Returns strictly increasing times, even if the system clock goes back.
#[derive(Debug, Default)]
pub(crate) struct SessionClock(AtomicI64);

impl SessionClock {
    /// Microseconds since 1970.
    pub(crate) fn next(&self) -> i64 {
        let now = unix_micros();
        let next = |last: i64| Some(now.max(last + 1));
        // The closure always gives a value.
        let (Ok(last) | Err(last)) =
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        now.max(last + 1)
    }

    pub(crate) fn new_session(&self) -> Result<NewSessionId, StoreError> {
        let created = self.next();
        Ok(NewSessionId { id: SessionId::new_at(created)?, created })
    }
}

impl SessionId {
    /// Creates an id for a session created at `moment`, in microseconds since 1970.
    fn new_at(moment: i64) -> Result<Self, StoreError> {
        let mut id = [0; 16];
        aws_lc_rs::rand::fill(&mut id[8..])
            .map_err(|_| StoreError("the system's random number generator failed".into()))?;
        let moment = moment.unsigned_abs();
        let (millis, fraction) = (moment / 1000, moment % 1000 * 4);
        id[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
        id[6..8].copy_from_slice(&(0x7000 | fraction as u16).to_be_bytes());
        id[8] = 0x80 | id[8] & 0x3f;
        Ok(Self(id))
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, byte) in self.0.iter().enumerate() {
            if matches!(nth, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for SessionId {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        let mut id = [0; 16];
        let groups: Vec<&[u8]> = text.as_bytes().split(|byte| *byte == b'-').collect();
        if !groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]) {
            return Err(ParseIdError);
        }
        for (byte, digits) in id.iter_mut().zip(groups.concat().as_chunks::<2>().0) {
            *byte = parse_hex_digit(digits[0])? << 4 | parse_hex_digit(digits[1])?;
        }
        Ok(Self(id))
    }
}

fn parse_hex_digit(digit: u8) -> Result<u8, ParseIdError> {
    char::from(digit).to_digit(16).map(|digit| digit as u8).ok_or(ParseIdError)
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.updated, self.id)
    }
}

impl FromStr for Cursor {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        let (updated, id) = text.split_once('_').ok_or(ParseIdError)?;
        Ok(Self { updated: updated.parse().map_err(|_| ParseIdError)?, id: id.parse()? })
    }
}

impl fmt::Display for ParseIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a session id or list cursor")
    }
}

impl std::error::Error for ParseIdError {}
