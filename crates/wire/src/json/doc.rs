//! A parsed JSON text.

use bytes::Bytes;
use bytestring::ByteString;

use super::value::RawJson;
use super::{JsonError, JsonErrorKind, JsonKind, JsonLimits, TapeEntry, escape, scan};

/// A JSON text and the range of every value in it.
#[derive(Debug)]
pub struct JsonDoc {
    pub(super) text: ByteString,
    pub(super) tape: Vec<TapeEntry>,
    has_surrogate_escapes: bool,
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

    /// The root value with the white space around it, as a value.
    pub fn to_json(&self) -> RawJson {
        RawJson::from_raw(self.text.clone())
    }
}

impl RawJson {
    /// Parses the value into a document.
    pub fn to_doc(&self) -> JsonDoc {
        let limits = JsonLimits {
            max_bytes: usize::MAX,
            max_depth: JsonLimits::MAX_DEPTH,
            ..JsonLimits::default()
        };
        JsonDoc::parse(self.byte_string().clone(), limits).unwrap_or_else(|_| JsonDoc {
            text: ByteString::from_static("null"),
            tape: vec![TapeEntry {
                start: 0,
                end: 4,
                next_index: 1,
                kind: JsonKind::Null,
                escape_free: false,
            }],
            has_surrogate_escapes: false,
        })
    }
}

/// Memory for the tape of one document, reused between the frames of a stream.
#[derive(Debug, Default)]
pub struct Tape(Vec<TapeEntry>);
