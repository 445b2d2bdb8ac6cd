//! Lossless JSON: one pass over the text finds the range of every value, without copying.

mod escape;
mod json_str;
mod node;
mod scan;
mod simd;
mod value;
mod write;

use std::fmt;

use bytes::Bytes;
use bytestring::ByteString;

pub use json_str::{JsonString, JsonStringBuilder};
pub use node::{Field, JsonNode};
pub use value::RawJson;
pub use write::{ArrayWriter, JsonWriter, ObjectWriter};

use crate::SegmentedBytes;

/// A JSON text and the range of every value in it.
#[derive(Debug)]
pub struct JsonDoc {
    text: ByteString,
    tape: Vec<TapeEntry>,
    has_surrogate_escapes: bool,
}

/// The kind of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// Limits on the texts that are accepted.
#[derive(Clone, Copy, Debug)]
pub struct JsonLimits {
    /// Maximum size of the text.
    pub max_bytes: usize,
    /// At most [`JsonLimits::MAX_DEPTH`]; higher values are reduced to it.
    pub max_depth: usize,
    /// Values, keys included.
    pub max_values: usize,
}

/// The text is not JSON or exceeds the limits; `offset` is the byte offset of the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Byte offset of the error.
    pub offset: usize,
    /// What is wrong.
    pub kind: JsonErrorKind,
}

/// Why a text was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonErrorKind {
    /// The bytes are not UTF-8.
    InvalidUtf8,
    /// The text is larger than the limit.
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// Values are nested deeper than the limit.
    TooDeep {
        /// The limit in levels.
        limit: usize,
    },
    /// The text has more values than the limit.
    TooManyValues {
        /// The limit, keys included.
        limit: usize,
    },
    /// The text ends in the middle of a value.
    UnexpectedEnd,
    /// Something else is at the offset than this.
    Expected(&'static str),
}

/// One value of the document. Children follow their parent on the tape; `next_index` is the entry
/// after the last of them.
#[derive(Clone, Copy, Debug)]
struct TapeEntry {
    start: u32,
    end: u32,
    next_index: u32,
    kind: JsonKind,
    /// The value is a string without escapes.
    escape_free: bool,
}

impl JsonDoc {
    /// Scans a body that was received.
    pub fn from_bytes(body: Bytes, limits: JsonLimits) -> Result<Self, JsonError> {
        if body.len() > limits.max_bytes {
            return Err(JsonError::too_large(limits.max_bytes));
        }
        let text = ByteString::try_from(body).map_err(|error| JsonError {
            offset: error.valid_up_to(),
            kind: JsonErrorKind::InvalidUtf8,
        })?;
        Self::parse(text, limits)
    }

    /// Scans a text.
    pub fn parse(text: ByteString, limits: JsonLimits) -> Result<Self, JsonError> {
        Self::parse_into(text, limits, Vec::new()).map_err(|(error, _)| error)
    }

    /// As [`JsonDoc::parse`], with the memory of an earlier document's tape.
    pub fn parse_with_tape(
        text: ByteString,
        limits: JsonLimits,
        tape: &mut Tape,
    ) -> Result<Self, JsonError> {
        let entries = std::mem::take(&mut tape.0);
        Self::parse_into(text, limits, entries).map_err(|(error, entries)| {
            tape.0 = entries;
            error
        })
    }

    /// Returns the tape's memory for the next document, and the text.
    pub fn recycle(self, tape: &mut Tape) -> ByteString {
        tape.0 = self.tape;
        self.text
    }

    fn parse_into(
        text: ByteString,
        limits: JsonLimits,
        mut tape: Vec<TapeEntry>,
    ) -> Result<Self, (JsonError, Vec<TapeEntry>)> {
        tape.clear();
        if text.len() > limits.max_bytes.min(u32::MAX as usize) {
            return Err((JsonError::too_large(limits.max_bytes), tape));
        }
        match scan::scan_to_tape(text.as_bytes(), limits.max_depth, &mut tape) {
            Ok(_) if tape.len() > limits.max_values => {
                let offset = tape[limits.max_values].start as usize;
                let kind = JsonErrorKind::TooManyValues { limit: limits.max_values };
                Err((JsonError { offset, kind }, tape))
            }
            Ok(surrogates) => Ok(Self { text, tape, has_surrogate_escapes: surrogates }),
            Err(error) => Err((error, tape)),
        }
    }

    /// Number of values, including keys and nested values.
    pub fn value_count(&self) -> usize {
        self.tape.len()
    }

    /// The document's value.
    pub fn root(&self) -> JsonNode<'_> {
        JsonNode::root(self)
    }

    /// The whole text, with the white space around the root value.
    pub fn text(&self) -> &ByteString {
        &self.text
    }

    /// The text with U+FFFD in place of each lone surrogate escape, and their number; `None` if
    /// there are none. Unicode text cannot represent a lone surrogate, and strict parsers reject
    /// the escape.
    pub fn without_lone_surrogates(&self) -> Option<(String, usize)> {
        if self.has_surrogate_escapes { escape::without_lone_surrogates(&self.text) } else { None }
    }

    /// The node of a value that was read from this document and shares its memory.
    pub fn node_of(&self, value: &RawJson) -> Option<JsonNode<'_>> {
        let value = value.as_str();
        let start = value.as_ptr().addr().checked_sub(self.text.as_ptr().addr())?;
        // No two values begin at the same offset, and nested values follow their parent.
        let index = self.tape.partition_point(|entry| (entry.start as usize) < start);
        let entry = self.tape.get(index)?;
        let is_same_range =
            entry.start as usize == start && entry.end as usize == start + value.len();
        is_same_range.then(|| JsonNode::new(self, index))
    }

    /// The text with another value in place of this one, without copying.
    pub fn replace(&self, node: JsonNode<'_>, value: &RawJson) -> SegmentedBytes {
        SegmentedBytes::new(self.text.as_bytes(), node.range(), value.to_bytes())
    }

    /// The root value with the white space around it, as a value.
    pub fn to_json(&self) -> RawJson {
        RawJson::from_raw(self.text.clone())
    }
}

/// Memory for the tape of one document, reused between the frames of a stream.
#[derive(Debug, Default)]
pub struct Tape(Vec<TapeEntry>);

impl JsonLimits {
    /// Deepest nesting that the scanner supports; callers that recurse over values reach the same
    /// depth.
    pub const MAX_DEPTH: usize = 512;
}

impl Default for JsonLimits {
    fn default() -> Self {
        Self { max_bytes: 64 * 1024 * 1024, max_depth: 128, max_values: usize::MAX }
    }
}

impl JsonError {
    fn too_large(limit: usize) -> Self {
        Self { offset: limit, kind: JsonErrorKind::TooLarge { limit } }
    }

    /// Line and column of the error in `text`, both counted from 1, the column in bytes.
    pub fn line_and_column(&self, text: &[u8]) -> (usize, usize) {
        let before = &text[..self.offset.min(text.len())];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |index| index + 1) + 1;
        (line, column)
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.offset;
        match self.kind {
            JsonErrorKind::InvalidUtf8 => write!(f, "not UTF-8 at byte {at}"),
            JsonErrorKind::TooLarge { limit } => {
                write!(f, "larger than the limit of {limit} bytes")
            }
            JsonErrorKind::TooDeep { limit } => {
                write!(f, "nested deeper than the limit of {limit} levels at byte {at}")
            }
            JsonErrorKind::TooManyValues { limit } => {
                write!(f, "more than the limit of {limit} values at byte {at}")
            }
            JsonErrorKind::UnexpectedEnd => {
                write!(f, "not JSON: the text ends too early, at byte {at}")
            }
            JsonErrorKind::Expected(what) => write!(f, "not JSON: expected {what} at byte {at}"),
        }
    }
}

impl std::error::Error for JsonError {}
