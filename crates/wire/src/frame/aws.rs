//! AWS event stream: binary messages of headers and a payload, with checksums.

use std::ops::Range;

use bytes::Bytes;
use bytestring::ByteString;

use super::chunks::{Chunks, Piece, TOO_LARGE, Wrong};
use super::{Frame, FrameError};
use crate::json::Json;

#[derive(Debug)]
pub(super) struct Cutter {
    chunks: Chunks,
    length: Length,
    limit: usize,
}

/// Counts the bytes of a message, the first four of which say how many there will be.
#[derive(Debug, Default)]
struct Length {
    seen: usize,
    whole: usize,
}

impl Cutter {
    pub(super) fn new(limit: usize) -> Self {
        Self { chunks: Chunks::new(limit), length: Length::default(), limit }
    }

    pub(super) fn push(&mut self, chunk: &Bytes) {
        self.chunks.push(chunk);
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        let Some(piece) = self.chunks.cut(|bytes| self.length.end(bytes, self.limit))? else {
            return Ok(None);
        };
        self.length = Length::default();
        let start = piece.start;
        frame(piece).map(Some).map_err(|why| FrameError { at: start, why })
    }

    pub(super) fn finish(&mut self) -> Result<Option<Frame>, FrameError> {
        let at = self.chunks.position();
        match self.chunks.rest() {
            None => Ok(None),
            Some(_) => Err(FrameError { at, why: "the stream ends inside a message" }),
        }
    }
}

impl Length {
    fn end(&mut self, bytes: &[u8], limit: usize) -> Result<Option<usize>, Wrong> {
        let missing = LENGTH_BYTES.saturating_sub(self.seen).min(bytes.len());
        for byte in &bytes[..missing] {
            self.whole = self.whole << 8 | usize::from(*byte);
        }
        if missing > 0 && self.seen + missing == LENGTH_BYTES {
            let wrong = |why| Err(Wrong { at: missing - 1, why });
            if self.whole > limit {
                return wrong(TOO_LARGE);
            }
            if self.whole < SMALLEST {
                return wrong("the message is shorter than its frame");
            }
        }
        let before = self.seen;
        self.seen += bytes.len();
        let whole = self.seen >= LENGTH_BYTES && self.seen >= self.whole;
        Ok(whole.then(|| self.whole - before))
    }
}

fn frame(Piece { raw, .. }: Piece) -> Result<Frame, &'static str> {
    let (headers, payload) = taken_apart(&raw).ok_or("the message is damaged")?;
    let headers = Headers::read(headers)?;
    let event = match headers.message_type {
        Some("exception") => {
            Some(format!("{EXCEPTION}{}", headers.exception_type.unwrap_or_default()).into())
        }
        Some("error") => Some(format!("{ERROR}{}", headers.error_code.unwrap_or_default()).into()),
        _ => headers.event_type.and_then(|name| raw.slice_ref(name.as_bytes()).try_into().ok()),
    };
    let data = if payload.is_empty() {
        // An error says what it has to say in a header.
        headers.error_message.map(error_body)
    } else {
        let payload = raw.slice(payload);
        Some(ByteString::try_from(payload).map_err(|_| "the message is not UTF-8")?)
    };
    Ok(Frame { raw, event, data })
}

/// The headers, and where the payload stands, of a message whose checksums are right.
fn taken_apart(raw: &[u8]) -> Option<(&[u8], Range<usize>)> {
    let (message, checksum) = raw.split_last_chunk()?;
    let (prelude, _) = message.split_first_chunk::<PRELUDE_BYTES>()?;
    let (lengths, prelude_checksum) = prelude.split_last_chunk()?;
    let headers = lengths.last_chunk().map(|length| u32::from_be_bytes(*length) as usize)?;
    let sound = |bytes: &[u8], checksum: &[u8; CHECKSUM_BYTES]| {
        crc32fast::hash(bytes) == u32::from_be_bytes(*checksum)
    };
    let payload = PRELUDE_BYTES.checked_add(headers)?..message.len();
    let fits = payload.start <= payload.end;
    let sound = fits && sound(lengths, prelude_checksum) && sound(message, checksum);
    sound.then(|| (&message[PRELUDE_BYTES..payload.start], payload))
}

/// The headers that say something here, where they are strings.
#[derive(Default)]
struct Headers<'r> {
    message_type: Option<&'r str>,
    event_type: Option<&'r str>,
    exception_type: Option<&'r str>,
    error_code: Option<&'r str>,
    error_message: Option<&'r str>,
}

#[derive(Clone, Copy)]
struct Header<'r> {
    name: &'r [u8],
    kind: u8,
    value: &'r [u8],
}

impl<'r> Headers<'r> {
    fn read(bytes: &'r [u8]) -> Result<Self, &'static str> {
        let mut headers = Self::default();
        let mut rest = bytes;
        let mut count = 0;
        while !rest.is_empty() {
            count += 1;
            if count > MOST_HEADERS {
                return Err("the message has too many headers");
            }
            let earlier = &bytes[..bytes.len() - rest.len()];
            let header = take_header(&mut rest).and_then(Header::texts);
            let (name, value) = header.ok_or("the message is damaged")?;
            if has_header(earlier, name) {
                return Err("the message has a header twice");
            }
            match name {
                MESSAGE_TYPE => headers.message_type = value,
                EVENT_TYPE => headers.event_type = value,
                EXCEPTION_TYPE => headers.exception_type = value,
                ERROR_CODE => headers.error_code = value,
                ERROR_MESSAGE => headers.error_message = value,
                _ => {}
            }
        }
        Ok(headers)
    }
}

impl<'r> Header<'r> {
    /// The name, and the value if that is a string.
    fn texts(self) -> Option<(&'r str, Option<&'r str>)> {
        let name = str::from_utf8(self.name).ok()?;
        let value = if self.kind == STRING { Some(str::from_utf8(self.value).ok()?) } else { None };
        Some((name, value))
    }
}

fn has_header(mut headers: &[u8], name: &str) -> bool {
    std::iter::from_fn(|| take_header(&mut headers)).any(|header| header.name == name.as_bytes())
}

/// The next header; `None` where there is none.
fn take_header<'r>(rest: &mut &'r [u8]) -> Option<Header<'r>> {
    let length = *rest.split_off_first()?;
    let name = rest.split_off(..usize::from(length))?;
    let kind = *rest.split_off_first()?;
    let length = match kind {
        // Yes and no; numbers of several sizes; bytes or a string; a time; an id.
        0 | 1 => 0,
        2 => 1,
        3 => 2,
        4 => 4,
        5 | 8 => 8,
        6 | STRING => {
            let (length, after) = rest.split_first_chunk()?;
            *rest = after;
            usize::from(u16::from_be_bytes(*length))
        }
        9 => 16,
        _ => return None,
    };
    let value = rest.split_off(..length)?;
    Some(Header { name, kind, value })
}

fn error_body(message: &str) -> ByteString {
    Json::object(|error| error.word("message", message)).as_str().into()
}

pub(super) fn write(event: Option<&str>, data: &str, out: &mut Vec<u8>) {
    write_message(event, out, |out| out.extend_from_slice(data.as_bytes()));
}

/// A message whose payload is written in place; lengths and checksums are known afterwards.
pub(super) fn write_message(
    event: Option<&str>,
    out: &mut Vec<u8>,
    payload: impl FnOnce(&mut Vec<u8>),
) {
    let start = out.len();
    out.extend_from_slice(&[0; PRELUDE_BYTES]);
    write_headers(event, out);
    let headers = out.len() - start - PRELUDE_BYTES;
    payload(out);
    let whole = out.len() - start + CHECKSUM_BYTES;
    let prelude = &mut out[start..start + PRELUDE_BYTES];
    prelude[..4].copy_from_slice(&(whole as u32).to_be_bytes());
    prelude[4..8].copy_from_slice(&(headers as u32).to_be_bytes());
    let checksum = crc32fast::hash(&prelude[..8]);
    prelude[8..].copy_from_slice(&checksum.to_be_bytes());
    let checksum = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&checksum.to_be_bytes());
}

fn write_headers(event: Option<&str>, out: &mut Vec<u8>) {
    let mut kind = "event";
    if let Some(event) = event {
        if let Some(exception) = event.strip_prefix(EXCEPTION) {
            kind = "exception";
            write_header(EXCEPTION_TYPE, exception, out);
        } else if let Some(code) = event.strip_prefix(ERROR) {
            kind = "error";
            write_header(ERROR_CODE, code, out);
        } else {
            write_header(EVENT_TYPE, event, out);
        }
    }
    write_header(":content-type", "application/json", out);
    write_header(MESSAGE_TYPE, kind, out);
}

/// A header whose value is a string. One beyond the length that fits, which no dialect writes, is cut.
fn write_header(name: &'static str, value: &str, out: &mut Vec<u8>) {
    let value = &value[..value.floor_char_boundary(LONGEST)];
    out.push(name.len() as u8);
    out.extend_from_slice(name.as_bytes());
    out.push(STRING);
    out.extend_from_slice(&(value.len() as u16).to_be_bytes());
    out.extend_from_slice(value.as_bytes());
}

const MESSAGE_TYPE: &str = ":message-type";
const EVENT_TYPE: &str = ":event-type";
const EXCEPTION_TYPE: &str = ":exception-type";
const ERROR_CODE: &str = ":error-code";
const ERROR_MESSAGE: &str = ":error-message";

/// What an event's name begins with when it is none.
const EXCEPTION: &str = "exception:";
const ERROR: &str = "error:";

/// Each header is compared with those before it.
const MOST_HEADERS: usize = 256;

const LENGTH_BYTES: usize = 4;
const CHECKSUM_BYTES: usize = 4;
/// Two lengths and their checksum.
const PRELUDE_BYTES: usize = 12;
/// The type of a header that is a string, and how many bytes it may have.
const STRING: u8 = 7;
const LONGEST: usize = i16::MAX as usize;
/// Two lengths and two checksums.
const SMALLEST: usize = 16;
