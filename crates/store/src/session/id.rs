//! The identity of a conversation, and places in a list of them.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicI64, Ordering};

use super::Session;
use crate::health::Trouble;
use crate::id::micros;

/// A UUID of version 7: in the order of their times, and not to be guessed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub(crate) [u8; 16]);

/// A place in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub(crate) updated: i64,
    pub(crate) id: SessionId,
}

/// The text is no id, or no cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoId;

/// Gives out times, each later than the one before it, whatever the clock does.
#[derive(Debug, Default)]
pub(crate) struct Moments(AtomicI64);

impl Moments {
    /// Microseconds since 1970.
    pub(crate) fn next(&self) -> i64 {
        let now = micros();
        let next = |last: i64| Some(now.max(last + 1));
        // The closure always gives a value.
        let (Ok(last) | Err(last)) =
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        now.max(last + 1)
    }
}

impl SessionId {
    /// For a conversation that begins at this moment.
    pub(crate) fn at(moment: i64) -> Result<Self, Trouble> {
        let mut id = [0; 16];
        aws_lc_rs::rand::fill(&mut id[8..])
            .map_err(|_| Trouble("this machine has no random numbers".into()))?;
        let moment = moment.unsigned_abs();
        let (millis, fraction) = (moment / 1000, moment % 1000 * 4);
        id[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
        id[6..8].copy_from_slice(&(0x7000 | fraction as u16).to_be_bytes());
        id[8] = 0x80 | id[8] & 0x3f;
        Ok(Self(id))
    }
}

impl Cursor {
    /// What comes after this one.
    pub(crate) fn after(session: &Session) -> Self {
        Self { updated: session.updated, id: session.id }
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
    type Err = NoId;

    fn from_str(text: &str) -> Result<Self, NoId> {
        let mut id = [0; 16];
        let groups: Vec<&[u8]> = text.as_bytes().split(|byte| *byte == b'-').collect();
        if !groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]) {
            return Err(NoId);
        }
        for (byte, digits) in id.iter_mut().zip(groups.concat().as_chunks::<2>().0) {
            *byte = digit(digits[0])? << 4 | digit(digits[1])?;
        }
        Ok(Self(id))
    }
}

fn digit(digit: u8) -> Result<u8, NoId> {
    char::from(digit).to_digit(16).map(|digit| digit as u8).ok_or(NoId)
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.updated, self.id)
    }
}

impl FromStr for Cursor {
    type Err = NoId;

    fn from_str(text: &str) -> Result<Self, NoId> {
        let (updated, id) = text.split_once('_').ok_or(NoId)?;
        Ok(Self { updated: updated.parse().map_err(|_| NoId)?, id: id.parse()? })
    }
}

impl fmt::Display for NoId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this is no id of a session, and no cursor of a list")
    }
}

impl std::error::Error for NoId {}
