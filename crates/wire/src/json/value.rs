//! Any JSON value in its original spelling.

use std::fmt;

use bytes::Bytes;
use bytestring::ByteString;

use super::{JsonError, JsonKind, JsonLimits, JsonString, escape, scan};

/// Any JSON value as the text that it was read from. Two values are equal if their texts are.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RawJson(ByteString);

impl RawJson {
    /// `null`
    pub const NULL: Self = Self(ByteString::from_static("null"));
    /// `true`
    pub const TRUE: Self = Self(ByteString::from_static("true"));
    /// `false`
    pub const FALSE: Self = Self(ByteString::from_static("false"));
    /// `{}`
    pub const EMPTY_OBJECT: Self = Self(ByteString::from_static("{}"));
    /// `[]`
    pub const EMPTY_ARRAY: Self = Self(ByteString::from_static("[]"));

    /// Checks that a text is one JSON value.
    pub fn parse(text: impl Into<ByteString>) -> Result<Self, JsonError> {
        let (text, limits) = (text.into(), JsonLimits::default());
        if text.len() > limits.max_bytes {
            return Err(JsonError::too_large(limits.max_bytes));
        }
        let value = scan::scan_value(text.as_bytes(), limits.max_depth)?;
        Ok(Self(if value.len() == text.len() { text } else { text.slice_ref(&text[value]) }))
    }

    /// As [`RawJson::parse`], for JSON that is escaped inside a string. A short text is validated
    /// on the stack before memory is allocated.
    pub(super) fn parse_escaped(raw: &str) -> Result<Self, JsonError> {
        let mut buffer = [0; escape::STACK_BUFFER_BYTES];
        let Some(text) = escape::unescape_into_buffer(raw, &mut buffer) else {
            return Self::parse(escape::unescape_to_string(raw));
        };
        let value = scan::scan_value(text.as_bytes(), JsonLimits::default().max_depth)?;
        Ok(Self(text[value].into()))
    }

    /// A number.
    pub fn number(number: u64) -> Self {
        Self(number.to_string().into())
    }

    /// A boolean.
    pub const fn boolean(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// A string.
    pub fn string(text: &JsonString) -> Self {
        Self(["\"", text.raw(), "\""].concat().into())
    }

    pub(crate) fn from_raw(text: ByteString) -> Self {
        Self(text)
    }

    pub(super) fn byte_string(&self) -> &ByteString {
        &self.0
    }

    /// The value's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, sharing its memory.
    pub fn to_bytes(&self) -> Bytes {
        self.0.as_bytes().clone()
    }

    /// A copy in its own memory: a slice keeps the whole document alive.
    #[must_use]
    pub fn deep_clone(&self) -> Self {
        Self(ByteString::from(self.as_str()))
    }

    /// The kind of the value.
    pub fn kind(&self) -> JsonKind {
        match self.0.trim_ascii_start().as_bytes().first() {
            Some(b'{') => JsonKind::Object,
            Some(b'[') => JsonKind::Array,
            Some(b'"') => JsonKind::String,
            Some(b't' | b'f') => JsonKind::Bool,
            Some(b'n') | None => JsonKind::Null,
            Some(_) => JsonKind::Number,
        }
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        self.kind() == JsonKind::Object
    }

    /// The contents of a string.
    pub fn json_string(&self) -> Option<JsonString> {
        let contents = self.trimmed().strip_prefix('"')?.strip_suffix('"')?;
        Some(JsonString::from_raw(self.0.slice_ref(contents)))
    }

    /// The value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        (self.kind() == JsonKind::Bool).then(|| self.trimmed() == "true")
    }

    /// The value of a whole non-negative number; see [`super::JsonNode::as_u64`].
    pub fn as_u64(&self) -> Option<u64> {
        parse_u64(self.trimmed())
    }

    /// The text without the white space that surrounds a body.
    fn trimmed(&self) -> &str {
        self.0.trim_ascii()
    }
}

impl JsonString {
    /// Parses the contents as JSON.
    pub fn parse_json(&self) -> Result<RawJson, JsonError> {
        if escape::has_escape(self.raw()) {
            RawJson::parse_escaped(self.raw())
        } else {
            RawJson::parse(self.byte_string().clone())
        }
    }
}

pub(super) fn parse_u64(raw: &str) -> Option<u64> {
    raw.parse().ok().or_else(|| {
        let number: f64 = raw.parse().ok()?;
        let is_whole = number.is_finite() && number.fract() == 0.0;
        #[expect(clippy::cast_sign_loss, reason = "checked to be a whole count that f64 holds")]
        (is_whole && (0.0..9e15).contains(&number)).then_some(number as u64)
    })
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
