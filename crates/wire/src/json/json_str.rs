//! A JSON string in its escaped spelling.

use std::borrow::Cow;
use std::fmt;

use bytestring::ByteString;

use super::escape;

/// A JSON string: the text between the quotes, still escaped.
///
/// Every dialect is JSON, so a string moves from one to another without being unescaped. Two
/// strings are equal if their unescaped contents are.
#[derive(Clone, Default)]
pub struct JsonString(ByteString);

impl JsonString {
    /// The empty string.
    pub const EMPTY: Self = Self(ByteString::from_static(""));

    /// Escapes `contents`.
    pub fn new(contents: &str) -> Self {
        if contents.is_empty() {
            return Self::EMPTY;
        }
        if escape::is_short_without_escapes(contents) {
            return Self(contents.into());
        }
        // At least what `escape_into` reserves: growing would double the memory.
        let mut raw = Vec::with_capacity(contents.len() + contents.len() / 8 + 8);
        escape::escape_into(contents, &mut raw);
        Self(into_byte_string(raw))
    }

    /// A constant that needs no escaping.
    pub const fn from_static(text: &'static str) -> Self {
        Self(ByteString::from_static(text))
    }

    pub(crate) fn from_raw(raw: ByteString) -> Self {
        Self(raw)
    }

    pub(super) fn byte_string(&self) -> &ByteString {
        &self.0
    }

    /// The text between the quotes.
    #[inline]
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// A copy in its own memory: a slice keeps the whole document alive.
    #[must_use]
    pub fn deep_clone(&self) -> Self {
        Self(ByteString::from(self.raw()))
    }

    /// The contents without escapes; borrowed if there are none.
    #[inline]
    pub fn unescape(&self) -> Cow<'_, str> {
        escape::unescape(&self.0)
    }

    /// Whether the string has no characters.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the string has only white space. Reads no further than the first other character.
    pub fn is_blank(&self) -> bool {
        let mut raw = self.raw().chars();
        while let Some(first) = raw.next() {
            let is_blank = match first {
                '\\' => match raw.next() {
                    Some('n' | 'r' | 't' | 'f') => true,
                    Some('u') => return self.unescape().chars().all(char::is_whitespace),
                    _ => false,
                },
                character => character.is_whitespace(),
            };
            if !is_blank {
                return false;
            }
        }
        true
    }

    /// Concatenates strings.
    pub fn concat<'t>(parts: impl IntoIterator<Item = &'t JsonString>) -> Self {
        Self::join(parts, "")
    }

    /// Joins strings with `separator`, which is given unescaped.
    pub fn join<'t>(parts: impl IntoIterator<Item = &'t JsonString>, separator: &str) -> Self {
        let mut parts = parts.into_iter().peekable();
        let Some(first) = parts.next() else { return Self::EMPTY };
        if parts.peek().is_none() {
            return first.clone();
        }
        let separator = Self::new(separator);
        let mut raw = String::from(first.raw());
        for part in parts {
            raw.push_str(separator.raw());
            raw.push_str(part.raw());
        }
        Self(raw.into())
    }

    /// Appends what a builder has collected.
    pub fn append(&mut self, builder: JsonStringBuilder) {
        if self.is_empty() {
            *self = builder.into_json_string();
        } else if !builder.is_empty() {
            *self = Self::concat([&*self, &builder.into_json_string()]);
        }
    }

    /// Splits at the first `delimiter`; `None` if there is none, or if the string has an escape before
    /// it. The parts share its memory.
    pub fn split_once(&self, delimiter: &str) -> Option<(JsonString, JsonString)> {
        let (before, after) = self.0.split_once(delimiter)?;
        let is_escape_free = !before.contains('\\') && !delimiter.contains('\\');
        is_escape_free.then(|| (self.slice(before), self.slice(after)))
    }

    /// The rest after `prefix`, which is given unescaped and matched in any spelling. Shares
    /// memory.
    pub fn strip_prefix(&self, prefix: &str) -> Option<JsonString> {
        escape::strip_unescaped_prefix(&self.0, prefix).map(|rest| self.slice(rest))
    }

    fn slice(&self, part: &str) -> JsonString {
        Self(self.0.slice_ref(part))
    }
}

/// Concatenates the deltas of a string: storing the deltas themselves would keep the memory of
/// their frames alive.
#[derive(Clone, Debug, Default)]
pub struct JsonStringBuilder(String);

impl JsonStringBuilder {
    /// Appends a piece.
    pub fn push(&mut self, piece: &JsonString) {
        self.0.push_str(piece.raw());
    }

    /// Whether nothing was appended.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A copy of the string so far.
    pub fn to_json_string(&self) -> JsonString {
        JsonString(self.0.as_str().into())
    }

    /// The whole string.
    pub fn into_json_string(self) -> JsonString {
        JsonString(self.0.into())
    }
}

/// Wraps bytes that are UTF-8: escaping and joining preserve it.
pub(super) fn into_byte_string(raw: Vec<u8>) -> ByteString {
    String::from_utf8(raw).unwrap_or_default().into()
}

impl PartialEq for JsonString {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        escape::escaped_eq(&self.0, &other.0)
    }
}

impl Eq for JsonString {}

impl PartialEq<str> for JsonString {
    #[inline]
    fn eq(&self, other: &str) -> bool {
        escape::unescapes_to(&self.0, other)
    }
}

impl PartialEq<&str> for JsonString {
    #[inline]
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl From<&str> for JsonString {
    fn from(contents: &str) -> Self {
        Self::new(contents)
    }
}

impl fmt::Debug for JsonString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0)
    }
}

impl fmt::Display for JsonString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.unescape())
    }
}
