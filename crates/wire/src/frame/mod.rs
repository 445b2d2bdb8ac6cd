//! Splits a stream of bytes into frames, each with the bytes that were received.

#[cfg(feature = "aws-event-stream")]
mod aws_event_stream;
mod chunk_queue;
mod json_array;
mod reader;
mod sse;
mod writer;

use std::fmt;

use bytes::Bytes;
use bytestring::ByteString;

#[cfg(feature = "aws-event-stream")]
pub use self::aws_event_stream::{
    edit_message as edit_aws_message, message_len as aws_message_len,
};
pub use self::reader::FrameReader;
pub use self::writer::{FrameWriter, write, write_json};

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

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {} of the stream", self.reason, self.offset)
    }
}

impl std::error::Error for FrameError {}
