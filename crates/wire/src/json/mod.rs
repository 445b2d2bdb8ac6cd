//! Lossless JSON: one pass over the text finds the range of every value, without copying.

mod doc;
mod escape;
mod json_str;
mod node;
mod scan;
mod simd;
mod value;
mod write;

use std::fmt;

pub use self::doc::{JsonDoc, Tape};
pub use self::json_str::{JsonString, JsonStringBuilder};
pub use self::node::{Field, JsonNode};
pub use self::value::RawJson;
pub use self::write::{ArrayWriter, JsonWriter, ObjectWriter};

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
