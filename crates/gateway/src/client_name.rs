//! Names that clients choose: of bounded length and without control characters, checked by the only
//! constructor.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

/// A name of 1 to `MAX_BYTES` bytes without control characters, so that it can be written to logs,
/// metrics, headers and stored records. The default is empty: no name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientName<const MAX_BYTES: usize>(String);

/// The name of a model.
pub type ModelName = ClientName<256>;
/// The name of an issued key.
pub(crate) type KeyName = ClientName<64>;
/// The title of a session.
pub(crate) type SessionTitle = ClientName<1024>;

/// The text cannot be used as a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidName {
    max_bytes: usize,
}

impl<const MAX_BYTES: usize> ClientName<MAX_BYTES> {
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        let is_valid =
            (1..=MAX_BYTES).contains(&text.len()) && (is_plain || !text.contains(char::is_control));
        if is_valid { Ok(Self(text.to_owned())) } else { Err(InvalidName { max_bytes: MAX_BYTES }) }
    }

    /// This name after a prefix of our own, which does not count.
    pub(crate) fn with_prefix(&self, prefix: &'static str) -> Self {
        Self([prefix, &self.0].concat())
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

impl<const MAX_BYTES: usize> Deref for ClientName<MAX_BYTES> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const MAX_BYTES: usize> Borrow<str> for ClientName<MAX_BYTES> {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl<const MAX_BYTES: usize> fmt::Display for ClientName<MAX_BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Display for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must have 1 to {} bytes and no control characters", self.max_bytes)
    }
}

impl std::error::Error for InvalidName {}

/// The first bytes of a text that is logged or repeated in an error.
pub(crate) fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_QUOTED_BYTES)]
}

const MAX_QUOTED_BYTES: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_and_control_characters_are_invalid() {
        for valid in ["m", "p/victim", "größe", &"x".repeat(256)] {
            assert_eq!(ModelName::parse(valid).as_deref(), Ok(valid));
        }
        for invalid in ["", "a\nb", "a\tb", "a\u{7f}", "a\u{9b}b", "a\0", &"x".repeat(257)] {
            let error = ModelName::parse(invalid).expect_err(invalid);
            assert_eq!(error.to_string(), "must have 1 to 256 bytes and no control characters");
        }
    }

    #[test]
    fn a_quoted_text_ends_between_characters() {
        assert_eq!(shortened("short"), "short");
        assert_eq!(shortened(&"ö".repeat(30_000)), "ö".repeat(128));
        assert_eq!(shortened(&format!("x{}", "ö".repeat(30_000))).len(), 255);
    }
}
