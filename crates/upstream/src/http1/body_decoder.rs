//! Decodes HTTP/1 bodies: content length, chunked, or until the connection closes.

use bytes::{Buf as _, Bytes, BytesMut};
use http::StatusCode;

use crate::error::UpstreamError;

/// How the rest of a body is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyDecoder {
    /// By its length in bytes.
    Length(u64),
    /// Transfer-Encoding: chunked.
    Chunked(ChunkState),
    /// By the end of the connection.
    UntilClose,
    /// The body has ended.
    Done,
}

/// Position within chunked transfer encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkState {
    Size,
    Data(u64),
    /// The line end after a chunk's data.
    DataEnd,
    /// Trailers, of which so many bytes were read, up to the empty line.
    Trailers(usize),
}

/// The result of one decoding step.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DecodeStep {
    Data(Bytes),
    /// More bytes must be read.
    NeedMore,
    /// The body has ended.
    End,
}

/// Content-Length and Transfer-Encoding of a head.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BodyLength {
    content_length: Option<u64>,
    /// Whether the last transfer coding is chunked, if there are any.
    is_chunked: Option<bool>,
}

impl BodyLength {
    /// Sets the content length; `None` if it is invalid or contradicts an earlier one.
    pub(super) fn set_content_length(&mut self, bytes: &[u8]) -> Option<()> {
        let digits = Some(bytes).filter(|bytes| bytes.iter().all(u8::is_ascii_digit))?;
        let bytes = std::str::from_utf8(digits).ok()?.parse().ok()?;
        let is_consistent = self.content_length.is_none_or(|earlier| earlier == bytes);
        self.content_length = Some(bytes);
        is_consistent.then_some(())
    }

    pub(super) fn set_transfer_encoding(&mut self, codings: &[u8]) {
        let last = codings.rsplit(|byte| *byte == b',').next().unwrap_or_default();
        self.is_chunked = Some(last.trim_ascii().eq_ignore_ascii_case(b"chunked"));
    }

    /// Whether only one of the two headers is present. With both, the length is ambiguous (request
    /// smuggling).
    pub(super) fn is_unambiguous(self) -> bool {
        self.content_length.is_none() || self.is_chunked.is_none()
    }

    pub(super) fn decoder(self, status: StatusCode) -> BodyDecoder {
        if status == StatusCode::NO_CONTENT || status == StatusCode::NOT_MODIFIED {
            return BodyDecoder::Done;
        }
        match (self.is_chunked, self.content_length) {
            (Some(true), _) => BodyDecoder::Chunked(ChunkState::Size),
            (Some(false), _) | (None, None) => BodyDecoder::UntilClose,
            (None, Some(0)) => BodyDecoder::Done,
            (None, Some(bytes)) => BodyDecoder::Length(bytes),
        }
    }
}

impl BodyDecoder {
    /// Takes data from the read buffer, or skips chunk framing.
    pub(super) fn decode(&mut self, read_buf: &mut BytesMut) -> Result<DecodeStep, UpstreamError> {
        loop {
            let chunk_state = match self {
                Self::Done => return Ok(DecodeStep::End),
                Self::UntilClose if read_buf.is_empty() => return Ok(DecodeStep::NeedMore),
                Self::UntilClose => return Ok(DecodeStep::Data(read_buf.split().freeze())),
                Self::Length(left) => {
                    let Some(data) = split_up_to(left, read_buf) else {
                        return Ok(DecodeStep::NeedMore);
                    };
                    if *left == 0 {
                        *self = Self::Done;
                    }
                    return Ok(DecodeStep::Data(data));
                }
                Self::Chunked(chunk_state) => chunk_state,
            };
            match chunk_state {
                ChunkState::Data(left) => {
                    let Some(data) = split_up_to(left, read_buf) else {
                        return Ok(DecodeStep::NeedMore);
                    };
                    if *left == 0 {
                        *chunk_state = ChunkState::DataEnd;
                        self.skip_chunk_framing(read_buf)?;
                    }
                    return Ok(DecodeStep::Data(data));
                }
                _ => {
                    if !self.skip_chunk_framing(read_buf)? {
                        return Ok(DecodeStep::NeedMore);
                    }
                }
            }
        }
    }

    /// Skips chunk sizes, line ends and trailers; returns false if more bytes are needed.
    fn skip_chunk_framing(&mut self, read_buf: &mut BytesMut) -> Result<bool, UpstreamError> {
        while let Self::Chunked(chunk_state) = self {
            match chunk_state {
                ChunkState::Data(_) => break,
                ChunkState::DataEnd => match &read_buf[..] {
                    [b'\r', b'\n', ..] => {
                        read_buf.advance(2);
                        *chunk_state = ChunkState::Size;
                    }
                    [] | [b'\r'] => return Ok(false),
                    _ => return Err(UpstreamError::IncompleteBody),
                },
                ChunkState::Size => match httparse::parse_chunk_size(read_buf) {
                    Ok(httparse::Status::Complete((end, size))) => {
                        read_buf.advance(end);
                        *chunk_state = if size == 0 {
                            ChunkState::Trailers(0)
                        } else {
                            ChunkState::Data(size)
                        };
                    }
                    Ok(httparse::Status::Partial) if read_buf.len() <= MAX_CHUNK_FRAMING_BYTES => {
                        return Ok(false);
                    }
                    _ => return Err(UpstreamError::IncompleteBody),
                },
                ChunkState::Trailers(trailer_bytes) => {
                    let Some(end) = memchr::memchr(b'\n', read_buf) else {
                        let fits = *trailer_bytes + read_buf.len() <= MAX_CHUNK_FRAMING_BYTES;
                        return if fits { Ok(false) } else { Err(UpstreamError::IncompleteBody) };
                    };
                    let is_last = matches!(&read_buf[..end], [] | [b'\r']);
                    *trailer_bytes += end;
                    if *trailer_bytes > MAX_CHUNK_FRAMING_BYTES {
                        return Err(UpstreamError::IncompleteBody);
                    }
                    read_buf.advance(end + 1);
                    if is_last {
                        *self = Self::Done;
                    }
                }
            }
        }
        Ok(true)
    }
}

/// Splits up to `remaining` bytes off the buffer.
fn split_up_to(remaining: &mut u64, read_buf: &mut BytesMut) -> Option<Bytes> {
    let limit = usize::try_from(*remaining).unwrap_or(usize::MAX);
    let count = limit.min(read_buf.len());
    *remaining -= count as u64;
    (count > 0).then(|| read_buf.split_to(count).freeze())
}

/// Maximum size of a chunk size line, or of all trailers.
const MAX_CHUNK_FRAMING_BYTES: usize = 16 * 1024;
