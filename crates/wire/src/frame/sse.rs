//! Server-sent events: lines of fields, ended by a blank line.

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
fn frame(Piece { raw, start }: Piece) -> Result<Frame, FrameError> {
    let mut at = if start == 0 && raw.starts_with(BOM) { BOM.len() } else { 0 };
    let mut event = None;
    let mut data: Option<ByteString> = None;
    let mut joined = String::new();
    while at < raw.len() {
        let length = memchr::memchr2(b'\n', b'\r', &raw[at..]).unwrap_or(raw.len() - at);
        let (name, value) = field(&raw[at..at + length]);
        // An LF behind a CR reads as one more empty line, which says nothing.
        at += length + 1;
        match (name, &data) {
            (b"event", _) => {
                event = Some(text(&raw, value, start)?).filter(|name| !name.is_empty());
            }
            (b"data", None) => data = Some(text(&raw, value, start)?),
            (b"data", Some(first)) => {
                if joined.is_empty() {
                    joined.push_str(first);
                }
                joined.push('\n');
                joined.push_str(&text(&raw, value, start)?);
            }
            _ => {}
        }
    }
    if !joined.is_empty() {
        data = Some(joined.into());
    }
    Ok(Frame { raw, event, data })
}

/// A line's name and value; a comment is a field without a name.
fn field(line: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b':', line) {
        None => (line, b""),
        Some(colon) => {
            let value = &line[colon + 1..];
            (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
        }
    }
}

/// A part of a frame, sharing its memory.
fn text(raw: &Bytes, part: &[u8], start: u64) -> Result<ByteString, FrameError> {
    ByteString::try_from(raw.slice_ref(part)).map_err(|error| {
        let before = part.as_ptr().addr() - raw.as_ptr().addr() + error.valid_up_to();
        FrameError { at: start + before as u64, why: "not UTF-8" }
    })
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
