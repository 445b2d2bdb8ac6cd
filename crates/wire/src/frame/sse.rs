//! Server-sent events: lines of fields, ended by a blank line.

use std::ops::Range;

use bytes::Bytes;
use bytestring::ByteString;

use super::chunk_queue::{ChunkQueue, RawFrame, SplitError};
use super::{Frame, FrameError};
use crate::json::JsonWriter;

#[derive(Debug)]
pub(super) struct Splitter {
    queue: ChunkQueue,
    scanner: LineScanner,
}

/// State machine that finds the blank line that ends an event across chunk boundaries.
#[derive(Debug)]
struct LineScanner {
    /// Maximum lines of one event.
    max_lines: usize,
    state: LineState,
    /// Ranges of the event's lines.
    line_ranges: Vec<Range<usize>>,
    /// Offset of the line that has not ended.
    line_start: usize,
    /// Bytes of this event in earlier chunks.
    scanned: usize,
}

/// Position within a line.
#[derive(Clone, Copy, Debug, Default)]
enum LineState {
    #[default]
    LineStart,
    InLine,
    /// After the CR of a line; a following LF belongs to it.
    AfterCr,
    /// After the CR of a blank line; a following LF belongs to it.
    AfterBlankCr,
}

impl Splitter {
    pub(super) fn new(limit: usize) -> Self {
        Self { queue: ChunkQueue::new(limit), scanner: LineScanner::new(MAX_LINES) }
    }

    pub(super) fn set_max_lines(&mut self, lines: usize) {
        self.scanner.max_lines = lines;
    }

    pub(super) fn push(&mut self, chunk: &Bytes) {
        self.queue.push(chunk);
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        let Some(raw_frame) = self.queue.next_frame(|bytes| self.scanner.find_end(bytes))? else {
            return Ok(None);
        };
        let frame = parse_event(raw_frame, &self.scanner.line_ranges);
        self.scanner.reset();
        frame.map(Some)
    }

    pub(super) fn finish(&mut self) -> Result<Option<Frame>, FrameError> {
        let Some(raw_frame) = self.queue.take_rest() else { return Ok(None) };
        if matches!(self.scanner.state, LineState::InLine) {
            self.scanner.line_ranges.push(self.scanner.line_start..raw_frame.raw.len());
        }
        parse_event(raw_frame, &self.scanner.line_ranges).map(Some)
    }
}

impl LineScanner {
    fn new(max_lines: usize) -> Self {
        Self {
            max_lines,
            state: LineState::default(),
            line_ranges: Vec::new(),
            line_start: 0,
            scanned: 0,
        }
    }

    /// Begins a new event.
    fn reset(&mut self) {
        self.line_ranges.clear();
        (self.state, self.line_start, self.scanned) = (LineState::LineStart, 0, 0);
    }

    fn find_end(&mut self, bytes: &[u8]) -> Result<Option<usize>, SplitError> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.state {
                LineState::LineStart => match byte {
                    b'\n' => return Ok(Some(at + 1)),
                    b'\r' => {
                        at += 1;
                        self.state = LineState::AfterBlankCr;
                    }
                    _ => {
                        self.line_start = self.scanned + at;
                        self.state = LineState::InLine;
                    }
                },
                LineState::InLine => {
                    let Some(length) = memchr::memchr2(b'\n', b'\r', &bytes[at..]) else { break };
                    at += length;
                    if self.line_ranges.len() == self.max_lines {
                        return Err(SplitError {
                            offset: at,
                            reason: "the event has too many lines",
                        });
                    }
                    self.line_ranges.push(self.line_start..self.scanned + at);
                    self.state =
                        if bytes[at] == b'\n' { LineState::LineStart } else { LineState::AfterCr };
                    at += 1;
                }
                LineState::AfterCr => {
                    at += usize::from(byte == b'\n');
                    self.state = LineState::LineStart;
                }
                // Decided only with the next byte, so that frames do not depend on a chunk boundary
                // between CR and LF.
                LineState::AfterBlankCr => return Ok(Some(at + usize::from(byte == b'\n'))),
            }
        }
        self.scanned += bytes.len();
        Ok(None)
    }
}

/// Parses the fields of one event.
fn parse_event(raw_frame: RawFrame, lines: &[Range<usize>]) -> Result<Frame, FrameError> {
    let raw = &raw_frame.raw;
    let has_bom = raw_frame.offset == 0 && raw.starts_with(UTF8_BOM);
    let (mut event, mut data) = (None, None);
    let mut more_data = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let skipped = if has_bom && at == 0 { UTF8_BOM.len() } else { 0 };
        let line = line.start + skipped..line.end;
        if let Some(value) = field_value_range(b"data", raw, &line) {
            match data {
                None => data = Some(value),
                Some(_) => more_data.push(value),
            }
        } else if let Some(value) = field_value_range(b"event", raw, &line) {
            event = Some(value).filter(|value| !value.is_empty());
        }
    }
    let event = event.map(|part| utf8_slice(&raw_frame, part)).transpose()?;
    let mut data = data.map(|part| utf8_slice(&raw_frame, part)).transpose()?;
    if let Some(first) = data.as_ref().filter(|_| !more_data.is_empty()) {
        let mut joined = first.to_string();
        for part in more_data {
            joined.push('\n');
            joined.push_str(&utf8_slice(&raw_frame, part)?);
        }
        data = Some(joined.into());
    }
    Ok(Frame { raw: raw_frame.raw, event, data })
}

/// The range of the value, if the line has this field name.
fn field_value_range(name: &[u8], raw: &[u8], line: &Range<usize>) -> Option<Range<usize>> {
    let after = line.start + name.len();
    match raw[line.clone()].strip_prefix(name)? {
        [] => Some(after..after),
        [b':', b' ', ..] => Some(after + 2..line.end),
        [b':', ..] => Some(after + 1..line.end),
        _ => None,
    }
}

/// A slice of a frame that must be UTF-8. Ignored parts, such as comments, are not checked.
fn utf8_slice(raw_frame: &RawFrame, part: Range<usize>) -> Result<ByteString, FrameError> {
    let start = raw_frame.offset + part.start as u64;
    ByteString::try_from(raw_frame.raw.slice(part)).map_err(|error| FrameError {
        offset: start + error.valid_up_to() as u64,
        reason: "not UTF-8",
    })
}

pub(super) fn write(event: Option<&str>, data: &str, out: &mut Vec<u8>) {
    // An event name is one line; text after a line break would be parsed as another field.
    if let Some(name) = event.and_then(|event| event.split(['\n', '\r']).next()) {
        write_field(b"event: ", name, out);
    }
    let mut rest = data;
    while let Some(at) = memchr::memchr2(b'\n', b'\r', rest.as_bytes()) {
        write_field(b"data: ", &rest[..at], out);
        let ending = if rest[at..].starts_with("\r\n") { 2 } else { 1 };
        rest = &rest[at + ending..];
    }
    write_field(b"data: ", rest, out);
    out.push(b'\n');
}

/// Writes an event, with its data written in place. Line breaks between JSON values would end the
/// data; they are replaced by spaces.
pub(super) fn write_json(
    event: Option<&str>,
    out: &mut Vec<u8>,
    fill: impl FnOnce(&mut JsonWriter),
) {
    if let Some(name) = event {
        write_field(b"event: ", name, out);
    }
    out.extend_from_slice(b"data: ");
    let start = out.len();
    JsonWriter::append_to(out, fill);
    replace_line_breaks(&mut out[start..]);
    out.extend_from_slice(b"\n\n");
}

/// Replaces line breaks by spaces.
fn replace_line_breaks(mut json: &mut [u8]) {
    while let Some(at) = memchr::memchr2(b'\n', b'\r', json) {
        json[at] = b' ';
        json = &mut json[at + 1..];
    }
}

fn write_field(name: &[u8], value: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(name);
    out.extend_from_slice(value.as_bytes());
    out.push(b'\n');
}

const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

/// Maximum lines of one event: an event of empty lines costs more memory than its bytes.
const MAX_LINES: usize = 65_536;
