//! Server-sent events: lines of fields, ended by a blank line.

use std::ops::Range;

use bytes::Bytes;
use bytestring::ByteString;

use super::chunks::{Chunks, Piece, Wrong};
use super::{Frame, FrameError};
use crate::json::Writer;

#[derive(Debug)]
pub(super) struct Cutter {
    chunks: Chunks,
    lines: Lines,
}

/// Looks for the blank line that ends an event, wherever chunks were cut.
#[derive(Debug)]
struct Lines {
    /// How many an event may have.
    most: usize,
    place: Place,
    /// Where the lines of the event stand in it.
    ended: Vec<Range<usize>>,
    /// Where the line begins that has not ended yet.
    start: usize,
    /// Bytes of this event in earlier chunks.
    seen: usize,
}

/// Where in a line the next byte is.
#[derive(Clone, Copy, Debug, Default)]
enum Place {
    #[default]
    Start,
    Inside,
    /// Behind the CR of a line; an LF still belongs to it.
    AfterCr,
    /// Behind the CR of a blank line; an LF still belongs to it.
    AfterBlankCr,
}

impl Cutter {
    pub(super) fn new(limit: usize) -> Self {
        Self { chunks: Chunks::new(limit), lines: Lines::new(MOST_LINES) }
    }

    pub(super) fn at_most(&mut self, lines: usize) {
        self.lines.most = lines;
    }

    pub(super) fn push(&mut self, chunk: &Bytes) {
        self.chunks.push(chunk);
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        let Some(piece) = self.chunks.cut(|bytes| self.lines.end(bytes))? else { return Ok(None) };
        let frame = frame(piece, &self.lines.ended);
        self.lines.begin();
        frame.map(Some)
    }

    pub(super) fn finish(&mut self) -> Result<Option<Frame>, FrameError> {
        let Some(piece) = self.chunks.rest() else { return Ok(None) };
        if matches!(self.lines.place, Place::Inside) {
            self.lines.ended.push(self.lines.start..piece.raw.len());
        }
        frame(piece, &self.lines.ended).map(Some)
    }
}

impl Lines {
    fn new(most: usize) -> Self {
        Self { most, place: Place::default(), ended: Vec::new(), start: 0, seen: 0 }
    }

    /// Begins a new event.
    fn begin(&mut self) {
        self.ended.clear();
        (self.place, self.start, self.seen) = (Place::Start, 0, 0);
    }

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
                    _ => {
                        self.start = self.seen + at;
                        self.place = Place::Inside;
                    }
                },
                Place::Inside => {
                    let Some(length) = memchr::memchr2(b'\n', b'\r', &bytes[at..]) else { break };
                    at += length;
                    if self.ended.len() == self.most {
                        return Err(Wrong { at, why: "the event has too many lines" });
                    }
                    self.ended.push(self.start..self.seen + at);
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
        self.seen += bytes.len();
        Ok(None)
    }
}

/// Reads the fields of one event.
fn frame(piece: Piece, lines: &[Range<usize>]) -> Result<Frame, FrameError> {
    let raw = &piece.raw;
    let marked = piece.start == 0 && raw.starts_with(BOM);
    let (mut event, mut data) = (None, None);
    let mut further = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let skipped = if marked && at == 0 { BOM.len() } else { 0 };
        let line = line.start + skipped..line.end;
        if let Some(value) = value_of(b"data", raw, &line) {
            match data {
                None => data = Some(value),
                Some(_) => further.push(value),
            }
        } else if let Some(value) = value_of(b"event", raw, &line) {
            event = Some(value).filter(|value| !value.is_empty());
        }
    }
    let event = event.map(|part| text(&piece, part)).transpose()?;
    let mut data = data.map(|part| text(&piece, part)).transpose()?;
    if let Some(first) = data.as_ref().filter(|_| !further.is_empty()) {
        let mut joined = first.to_string();
        for part in further {
            joined.push('\n');
            joined.push_str(&text(&piece, part)?);
        }
        data = Some(joined.into());
    }
    Ok(Frame { raw: piece.raw, event, data })
}

/// Where the value of a line stands, if the line is of this field.
fn value_of(name: &[u8], raw: &[u8], line: &Range<usize>) -> Option<Range<usize>> {
    let after = line.start + name.len();
    match raw[line.clone()].strip_prefix(name)? {
        [] => Some(after..after),
        [b':', b' ', ..] => Some(after + 2..line.end),
        [b':', ..] => Some(after + 1..line.end),
        _ => None,
    }
}

/// A part of a frame, sharing its memory. What nobody reads, such as a comment, may be anything.
fn text(piece: &Piece, part: Range<usize>) -> Result<ByteString, FrameError> {
    let start = piece.start + part.start as u64;
    ByteString::try_from(piece.raw.slice(part))
        .map_err(|error| FrameError { at: start + error.valid_up_to() as u64, why: "not UTF-8" })
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

/// An event whose data is written in place. Line breaks between the values of JSON that is carried as
/// it came would end the data; they are space there.
pub(super) fn write_json(event: Option<&str>, out: &mut Vec<u8>, fill: impl FnOnce(&mut Writer)) {
    if let Some(name) = event {
        line(b"event: ", name, out);
    }
    out.extend_from_slice(b"data: ");
    let start = out.len();
    Writer::append(out, fill);
    one_line(&mut out[start..]);
    out.extend_from_slice(b"\n\n");
}

/// Puts spaces in place of line breaks.
fn one_line(mut json: &mut [u8]) {
    while let Some(at) = memchr::memchr2(b'\n', b'\r', json) {
        json[at] = b' ';
        json = &mut json[at + 1..];
    }
}

fn line(name: &[u8], value: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(name);
    out.extend_from_slice(value.as_bytes());
    out.push(b'\n');
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// An event of empty lines costs more to read than its bytes tell.
const MOST_LINES: usize = 65_536;
