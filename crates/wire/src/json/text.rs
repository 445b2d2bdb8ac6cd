//! A JSON string, kept as it was written.

use std::borrow::Cow;
use std::fmt;

use bytestring::ByteString;

use super::{Json, Malformed, escape};

/// A JSON string: what stands between the quotes, still escaped.
///
/// Every dialect is JSON, so a string crosses from one to another without being unescaped. Two
/// texts are equal when their contents are, however they are spelled.
#[derive(Clone, Default)]
pub struct Text(ByteString);

impl Text {
    pub const EMPTY: Self = Self(ByteString::from_static(""));

    pub fn new(contents: &str) -> Self {
        if contents.is_empty() {
            return Self::EMPTY;
        }
        if escape::is_plain_word(contents) {
            return Self(contents.into());
        }
        let mut raw = Vec::with_capacity(contents.len() + 8);
        escape::escape_into(contents, &mut raw);
        Self(into_string(raw))
    }

    /// A word that needs no escaping.
    pub const fn word(word: &'static str) -> Self {
        Self(ByteString::from_static(word))
    }

    pub(crate) fn shared(raw: ByteString) -> Self {
        Self(raw)
    }

    /// What stands between the quotes.
    #[inline]
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// The same string in memory of its own: a slice keeps the whole document in memory.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self(ByteString::from(self.raw()))
    }

    #[inline]
    pub fn contents(&self) -> Cow<'_, str> {
        escape::unescape(&self.0)
    }

    /// The contents as JSON, if that is what they are.
    pub fn as_json(&self) -> Result<Json, Malformed> {
        if escape::has_escape(self.raw()) {
            Json::escaped(self.raw())
        } else {
            Json::parse(self.0.clone())
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Nothing but white space. Reads no further than the first word.
    pub fn is_blank(&self) -> bool {
        let mut raw = self.raw().chars();
        while let Some(first) = raw.next() {
            let blank = match first {
                '\\' => match raw.next() {
                    Some('n' | 'r' | 't' | 'f') => true,
                    Some('u') => return self.contents().chars().all(char::is_whitespace),
                    _ => false,
                },
                plain => plain.is_whitespace(),
            };
            if !blank {
                return false;
            }
        }
        true
    }

    /// Several strings as one.
    pub fn concat<'t>(parts: impl IntoIterator<Item = &'t Text>) -> Self {
        Self::join(parts, "")
    }

    /// Several strings as one, with `between` (plain contents) between them.
    pub fn join<'t>(parts: impl IntoIterator<Item = &'t Text>, between: &str) -> Self {
        let mut parts = parts.into_iter().peekable();
        let Some(first) = parts.next() else { return Self::EMPTY };
        if parts.peek().is_none() {
            return first.clone();
        }
        let between = Self::new(between);
        let mut raw = String::from(first.raw());
        for part in parts {
            raw.push_str(between.raw());
            raw.push_str(part.raw());
        }
        Self(raw.into())
    }

    /// Adds what came for it.
    pub fn extend(&mut self, pieces: Pieces) {
        if self.is_empty() {
            *self = pieces.into_text();
        } else if !pieces.is_empty() {
            *self = Self::concat([&*self, &pieces.into_text()]);
        }
    }

    /// What stands before and after the first `mark`, if that is without backslash and the string is
    /// spelled without escapes up to there. Shares memory.
    pub fn split_once(&self, mark: &str) -> Option<(Text, Text)> {
        let (before, after) = self.0.split_once(mark)?;
        let plain = !before.contains('\\') && !mark.contains('\\');
        plain.then(|| (self.part(before), self.part(after)))
    }

    /// What stands behind `prefix` (plain contents), however that is spelled. Shares memory.
    pub fn strip_prefix(&self, prefix: &str) -> Option<Text> {
        escape::after(&self.0, prefix).map(|rest| self.part(rest))
    }

    fn part(&self, part: &str) -> Text {
        Self(self.0.slice_ref(part))
    }
}

/// A string that comes in pieces, joined as they come: a piece that is kept would keep the memory of
/// the frame it came in.
#[derive(Clone, Debug, Default)]
pub struct Pieces(String);

impl Pieces {
    pub fn push(&mut self, piece: &Text) {
        self.0.push_str(piece.raw());
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What came so far.
    pub fn text(&self) -> Text {
        Text(self.0.as_str().into())
    }

    pub fn into_text(self) -> Text {
        Text(self.0.into())
    }
}

/// Escaping and joining UTF-8 gives UTF-8.
pub(super) fn into_string(raw: Vec<u8>) -> ByteString {
    String::from_utf8(raw).unwrap_or_default().into()
}

impl PartialEq for Text {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        escape::same(&self.0, &other.0)
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    #[inline]
    fn eq(&self, other: &str) -> bool {
        escape::spells(&self.0, other)
    }
}

impl PartialEq<&str> for Text {
    #[inline]
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl From<&str> for Text {
    fn from(contents: &str) -> Self {
        Self::new(contents)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.contents())
    }
}
