//! AWS event stream: binary messages of headers and a payload, with checksums.

use aws_smithy_eventstream::frame::read_message_from;
use aws_smithy_types::event_stream::Header;
use aws_smithy_types::str_bytes::StrBytes;
use bytes::Bytes;
use bytestring::ByteString;

use super::chunks::{Chunks, TOO_LARGE, Wrong};
use super::{Frame, FrameError};
use crate::json::Json;

#[derive(Debug)]
pub(super) struct Cutter {
    chunks: Chunks,
    length: Length,
    limit: usize,
    known: Known,
}

/// Headers that were read before: a stream has few kinds of messages, and reading the headers costs
/// more than reading what they announce.
#[derive(Debug, Default)]
struct Known(Vec<KnownHeaders>);

#[derive(Debug)]
struct KnownHeaders {
    raw: Bytes,
    event: Option<ByteString>,
}

/// Counts the bytes of a message, the first four of which say how many there will be.
#[derive(Debug, Default)]
struct Length {
    seen: usize,
    whole: usize,
}

impl Cutter {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            chunks: Chunks::new(limit),
            length: Length::default(),
            limit,
            known: Known::default(),
        }
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
        self.known.frame(piece.raw).map(Some).map_err(|why| FrameError { at: start, why })
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

impl Known {
    fn frame(&mut self, raw: Bytes) -> Result<Frame, &'static str> {
        if let Some((event, data)) = self.recognise(&raw) {
            return Ok(Frame { raw, event, data: Some(data) });
        }
        let frame = frame(raw)?;
        if let Some(headers) = headers(&frame.raw).filter(|headers| headers.len() <= LONGEST_KNOWN)
            && payload(&frame.raw).is_some_and(|payload| !payload.is_empty())
        {
            if self.0.len() == MOST_KNOWN {
                self.0.remove(0);
            }
            let raw = Bytes::copy_from_slice(headers);
            self.0.push(KnownHeaders { raw, event: frame.event.clone() });
        }
        Ok(frame)
    }

    /// A message with the headers of an earlier one, a payload, and checksums that are right. Any
    /// other, and whatever is wrong with it, is for the package to judge.
    fn recognise(&self, raw: &Bytes) -> Option<(Option<ByteString>, ByteString)> {
        let headers = headers(raw)?;
        let known = self.0.iter().find(|known| known.raw == headers)?;
        let payload = payload(raw).filter(|payload| !payload.is_empty())?;
        let (message, checksum) = raw.split_last_chunk()?;
        let (prelude, prelude_checksum) = raw.first_chunk::<PRELUDE_BYTES>()?.split_last_chunk()?;
        // The first checksum is of what the second begins with.
        let mut sum = crc32fast::Hasher::new();
        sum.update(prelude);
        let right = sum.clone().finalize() == u32::from_be_bytes(*prelude_checksum) && {
            sum.update(message.get(prelude.len()..)?);
            sum.finalize() == u32::from_be_bytes(*checksum)
        };
        let data = ByteString::try_from(raw.slice_ref(payload)).ok()?;
        right.then(|| (known.event.clone(), data))
    }
}

/// The headers of a message, if it has room for as many as it announces.
fn headers(raw: &[u8]) -> Option<&[u8]> {
    let (lengths, rest) = raw.split_first_chunk::<PRELUDE_BYTES>()?;
    let [.., a, b, c, d] = *lengths.first_chunk::<8>()?;
    rest.get(..u32::from_be_bytes([a, b, c, d]) as usize)
}

/// What stands between the headers and the checksum.
fn payload(raw: &[u8]) -> Option<&[u8]> {
    let start = PRELUDE_BYTES + headers(raw)?.len();
    raw.get(start..raw.len().checked_sub(CHECKSUM_BYTES)?)
}

fn frame(raw: Bytes) -> Result<Frame, &'static str> {
    let message = read_message_from(&raw[..]).map_err(|_| "the message is damaged")?;
    let headers = message.headers();
    if headers.len() > MOST_HEADERS {
        return Err("the message has too many headers");
    }
    for (at, header) in headers.iter().enumerate() {
        if headers[..at].iter().any(|earlier| earlier.name() == header.name()) {
            return Err("the message has a header twice");
        }
    }
    let header = |name| string(headers, name).unwrap_or_default();
    let event = match header(MESSAGE_TYPE) {
        "exception" => Some(format!("{EXCEPTION}{}", header(EXCEPTION_TYPE)).into()),
        "error" => Some(format!("{ERROR}{}", header(ERROR_CODE)).into()),
        _ => string(headers, EVENT_TYPE).map(ByteString::from),
    };
    let end = raw.len() - CHECKSUM_BYTES;
    let payload = raw.slice(end - message.payload().len()..end);
    let data = if payload.is_empty() {
        // An error says what it has to say in a header.
        string(headers, ERROR_MESSAGE).map(error_body)
    } else {
        Some(ByteString::try_from(payload).map_err(|_| "the message is not UTF-8")?)
    };
    Ok(Frame { raw, event, data })
}

fn string<'h>(headers: &'h [Header], name: &str) -> Option<&'h str> {
    let header = headers.iter().find(|header| header.name().as_str() == name)?;
    header.value().as_string().ok().map(StrBytes::as_str)
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

const LENGTH_BYTES: usize = 4;
const CHECKSUM_BYTES: usize = 4;
/// Two lengths and their checksum.
const PRELUDE_BYTES: usize = 12;
/// The type of a header that is a string, and how many bytes it may have.
const STRING: u8 = 7;
const LONGEST: usize = i16::MAX as usize;
/// Two lengths and two checksums.
const SMALLEST: usize = 16;

/// Looking for a header that stands twice takes the square of their number; no message has so many.
const MOST_HEADERS: usize = 256;

/// How many headers are remembered, and of what size: those of real streams, at little cost of memory.
const MOST_KNOWN: usize = 8;
const LONGEST_KNOWN: usize = 512;
