//! A file, as one JSON value or as a list of lines that each hold one.

use std::ops::Range;

use bytes::Bytes;
use interlingua::wire::Node;
use interlingua::{DialectId, Doc, Limits, Malformed};

use crate::{Note, torn};

/// The bytes of a file and what could be read of them.
#[derive(Debug)]
pub struct Source {
    bytes: Bytes,
    lines: Vec<Line>,
    /// The file is one JSON value, perhaps on many lines.
    single: bool,
    /// The dialect it is said to be in; decides where the file does not.
    hint: Option<DialectId>,
}

/// A line of the file, or the whole of it where that is one value. Of a line that holds more or less
/// than one record, each record is one, and so is what lies between them.
#[derive(Debug)]
pub struct Line {
    /// From 1.
    pub number: usize,
    /// Its bytes in the file, without the end of the line.
    pub range: Range<usize>,
    pub doc: Result<Doc, Malformed>,
}

impl Source {
    pub fn new(mut bytes: Bytes) -> Self {
        // Some editors mark a text so, and agents read past it.
        if bytes.starts_with(MARK) {
            bytes = bytes.slice(MARK.len()..);
        }
        let whole = Doc::from_bytes(bytes.clone(), LIMITS);
        if let Ok(doc) = whole {
            let range = 0..bytes.len();
            let lines = vec![Line { number: 1, range, doc: Ok(doc) }];
            return Self { bytes, lines, single: true, hint: None };
        }
        let mut lines = Vec::new();
        let mut start = 0;
        let ends = memchr::memchr_iter(b'\n', &bytes).chain([bytes.len()]);
        for (at, end) in ends.enumerate() {
            let range = start..end;
            start = end + 1;
            if !bytes[range.clone()].trim_ascii().is_empty() {
                read_line(&bytes, range, at + 1, &mut lines);
            }
        }
        Self { bytes, lines, single: false, hint: None }
    }

    /// Says which dialect a request body is in, should it not show.
    #[must_use]
    pub fn hinted(mut self, dialect: DialectId) -> Self {
        self.hint = Some(dialect);
        self
    }

    pub(crate) fn hint(&self) -> Option<DialectId> {
        self.hint
    }

    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The lines that hold something.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The one value that the file is.
    pub fn whole(&self) -> Option<Node<'_>> {
        self.lines.first().filter(|_| self.single)?.root()
    }

    /// Why the file as a whole is not JSON; none if it is.
    pub fn why_not_json(&self) -> Option<Malformed> {
        Doc::from_bytes(self.bytes.clone(), LIMITS).err()
    }

    /// The number of the line on which each of these bytes of the file stands; they must rise.
    pub(crate) fn lines_of(&self, places: impl Iterator<Item = usize>) -> Vec<usize> {
        let (mut line, mut counted) = (1, 0);
        let mut count = |at: usize| {
            let at = at.clamp(counted, self.bytes.len());
            line += memchr::memchr_iter(b'\n', &self.bytes[counted..at]).count();
            counted = at;
            line
        };
        places.map(&mut count).collect()
    }

    /// The value of a line that is an object.
    pub(crate) fn object(&self, line: usize) -> Option<Node<'_>> {
        self.lines.get(line)?.root().filter(|root| root.is_object())
    }

    /// A note for each line that is not one record.
    pub(crate) fn unread(&self) -> Vec<Note> {
        let lines = self.lines.chunk_by(|a, b| a.number == b.number);
        lines
            .filter_map(|pieces| Some(Note::mended(pieces[0].number, torn_words(pieces)?)))
            .collect()
    }
}

/// Adds a line, or the pieces it is torn into.
fn read_line(bytes: &Bytes, range: Range<usize>, number: usize, lines: &mut Vec<Line>) {
    let line = bytes.slice(range.clone());
    match Doc::from_bytes(line.clone(), LIMITS) {
        Ok(doc) => lines.push(Line { number, range, doc: Ok(doc) }),
        Err(why) => lines.extend(torn::pieces(&line, why, LIMITS).into_iter().map(|piece| {
            let piece_range = range.start + piece.range.start..range.start + piece.range.end;
            Line { number, range: piece_range, doc: piece.doc }
        })),
    }
}

/// What is wrong with a line that is read in these pieces.
fn torn_words(pieces: &[Line]) -> Option<String> {
    let records = pieces.iter().filter(|piece| piece.doc.is_ok()).count();
    let mut unread = pieces.iter().filter_map(|piece| Some((piece, piece.doc.as_ref().err()?)));
    let Some((first, malformed)) = unread.next() else {
        return (records > 1).then(|| format!("holds {records} records, which get a line each"));
    };
    if records == 0 {
        return Some(format!("cannot be read and is skipped: {malformed}; it is taken out"));
    }
    let count = first.range.len() + unread.map(|(piece, _)| piece.range.len()).sum::<usize>();
    let whole = if records == 1 {
        "1 record that is".to_owned()
    } else {
        format!("{records} records that are")
    };
    Some(format!(
        "holds {whole} whole; {count} bytes beside cannot be read and are skipped: {malformed}; they are taken out"
    ))
}

impl Line {
    pub fn root(&self) -> Option<Node<'_>> {
        self.doc.as_ref().ok().map(Doc::root)
    }

    /// Whether something else stands behind it on the same line of the file.
    pub(crate) fn is_joined(&self, file: &[u8]) -> bool {
        file.get(self.range.end).is_some_and(|byte| *byte != b'\n')
    }

    /// Where a value of this line stands in the file.
    pub(crate) fn place(&self, node: Node<'_>) -> Range<usize> {
        let Range { start, end } = node.range();
        self.range.start + start..self.range.start + end
    }
}

/// Files are read from a disk that their owner has; what a request may hold is checked later.
const LIMITS: Limits = Limits { bytes: u32::MAX as usize, depth: Limits::DEEPEST };
/// The mark of UTF-8 at the start of a text.
const MARK: &[u8] = b"\xEF\xBB\xBF";
