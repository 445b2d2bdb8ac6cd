//! A session file: one JSON value, or lines with one JSON value each.

use std::ops::Range;

use bytes::Bytes;
use interlingua::{DialectId, JsonDoc, JsonError, JsonLimits};
use interlingua_wire::JsonNode;

use crate::{Note, torn_line};

/// The bytes of a file and its parsed lines.
#[derive(Debug)]
pub struct TranscriptFile {
    bytes: Bytes,
    lines: Vec<Line>,
    /// The file is one JSON value, possibly on several lines.
    is_single_value: bool,
    /// The caller's hint for a request body without markers of a dialect.
    dialect_hint: Option<DialectId>,
}

/// A line of the file, or all of it if it is one value. A torn line is split: each record, and each
/// unreadable range between them, is one `Line`.
#[derive(Debug)]
pub struct Line {
    /// Line number from 1.
    pub number: usize,
    /// Its range in the file, without the line break.
    pub range: Range<usize>,
    pub doc: Result<JsonDoc, JsonError>,
}

impl TranscriptFile {
    pub fn new(mut bytes: Bytes) -> Self {
        // Agents skip a byte order mark too.
        if bytes.starts_with(UTF8_BOM) {
            bytes = bytes.slice(UTF8_BOM.len()..);
        }
        let whole = JsonDoc::from_bytes(bytes.clone(), FILE_LIMITS);
        if let Ok(doc) = whole {
            let range = 0..bytes.len();
            let lines = vec![Line { number: 1, range, doc: Ok(doc) }];
            return Self { bytes, lines, is_single_value: true, dialect_hint: None };
        }
        let mut lines = Vec::new();
        let mut start = 0;
        let ends = memchr::memchr_iter(b'\n', &bytes).chain([bytes.len()]);
        for (index, end) in ends.enumerate() {
            let range = start..end;
            start = end + 1;
            if !bytes[range.clone()].trim_ascii().is_empty() {
                read_line(&bytes, range, index + 1, &mut lines);
            }
        }
        Self { bytes, lines, is_single_value: false, dialect_hint: None }
    }

    /// Sets the dialect that is assumed for a request body without markers of one.
    #[must_use]
    pub fn with_dialect_hint(mut self, dialect: DialectId) -> Self {
        self.dialect_hint = Some(dialect);
        self
    }

    pub(crate) fn dialect_hint(&self) -> Option<DialectId> {
        self.dialect_hint
    }

    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The lines that are not empty.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The value of a file that is one JSON value.
    pub fn single_value(&self) -> Option<JsonNode<'_>> {
        self.lines.first().filter(|_| self.is_single_value)?.root()
    }

    /// The error of parsing the file as one JSON value; `None` if it is one.
    pub fn json_error(&self) -> Option<JsonError> {
        JsonDoc::from_bytes(self.bytes.clone(), FILE_LIMITS).err()
    }

    /// The line number of each offset; offsets must increase.
    pub(crate) fn line_numbers(&self, offsets: impl Iterator<Item = usize>) -> Vec<usize> {
        let (mut line, mut counted) = (1, 0);
        let mut count = |offset: usize| {
            let offset = offset.clamp(counted, self.bytes.len());
            line += memchr::memchr_iter(b'\n', &self.bytes[counted..offset]).count();
            counted = offset;
            line
        };
        offsets.map(&mut count).collect()
    }

    /// The value of a line if it is an object.
    pub(crate) fn object_at(&self, line: usize) -> Option<JsonNode<'_>> {
        self.lines.get(line)?.root().filter(|root| root.is_object())
    }

    pub(crate) fn torn_line_notes(&self) -> Vec<Note> {
        let lines = self.lines.chunk_by(|a, b| a.number == b.number);
        lines
            .filter_map(|pieces| {
                Some(Note::fixed_at_line(pieces[0].number, describe_torn_line(pieces)?))
            })
            .collect()
    }
}

/// Adds a line, or the pieces of a torn line.
fn read_line(bytes: &Bytes, range: Range<usize>, number: usize, lines: &mut Vec<Line>) {
    let line = bytes.slice(range.clone());
    match JsonDoc::from_bytes(line.clone(), FILE_LIMITS) {
        Ok(doc) => lines.push(Line { number, range, doc: Ok(doc) }),
        Err(error) => lines.extend(
            torn_line::split_torn_line(&line, error, FILE_LIMITS).into_iter().map(|piece| {
                let piece_range = range.start + piece.range.start..range.start + piece.range.end;
                Line { number, range: piece_range, doc: piece.doc }
            }),
        ),
    }
}

/// Describes the damage of a line that was split into these pieces; `None` for a whole line.
fn describe_torn_line(pieces: &[Line]) -> Option<String> {
    let records = pieces.iter().filter(|piece| piece.doc.is_ok()).count();
    let mut unreadable = pieces.iter().filter_map(|piece| Some((piece, piece.doc.as_ref().err()?)));
    let Some((first, error)) = unreadable.next() else {
        return (records > 1).then(|| format!("holds {records} records; each gets its own line"));
    };
    if records == 0 {
        return Some(format!("cannot be read and is skipped: {error}; it is removed"));
    }
    let count = first.range.len() + unreadable.map(|(piece, _)| piece.range.len()).sum::<usize>();
    let summary =
        if records == 1 { "1 whole record".to_owned() } else { format!("{records} whole records") };
    Some(format!(
        "holds {summary}; {count} other bytes cannot be read and are skipped: {error}; they are removed"
    ))
}

impl Line {
    pub fn root(&self) -> Option<JsonNode<'_>> {
        self.doc.as_ref().ok().map(JsonDoc::root)
    }

    /// Whether another piece follows on the same line of the file.
    pub(crate) fn shares_line(&self, file: &[u8]) -> bool {
        file.get(self.range.end).is_some_and(|byte| *byte != b'\n')
    }

    /// The range of a value in the file.
    pub(crate) fn file_range(&self, node: JsonNode<'_>) -> Range<usize> {
        let Range { start, end } = node.range();
        self.range.start + start..self.range.start + end
    }
}

/// Local files are trusted to be large; limits of requests are checked later.
const FILE_LIMITS: JsonLimits = JsonLimits {
    max_bytes: u32::MAX as usize,
    max_depth: JsonLimits::MAX_DEPTH,
    max_values: usize::MAX,
};
/// The byte order mark in UTF-8.
const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";
