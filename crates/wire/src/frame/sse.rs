//! Server-sent events: lines of fields, ended by a blank line.

use std::ops::Range;

use bytes::Bytes;
use bytestring::ByteString;

use super::chunks::{Chunks, Piece, Wrong};
use super::{Frame, FrameError};

#[derive(Debug)]
pub(super) struct Cutter {
    chunks: Chunks,
    lines: Lines,
}

/// Looks for the blank line that ends an event, wherever chunks were cut.
#[derive(Debug)]
struct Lines {
    place: Place,
    /// Lines of the event so far.
    count: usize,
}

/// Where in a line the next byte is.
#[derive(Clone, Copy, Debug)]
enum Place {
    Start,
    Inside,
    /// Behind the CR of a line; an LF still belongs to it.
    AfterCr,
    /// Behind the CR of a blank line; an LF still belongs to it.
    AfterBlankCr,
}

impl Cutter {
    pub(super) fn new(limit: usize) -> Self {
        Self { chunks: Chunks::new(limit), lines: Lines { place: Place::Start, count: 0 } }
    }

    pub(super) fn push(&mut self, chunk: &Bytes) {
        self.chunks.push(chunk);
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        match self.chunks.cut(|bytes| self.lines.end(bytes))? {
            Some(piece) => {
                self.lines = Lines { place: Place::Start, count: 0 };
                frame(piece).map(Some)
            }
            None => Ok(None),
        }
    }

    pub(super) fn finish(&mut self) -> Result<Option<Frame>, FrameError> {
        self.chunks.rest().map(frame).transpose()
    }
}

impl Lines {
    fn end(&mut self, bytes: &[u8]) -> Result<Option<usize>, Wrong> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.place {
                Place::Start => match byte {
                    b'\n' => return Ok(Some(at + 1)),
                    b'\r' => {
                        at += 1;
                        self.place = Place::AfterBlankCr;
                    }
                    _ => self.place = Place::Inside,
                },
                Place::Inside => {
                    let Some(length) = memchr::memchr2(b'\n', b'\r', &bytes[at..]) else {
                        return Ok(None);
                    };
                    at += length;
                    self.count += 1;
                    if self.count > MOST_LINES {
                        return Err(Wrong { at, why: "the event has too many lines" });
                    }
                    self.place = if bytes[at] == b'\n' { Place::Start } else { Place::AfterCr };
                    at += 1;
                }
                Place::AfterCr => {
                    at += usize::from(byte == b'\n');
                    self.place = Place::Start;
                }
                // Only now: a frame must not depend on where CR and LF were cut apart.
                Place::AfterBlankCr => return Ok(Some(at + usize::from(byte == b'\n'))),
            }
        }
        Ok(None)
    }
}

/// Reads the fields of one event.
fn frame(piece: Piece) -> Result<Frame, FrameError> {
    let raw = &piece.raw;
    let mut at = if piece.start == 0 && raw.starts_with(BOM) { BOM.len() } else { 0 };
    let (mut event, mut data) = (None, None);
    let mut further = Vec::new();
    while at < raw.len() {
        let length = memchr::memchr2(b'\n', b'\r', &raw[at..]).unwrap_or(raw.len() - at);
        let line = at..at + length;
        // An LF behind a CR reads as one more empty line, which says nothing.
        at += length + 1;
        if let Some(value) = value_of(b"data", raw, &line) {
            match data {
                None => data = Some(value),
                Some(_) => further.push(value),
            }
        } else if let Some(value) = value_of(b"event", raw, &line) {
            event = Some(value).filter(|value| !value.is_empty());
        }
    }
    let texts = Texts::new(&piece);
    let event = event.map(|part| texts.part(part)).transpose()?;
    let mut data = data.map(|part| texts.part(part)).transpose()?;
    if let Some(first) = data.as_ref().filter(|_| !further.is_empty()) {
        let mut joined = first.to_string();
        for part in further {
            joined.push('\n');
            joined.push_str(&texts.part(part)?);
        }
        data = Some(joined.into());
    }
    Ok(Frame { raw: piece.raw, event, data })
}

/// Where the value of a line stands, if the line is of this field.
fn value_of(name: &[u8], raw: &[u8], line: &Range<usize>) -> Option<Range<usize>> {
    let after = line.start + name.len();
    if !raw[line.clone()].starts_with(name) {
        return None;
    }
    match raw[after..line.end] {
        [] => Some(after..after),
        [b':', b' ', ..] => Some(after + 2..line.end),
        [b':', ..] => Some(after + 1..line.end),
        _ => None,
    }
}

/// Parts of a frame as text. The frame is looked through once; only if it is not UTF-8 as a whole
/// is each part looked at, because what is wrong may stand in a comment.
struct Texts<'p> {
    piece: &'p Piece,
    whole: Option<ByteString>,
}

impl<'p> Texts<'p> {
    fn new(piece: &'p Piece) -> Self {
        Self { piece, whole: ByteString::try_from(piece.raw.clone()).ok() }
    }

    /// A part, sharing the frame's memory.
    fn part(&self, part: Range<usize>) -> Result<ByteString, FrameError> {
        if let Some(whole) = &self.whole
            && let Some(text) = whole.get(part.clone())
        {
            return Ok(whole.slice_ref(text));
        }
        let start = part.start;
        ByteString::try_from(self.piece.raw.slice(part))
            .map_err(|error| self.wrong(start + error.valid_up_to()))
    }

    fn wrong(&self, at: usize) -> FrameError {
        FrameError { at: self.piece.start + at as u64, why: "not UTF-8" }
    }
}

pub(super) fn write(event: Option<&str>, data: &str, out: &mut Vec<u8>) {
    // A name is one line by the format; what is behind a line break would read as another field.
    if let Some(name) = event.and_then(|event| event.split(['\n', '\r']).next()) {
        line(b"event: ", name, out);
    }
    let mut rest = data;
    while let Some(at) = memchr::memchr2(b'\n', b'\r', rest.as_bytes()) {
        line(b"data: ", &rest[..at], out);
        let ending = if rest[at..].starts_with("\r\n") { 2 } else { 1 };
        rest = &rest[at + ending..];
    }
    line(b"data: ", rest, out);
    out.push(b'\n');
}

fn line(name: &[u8], value: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(name);
    out.extend_from_slice(value.as_bytes());
    out.push(b'\n');
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// An event of empty lines costs more to read than its bytes tell.
const MOST_LINES: usize = 65_536;
