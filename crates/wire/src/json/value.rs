//! Any JSON value, kept as it was written.

use std::fmt;

use bytes::Bytes;
use bytestring::ByteString;

use super::{Doc, Kind, Limits, Malformed, Text, escape, scan};

/// Any JSON value, kept as the text it was read from. Equal when spelled alike.
#[derive(Clone, PartialEq, Eq)]
pub struct Json(ByteString);

impl Json {
    pub const NULL: Self = Self(ByteString::from_static("null"));
    pub const TRUE: Self = Self(ByteString::from_static("true"));
    pub const FALSE: Self = Self(ByteString::from_static("false"));
    pub const EMPTY_OBJECT: Self = Self(ByteString::from_static("{}"));
    pub const EMPTY_ARRAY: Self = Self(ByteString::from_static("[]"));

    pub fn parse(text: impl Into<ByteString>) -> Result<Self, Malformed> {
        let (text, limits) = (text.into(), Limits::default());
        if text.len() > limits.bytes {
            return Err(Malformed::too_large(limits.bytes));
        }
        let value = scan::value(text.as_bytes(), limits.depth)?;
        Ok(Self(if value.len() == text.len() { text } else { text.slice_ref(&text[value]) }))
    }

    /// As [`Json::parse`], of a text that is itself the inside of a string, with escapes. What is short
    /// is looked at before memory is taken for it.
    pub(super) fn escaped(raw: &str) -> Result<Self, Malformed> {
        let mut room = [0; escape::ROOM];
        let Some(text) = escape::unescape_in(raw, &mut room) else {
            return Self::parse(escape::unescaped(raw));
        };
        let value = scan::value(text.as_bytes(), Limits::default().depth)?;
        Ok(Self(text[value].into()))
    }

    pub fn number(number: u64) -> Self {
        Self(number.to_string().into())
    }

    pub const fn boolean(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    pub fn string(text: &Text) -> Self {
        Self(["\"", text.raw(), "\""].concat().into())
    }

    pub(crate) fn shared(text: ByteString) -> Self {
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, sharing its memory.
    pub fn to_bytes(&self) -> Bytes {
        self.0.as_bytes().clone()
    }

    /// The same value in memory of its own: a slice keeps the whole document in memory.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self(ByteString::from(self.as_str()))
    }

    pub fn kind(&self) -> Kind {
        match self.0.trim_ascii_start().as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    pub fn is_object(&self) -> bool {
        self.kind() == Kind::Object
    }

    pub fn text(&self) -> Option<Text> {
        let inside = self.bare().strip_prefix('"')?.strip_suffix('"')?;
        Some(Text::shared(self.0.slice_ref(inside)))
    }

    pub fn boolean_value(&self) -> Option<bool> {
        (self.kind() == Kind::Bool).then(|| self.bare() == "true")
    }

    /// A number that is a whole count; see [`super::Node::count`].
    pub fn count(&self) -> Option<u64> {
        count(self.bare())
    }

    /// The value without the space that a whole body has around it.
    fn bare(&self) -> &str {
        self.0.trim_ascii()
    }

    /// The value as a document of its own, to look inside.
    pub fn doc(&self) -> Doc {
        let limits = Limits { bytes: usize::MAX, depth: Limits::DEEPEST };
        Doc::parse(self.0.clone(), limits).unwrap_or_else(|_| Doc {
            text: ByteString::from_static("null"),
            tape: vec![super::Span { start: 0, end: 4, next: 1, kind: Kind::Null, plain: false }],
            surrogates: false,
        })
    }
}

pub(super) fn count(raw: &str) -> Option<u64> {
    raw.parse().ok().or_else(|| {
        let number: f64 = raw.parse().ok()?;
        let whole = number.is_finite() && number.fract() == 0.0;
        #[expect(clippy::cast_sign_loss, reason = "checked to be a whole count that f64 holds")]
        (whole && (0.0..9e15).contains(&number)).then_some(number as u64)
    })
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
