//! Splits a stream of bytes into frames, each with the bytes that were received.

#[cfg(feature = "aws-event-stream")]
mod aws_event_stream;
mod chunk_queue;
mod json_array;
mod sse;

use std::fmt;

use bytes::Bytes;
use bytestring::ByteString;

#[cfg(feature = "aws-event-stream")]
pub use self::aws_event_stream::{
    edit_message as edit_aws_message, message_len as aws_message_len,
};
use crate::json::JsonWriter;

/// How a stream is split into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events.
    Sse,
    /// One JSON array with elements that arrive one by one.
    JsonArray,
    /// AWS event stream: binary messages with headers, each with a checksum.
    #[cfg(feature = "aws-event-stream")]
    AwsEventStream,
}

/// One frame. A frame that is only a comment or white space has neither event nor data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The received bytes, with those that end the frame.
    pub raw: Bytes,
    /// The event's name, if the framing gives it one.
    pub event: Option<ByteString>,
    /// The payload, which is JSON in every dialect.
    pub data: Option<ByteString>,
}

/// Whether a server-sent event has only comments. Some SDKs dispatch an event for any field, and
/// fail to parse one without data.
pub fn is_sse_comment(raw: &[u8]) -> bool {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    raw.split(is_end).all(|line| line.is_empty() || line.starts_with(b":"))
}

/// The stream cannot be split any further; `offset` is the stream offset of the error, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameError {
    /// Offset of the error in the stream, in bytes.
    pub offset: u64,
    /// What is wrong, as a phrase for people.
    pub reason: &'static str,
}

/// Splits a stream into frames, independent of its chunk boundaries.
#[derive(Debug)]
pub struct FrameReader {
    splitter: Splitter,
    error: Option<FrameError>,
}

/// Writes a complete stream of frames, with the framing's separators and end.
#[derive(Clone, Debug)]
pub struct FrameWriter {
    framing: Framing,
    started: bool,
}

#[derive(Debug)]
enum Splitter {
    Sse(sse::Splitter),
    JsonArray(json_array::Splitter),
    #[cfg(feature = "aws-event-stream")]
    AwsEventStream(aws_event_stream::Splitter),
}

impl FrameReader {
    /// Creates a reader; a frame may have at most `limit` bytes.
    pub fn new(framing: Framing, limit: usize) -> Self {
        let splitter = match framing {
            Framing::Sse => Splitter::Sse(sse::Splitter::new(limit)),
            Framing::JsonArray => Splitter::JsonArray(json_array::Splitter::new(limit)),
            #[cfg(feature = "aws-event-stream")]
            Framing::AwsEventStream => {
                Splitter::AwsEventStream(aws_event_stream::Splitter::new(limit))
            }
        };
        Self { splitter, error: None }
    }

    /// Sets the maximum number of lines of one event, in framings with lines.
    #[must_use]
    pub fn with_max_lines(mut self, max_lines: usize) -> Self {
        if let Splitter::Sse(splitter) = &mut self.splitter {
            splitter.set_max_lines(max_lines);
        }
        self
    }

    /// Adds the next bytes of the stream.
    pub fn push(&mut self, chunk: &Bytes) {
        match &mut self.splitter {
            Splitter::Sse(splitter) => splitter.push(chunk),
            Splitter::JsonArray(splitter) => splitter.push(chunk),
            #[cfg(feature = "aws-event-stream")]
            Splitter::AwsEventStream(splitter) => splitter.push(chunk),
        }
    }

    /// Returns the next complete frame; `None` if more bytes are needed. After an error, always
    /// that error.
    #[expect(clippy::should_implement_trait, reason = "`None` is not the end of the stream")]
    pub fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        self.latch_error(|splitter| match splitter {
            Splitter::Sse(splitter) => splitter.next(),
            Splitter::JsonArray(splitter) => splitter.next(),
            #[cfg(feature = "aws-event-stream")]
            Splitter::AwsEventStream(splitter) => splitter.next(),
        })
    }

    /// Returns the rest at the end of the stream, to be called until it returns `None`. A last
    /// event without its blank line is complete; another truncated frame is an error.
    pub fn finish(&mut self) -> Result<Option<Frame>, FrameError> {
        if let Some(frame) = self.next()? {
            return Ok(Some(frame));
        }
        self.latch_error(|splitter| match splitter {
            Splitter::Sse(splitter) => splitter.finish(),
            Splitter::JsonArray(splitter) => splitter.finish(),
            #[cfg(feature = "aws-event-stream")]
            Splitter::AwsEventStream(splitter) => splitter.finish(),
        })
    }

    fn latch_error(
        &mut self,
        split: impl FnOnce(&mut Splitter) -> Result<Option<Frame>, FrameError>,
    ) -> Result<Option<Frame>, FrameError> {
        match self.error {
            Some(first_error) => Err(first_error),
            None => split(&mut self.splitter).inspect_err(|error| self.error = Some(*error)),
        }
    }
}

/// Writes one frame in the given framing; of a JSON array only the element, because the separators
/// depend on its position and are written by [`FrameWriter`].
pub fn write(framing: Framing, event: Option<&str>, data: &str, out: &mut Vec<u8>) {
    match framing {
        Framing::Sse => sse::write(event, data, out),
        Framing::JsonArray => json_array::write_element(data, out),
        #[cfg(feature = "aws-event-stream")]
        Framing::AwsEventStream => aws_event_stream::write(event, data, out),
    }
}

/// As [`write()`], for JSON data that `fill` writes in place. `event` must not have line breaks.
pub fn write_json(
    framing: Framing,
    event: Option<&str>,
    out: &mut Vec<u8>,
    fill: impl FnOnce(&mut JsonWriter),
) {
    match framing {
        Framing::Sse => sse::write_json(event, out, fill),
        Framing::JsonArray => JsonWriter::append_to(out, fill),
        #[cfg(feature = "aws-event-stream")]
        Framing::AwsEventStream => {
            aws_event_stream::write_message(event, out, |out| JsonWriter::append_to(out, fill));
        }
    }
}

impl FrameWriter {
    /// A writer at the beginning of a stream.
    pub const fn new(framing: Framing) -> Self {
        Self { framing, started: false }
    }

    /// The framing that is written.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// Writes one frame with this data.
    pub fn write(&mut self, event: Option<&str>, data: &str, out: &mut Vec<u8>) {
        self.write_separator(out);
        write(self.framing, event, data, out);
    }

    /// As [`FrameWriter::write`], for JSON data that `fill` writes in place.
    pub fn write_json(
        &mut self,
        event: Option<&str>,
        out: &mut Vec<u8>,
        fill: impl FnOnce(&mut JsonWriter),
    ) {
        self.write_separator(out);
        write_json(self.framing, event, out, fill);
    }

    fn write_separator(&mut self, out: &mut Vec<u8>) {
        let started = std::mem::replace(&mut self.started, true);
        if self.framing == Framing::JsonArray {
            json_array::write_separator(!started, out);
        }
    }

    /// Writes the end of the stream; to be called once.
    pub fn finish(self, out: &mut Vec<u8>) {
        if self.framing == Framing::JsonArray {
            json_array::write_end(!self.started, out);
        }
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {} of the stream", self.reason, self.offset)
    }
}

impl std::error::Error for FrameError {}
