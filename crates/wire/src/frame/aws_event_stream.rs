//! Reads and writes the binary messages of the AWS event stream framing.

use aws_smithy_eventstream::frame::read_message_from;
use aws_smithy_types::event_stream::Header;
use aws_smithy_types::str_bytes::StrBytes;
use bytes::Bytes;
use bytestring::ByteString;

use super::chunk_queue::{ChunkQueue, SplitError, TOO_LARGE};
use super::{Frame, FrameError};
use crate::json::RawJson;

#[derive(Debug)]
pub(super) struct Splitter {
    queue: ChunkQueue,
    scanner: LengthScanner,
    max_frame_bytes: usize,
    header_cache: HeaderCache,
}

/// Cache of parsed header blocks: a stream has few kinds of messages, and parsing the headers costs
/// more than parsing the payload.
#[derive(Debug, Default)]
struct HeaderCache(Vec<CachedHeaders>);

#[derive(Debug)]
struct CachedHeaders {
    raw: Bytes,
    event: Option<ByteString>,
}

/// Counts a message's bytes against the length in its first four bytes.
#[derive(Debug, Default)]
struct LengthScanner {
    scanned: usize,
    message_bytes: usize,
}

impl Splitter {
    pub(super) fn new(max_frame_bytes: usize) -> Self {
        Self {
            queue: ChunkQueue::new(max_frame_bytes),
            scanner: LengthScanner::default(),
            max_frame_bytes,
            header_cache: HeaderCache::default(),
        }
    }

    pub(super) fn push(&mut self, chunk: &Bytes) {
        self.queue.push(chunk);
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        let Some(frame) =
            self.queue.next_frame(|bytes| self.scanner.find_end(bytes, self.max_frame_bytes))?
        else {
            return Ok(None);
        };
        self.scanner = LengthScanner::default();
        let start = frame.offset;
        self.header_cache
            .parse_frame(frame.raw)
            .map(Some)
            .map_err(|reason| FrameError { offset: start, reason })
    }

    pub(super) fn finish(&mut self) -> Result<Option<Frame>, FrameError> {
        let at = self.queue.position();
        match self.queue.take_rest() {
            None => Ok(None),
            Some(_) => Err(FrameError { offset: at, reason: "the stream ends inside a message" }),
        }
    }
}

impl LengthScanner {
    fn find_end(&mut self, bytes: &[u8], limit: usize) -> Result<Option<usize>, SplitError> {
        let missing = LENGTH_BYTES.saturating_sub(self.scanned).min(bytes.len());
        for byte in &bytes[..missing] {
            self.message_bytes = self.message_bytes << 8 | usize::from(*byte);
        }
        if missing > 0 && self.scanned + missing == LENGTH_BYTES {
            let fail = |reason| Err(SplitError { offset: missing - 1, reason });
            if self.message_bytes > limit {
                return fail(TOO_LARGE);
            }
            if self.message_bytes < MIN_MESSAGE_BYTES {
                return fail("the message is shorter than its frame");
            }
        }
        let before = self.scanned;
        self.scanned += bytes.len();
        let is_complete = self.scanned >= LENGTH_BYTES && self.scanned >= self.message_bytes;
        Ok(is_complete.then(|| self.message_bytes - before))
    }
}

impl HeaderCache {
    fn parse_frame(&mut self, raw: Bytes) -> Result<Frame, &'static str> {
        if let Some((event, data)) = self.parse_with_cached_headers(&raw) {
            return Ok(Frame { raw, event, data: Some(data) });
        }
        let frame = parse_frame(raw)?;
        if let Some(headers) =
            header_bytes(&frame.raw).filter(|headers| headers.len() <= MAX_CACHED_HEADER_BYTES)
            && payload_bytes(&frame.raw).is_some_and(|payload| !payload.is_empty())
        {
            if self.0.len() == MAX_CACHED_HEADERS {
                self.0.remove(0);
            }
            let raw = Bytes::copy_from_slice(headers);
            self.0.push(CachedHeaders { raw, event: frame.event.clone() });
        }
        Ok(frame)
    }

    /// Parses a message with cached headers, a payload, and correct checksums. All other messages,
    /// valid or not, are left to the aws-smithy crate.
    fn parse_with_cached_headers(&self, raw: &Bytes) -> Option<(Option<ByteString>, ByteString)> {
        let headers = header_bytes(raw)?;
        let cached = self.0.iter().find(|cached| cached.raw == headers)?;
        let payload = payload_bytes(raw).filter(|payload| !payload.is_empty())?;
        let (message, checksum) = raw.split_last_chunk()?;
        let (prelude, prelude_checksum) = raw.first_chunk::<PRELUDE_BYTES>()?.split_last_chunk()?;
        // The first checksum covers the beginning of the bytes that the second covers.
        let mut sum = crc32fast::Hasher::new();
        sum.update(prelude);
        let checksums_match = sum.clone().finalize() == u32::from_be_bytes(*prelude_checksum) && {
            sum.update(message.get(prelude.len()..)?);
            sum.finalize() == u32::from_be_bytes(*checksum)
        };
        let data = ByteString::try_from(raw.slice_ref(payload)).ok()?;
        checksums_match.then(|| (cached.event.clone(), data))
    }
}

/// The length of the message that begins here, as its first four bytes announce it.
pub fn message_len(bytes: &[u8]) -> Option<usize> {
    bytes.first_chunk::<LENGTH_BYTES>().map(|length| u32::from_be_bytes(*length) as usize)
}

/// Changes the headers and the payload of a message in place. Its checksum is computed again if it
/// was right; that of a damaged message stays wrong.
pub fn edit_message(message: &mut [u8], edit: impl FnOnce(&mut [u8])) {
    let Some((content, checksum)) = message.split_last_chunk_mut::<CHECKSUM_BYTES>() else {
        return;
    };
    let was_right = crc32fast::hash(content) == u32::from_be_bytes(*checksum);
    if let Some(text) = content.get_mut(PRELUDE_BYTES..) {
        edit(text);
    }
    if was_right {
        *checksum = crc32fast::hash(content).to_be_bytes();
    }
}

/// The header block of a message, if the message is as long as it announces.
fn header_bytes(raw: &[u8]) -> Option<&[u8]> {
    let (lengths, rest) = raw.split_first_chunk::<PRELUDE_BYTES>()?;
    let [.., a, b, c, d] = *lengths.first_chunk::<8>()?;
    rest.get(..u32::from_be_bytes([a, b, c, d]) as usize)
}

/// The bytes between the headers and the checksum.
fn payload_bytes(raw: &[u8]) -> Option<&[u8]> {
    let start = PRELUDE_BYTES + header_bytes(raw)?.len();
    raw.get(start..raw.len().checked_sub(CHECKSUM_BYTES)?)
}

fn parse_frame(raw: Bytes) -> Result<Frame, &'static str> {
    let message = read_message_from(&raw[..]).map_err(|_| "the message is damaged")?;
    let headers = message.headers();
    if headers.len() > MAX_HEADERS {
        return Err("the message has too many headers");
    }
    for (at, header) in headers.iter().enumerate() {
        if headers[..at].iter().any(|earlier| earlier.name() == header.name()) {
            return Err("the message has a duplicate header");
        }
    }
    let header = |name| string_header(headers, name).unwrap_or_default();
    let event = match header(MESSAGE_TYPE) {
        "exception" => Some(format!("{EXCEPTION_PREFIX}{}", header(EXCEPTION_TYPE)).into()),
        "error" => Some(format!("{ERROR_PREFIX}{}", header(ERROR_CODE)).into()),
        _ => string_header(headers, EVENT_TYPE).map(ByteString::from),
    };
    let end = raw.len() - CHECKSUM_BYTES;
    let payload = raw.slice(end - message.payload().len()..end);
    let data = if payload.is_empty() {
        // An error message is in a header.
        string_header(headers, ERROR_MESSAGE).map(error_body)
    } else {
        Some(ByteString::try_from(payload).map_err(|_| "the message is not UTF-8")?)
    };
    Ok(Frame { raw, event, data })
}

fn string_header<'h>(headers: &'h [Header], name: &str) -> Option<&'h str> {
    let header = headers.iter().find(|header| header.name().as_str() == name)?;
    header.value().as_string().ok().map(StrBytes::as_str)
}

fn error_body(message: &str) -> ByteString {
    RawJson::object(|error| error.str("message", message)).as_str().into()
}

pub(super) fn write(event: Option<&str>, data: &str, out: &mut Vec<u8>) {
    write_message(event, out, |out| out.extend_from_slice(data.as_bytes()));
}

/// Writes a message whose payload is written in place; lengths and checksums are filled in
/// afterwards.
pub(super) fn write_message(
    event: Option<&str>,
    out: &mut Vec<u8>,
    payload: impl FnOnce(&mut Vec<u8>),
) {
    let start = out.len();
    out.extend_from_slice(&[0; PRELUDE_BYTES]);
    write_headers(event, out);
    let header_len = out.len() - start - PRELUDE_BYTES;
    payload(out);
    let message_len = out.len() - start + CHECKSUM_BYTES;
    let prelude = &mut out[start..start + PRELUDE_BYTES];
    prelude[..4].copy_from_slice(&(message_len as u32).to_be_bytes());
    prelude[4..8].copy_from_slice(&(header_len as u32).to_be_bytes());
    let checksum = crc32fast::hash(&prelude[..8]);
    prelude[8..].copy_from_slice(&checksum.to_be_bytes());
    let checksum = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&checksum.to_be_bytes());
}

fn write_headers(event: Option<&str>, out: &mut Vec<u8>) {
    let mut kind = "event";
    if let Some(event) = event {
        if let Some(exception) = event.strip_prefix(EXCEPTION_PREFIX) {
            kind = "exception";
            write_header(EXCEPTION_TYPE, exception, out);
        } else if let Some(code) = event.strip_prefix(ERROR_PREFIX) {
            kind = "error";
            write_header(ERROR_CODE, code, out);
        } else {
            write_header(EVENT_TYPE, event, out);
        }
    }
    write_header(":content-type", "application/json", out);
    write_header(MESSAGE_TYPE, kind, out);
}

/// Writes a string header. A value beyond the maximum length, which no dialect writes, is
/// truncated.
fn write_header(name: &'static str, value: &str, out: &mut Vec<u8>) {
    let value = &value[..value.floor_char_boundary(MAX_HEADER_VALUE_BYTES)];
    out.push(name.len() as u8);
    out.extend_from_slice(name.as_bytes());
    out.push(STRING_HEADER_TYPE);
    out.extend_from_slice(&(value.len() as u16).to_be_bytes());
    out.extend_from_slice(value.as_bytes());
}

const MESSAGE_TYPE: &str = ":message-type";
const EVENT_TYPE: &str = ":event-type";
const EXCEPTION_TYPE: &str = ":exception-type";
const ERROR_CODE: &str = ":error-code";
const ERROR_MESSAGE: &str = ":error-message";

/// Prefixes of the event names of exception and error messages.
const EXCEPTION_PREFIX: &str = "exception:";
const ERROR_PREFIX: &str = "error:";

const LENGTH_BYTES: usize = 4;
const CHECKSUM_BYTES: usize = 4;
/// Two lengths and their checksum.
const PRELUDE_BYTES: usize = 12;
/// Type byte of a string header, and maximum length of its value.
const STRING_HEADER_TYPE: u8 = 7;
const MAX_HEADER_VALUE_BYTES: usize = i16::MAX as usize;
/// Two lengths and two checksums.
const MIN_MESSAGE_BYTES: usize = 16;

/// Maximum headers of a message: the search for duplicates is quadratic.
const MAX_HEADERS: usize = 256;

/// Number and size of cached header blocks: enough for real streams, with bounded memory.
const MAX_CACHED_HEADERS: usize = 8;
const MAX_CACHED_HEADER_BYTES: usize = 512;
