//! The name of a dialect.

use std::fmt;

/// The name of a dialect. The set is open: this crate does not list the dialects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DialectId(pub &'static str);

impl DialectId {
    /// Compares two ids. Called for every rule and writer: names up to 16 bytes are compared as two
    /// words of eight bytes, without a call to `memcmp`.
    #[inline]
    pub fn is_same(self, other: Self) -> bool {
        let (own_bytes, other) = (self.0.as_bytes(), other.0.as_bytes());
        if own_bytes.len() != other.len() {
            return false;
        }
        match (own_bytes.first_chunk::<8>(), other.first_chunk::<8>()) {
            (Some(start), Some(same)) if own_bytes.len() <= 16 => {
                start == same && own_bytes.last_chunk::<8>() == other.last_chunk::<8>()
            }
            _ => own_bytes == other,
        }
    }
}

impl fmt::Debug for DialectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for DialectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
