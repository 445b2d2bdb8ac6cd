//! Lossless JSON: one pass over the text finds the span of every value; nothing is copied.

mod block;
mod escape;
mod node;
mod scan;
mod text;
mod value;
mod write;

use std::fmt;

use bytes::Bytes;
use bytestring::ByteString;

pub use node::{Field, Node};
pub use text::{Pieces, Text};
pub use value::Json;
pub use write::{Array, Object, Writer};

use crate::Spliced;

/// A JSON text and the span of every value in it.
#[derive(Debug)]
pub struct Doc {
    text: ByteString,
    tape: Vec<Span>,
    surrogates: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

/// How much of a text is accepted before it is refused.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub bytes: usize,
    /// Never more than [`Limits::DEEPEST`], whatever is asked.
    pub depth: usize,
}

/// The text is not JSON, or more than the limits allow; `at` is the byte where that showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    pub at: usize,
    pub why: Why,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    NotUtf8,
    TooLarge { limit: usize },
    TooDeep { limit: usize },
    Ended,
    Expected(&'static str),
}

/// Children follow their parent on the tape; `next` is the entry after the last of them.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    end: u32,
    next: u32,
    kind: Kind,
    /// A string without escapes.
    plain: bool,
}

impl Doc {
    /// Scans a body that has just come in.
    pub fn from_bytes(body: Bytes, limits: Limits) -> Result<Self, Malformed> {
        if body.len() > limits.bytes {
            return Err(Malformed::too_large(limits.bytes));
        }
        let text = ByteString::try_from(body)
            .map_err(|error| Malformed { at: error.valid_up_to(), why: Why::NotUtf8 })?;
        Self::parse(text, limits)
    }

    pub fn parse(text: ByteString, limits: Limits) -> Result<Self, Malformed> {
        Self::parse_into(text, limits, Vec::new()).map_err(|(malformed, _)| malformed)
    }

    /// As [`Doc::parse`], on a tape that an earlier document left behind.
    pub fn parse_on(text: ByteString, limits: Limits, tape: &mut Tape) -> Result<Self, Malformed> {
        let spans = std::mem::take(&mut tape.0);
        Self::parse_into(text, limits, spans).map_err(|(malformed, spans)| {
            tape.0 = spans;
            malformed
        })
    }

    /// Gives the tape back for the next document; the text is what remains.
    pub fn recycle(self, tape: &mut Tape) -> ByteString {
        tape.0 = self.tape;
        self.text
    }

    fn parse_into(
        text: ByteString,
        limits: Limits,
        mut tape: Vec<Span>,
    ) -> Result<Self, (Malformed, Vec<Span>)> {
        tape.clear();
        if text.len() > limits.bytes.min(u32::MAX as usize) {
            return Err((Malformed::too_large(limits.bytes), tape));
        }
        match scan::tape(text.as_bytes(), limits.depth, &mut tape) {
            Ok(surrogates) => Ok(Self { text, tape, surrogates }),
            Err(malformed) => Err((malformed, tape)),
        }
    }

    /// How many values it holds, keys and those inside others among them.
    pub fn values(&self) -> usize {
        self.tape.len()
    }

    pub fn root(&self) -> Node<'_> {
        Node::root(self)
    }

    /// The whole text as it came, with the space around the root value.
    pub fn text(&self) -> &ByteString {
        &self.text
    }

    /// The text with U+FFFD for each escape that stands for half a character without its other half,
    /// and how many there are; `None` if there are none. No Unicode text holds such a half, and strict
    /// parsers refuse it.
    pub fn without_lone_surrogates(&self) -> Option<(String, usize)> {
        if self.surrogates { escape::without_lone_surrogates(&self.text) } else { None }
    }

    /// Where a value stands that was read from this document, and shares its memory.
    pub fn find(&self, value: &Json) -> Option<Node<'_>> {
        let value = value.as_str();
        let start = value.as_ptr().addr().checked_sub(self.text.as_ptr().addr())?;
        // No two values begin at one place, and each stands behind the one around it.
        let at = self.tape.partition_point(|span| (span.start as usize) < start);
        let span = self.tape.get(at)?;
        let stands_there = span.start as usize == start && span.end as usize == start + value.len();
        stands_there.then(|| Node::at(self, at))
    }

    /// The text with another value in the place of one.
    pub fn with(&self, node: Node<'_>, value: &Json) -> Spliced {
        Spliced::new(self.text.as_bytes(), node.range(), value.to_bytes())
    }

    /// The root value with the space around it, as a value.
    pub fn whole(&self) -> Json {
        Json::shared(self.text.clone())
    }
}

/// Memory for the spans of one document, kept between the frames of a stream.
#[derive(Debug, Default)]
pub struct Tape(Vec<Span>);

impl Limits {
    /// What the scanner keeps count of; whoever walks through the values may recurse as deep.
    pub const DEEPEST: usize = 512;
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 64 * 1024 * 1024, depth: 128 }
    }
}

impl Malformed {
    fn too_large(limit: usize) -> Self {
        Self { at: limit, why: Why::TooLarge { limit } }
    }

    /// Line and column (both from 1, the column in bytes) of the place in `text`.
    pub fn line_and_column(&self, text: &[u8]) -> (usize, usize) {
        let before = &text[..self.at.min(text.len())];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |at| at + 1) + 1;
        (line, column)
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at;
        match self.why {
            Why::NotUtf8 => write!(f, "not UTF-8 at byte {at}"),
            Why::TooLarge { limit } => write!(f, "larger than the limit of {limit} bytes"),
            Why::TooDeep { limit } => {
                write!(f, "nested deeper than the limit of {limit} levels at byte {at}")
            }
            Why::Ended => write!(f, "not JSON: the text ends too early, at byte {at}"),
            Why::Expected(what) => write!(f, "not JSON: expected {what} at byte {at}"),
        }
    }
}

impl std::error::Error for Malformed {}
