//! A stream of bytes cut into frames, each remembering the bytes it came in.

mod array;
mod aws;
mod chunks;
mod sse;

use std::fmt;

use bytes::Bytes;
use bytestring::ByteString;

use crate::json::Writer;

/// How a stream is cut into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events.
    Sse,
    /// One JSON array whose elements arrive one by one.
    JsonArray,
    /// AWS event stream: binary messages with headers, each with a checksum.
    AwsEvents,
}

/// One frame. A frame that is only a comment or only space has neither event nor data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The bytes exactly as they came, with what ends them.
    pub raw: Bytes,
    /// The event's name, if the framing gives it one.
    pub event: Option<ByteString>,
    pub data: Option<ByteString>,
}

/// Whether a server-sent event holds nothing but comments. Packages take any field for an event, and one without
/// data for an event that cannot be read.
pub fn is_comment(raw: &[u8]) -> bool {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    raw.split(is_end).all(|line| line.is_empty() || line.starts_with(b":"))
}

/// The stream cannot be cut any further; `at` counts bytes from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameError {
    pub at: u64,
    pub why: &'static str,
}

/// Cuts a stream into frames, wherever its chunks were cut.
#[derive(Debug)]
pub struct Framer {
    cutter: Cutter,
    failed: Option<FrameError>,
}

/// Writes a whole stream of frames, with what the framing puts between them and at the end.
#[derive(Clone, Debug)]
pub struct FrameWriter {
    framing: Framing,
    begun: bool,
}

#[derive(Debug)]
enum Cutter {
    Sse(sse::Cutter),
    JsonArray(array::Cutter),
    AwsEvents(aws::Cutter),
}

impl Framer {
    /// No frame may hold more than `limit` bytes.
    pub fn new(framing: Framing, limit: usize) -> Self {
        let cutter = match framing {
            Framing::Sse => Cutter::Sse(sse::Cutter::new(limit)),
            Framing::JsonArray => Cutter::JsonArray(array::Cutter::new(limit)),
            Framing::AwsEvents => Cutter::AwsEvents(aws::Cutter::new(limit)),
        };
        Self { cutter, failed: None }
    }

    /// No event may have more than so many lines, where frames have lines at all.
    #[must_use]
    pub fn with_lines(mut self, most: usize) -> Self {
        if let Cutter::Sse(cutter) = &mut self.cutter {
            cutter.at_most(most);
        }
        self
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, chunk: &Bytes) {
        match &mut self.cutter {
            Cutter::Sse(cutter) => cutter.push(chunk),
            Cutter::JsonArray(cutter) => cutter.push(chunk),
            Cutter::AwsEvents(cutter) => cutter.push(chunk),
        }
    }

    /// The next whole frame; `None` until more bytes come. After an error, always that error.
    #[expect(clippy::should_implement_trait, reason = "`None` is not the end of the stream")]
    pub fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        self.once(|cutter| match cutter {
            Cutter::Sse(cutter) => cutter.next(),
            Cutter::JsonArray(cutter) => cutter.next(),
            Cutter::AwsEvents(cutter) => cutter.next(),
        })
    }

    /// What is left at the end of the stream, to be called until it is `None`: a last event without
    /// its blank line is still one; anything else that was cut is an error.
    pub fn finish(&mut self) -> Result<Option<Frame>, FrameError> {
        if let Some(frame) = self.next()? {
            return Ok(Some(frame));
        }
        self.once(|cutter| match cutter {
            Cutter::Sse(cutter) => cutter.finish(),
            Cutter::JsonArray(cutter) => cutter.finish(),
            Cutter::AwsEvents(cutter) => cutter.finish(),
        })
    }

    fn once(
        &mut self,
        cut: impl FnOnce(&mut Cutter) -> Result<Option<Frame>, FrameError>,
    ) -> Result<Option<Frame>, FrameError> {
        match self.failed {
            Some(failed) => Err(failed),
            None => cut(&mut self.cutter).inspect_err(|error| self.failed = Some(*error)),
        }
    }
}

/// Writes one frame in the given framing; of a JSON array the bare element, whose surroundings only
/// a [`FrameWriter`] knows.
pub fn write(framing: Framing, event: Option<&str>, data: &str, out: &mut Vec<u8>) {
    match framing {
        Framing::Sse => sse::write(event, data, out),
        Framing::JsonArray => array::write(data, out),
        Framing::AwsEvents => aws::write(event, data, out),
    }
}

/// As [`write()`], for data that is JSON and that `fill` writes in place. The name must be one line.
pub fn write_json(
    framing: Framing,
    event: Option<&str>,
    out: &mut Vec<u8>,
    fill: impl FnOnce(&mut Writer),
) {
    match framing {
        Framing::Sse => sse::write_json(event, out, fill),
        Framing::JsonArray => Writer::append(out, fill),
        Framing::AwsEvents => aws::write_message(event, out, |out| Writer::append(out, fill)),
    }
}

impl FrameWriter {
    pub const fn new(framing: Framing) -> Self {
        Self { framing, begun: false }
    }

    pub fn framing(&self) -> Framing {
        self.framing
    }

    pub fn write(&mut self, event: Option<&str>, data: &str, out: &mut Vec<u8>) {
        self.begin(out);
        write(self.framing, event, data, out);
    }

    /// As [`FrameWriter::write`], for data that is JSON and that `fill` writes in place.
    pub fn write_json(
        &mut self,
        event: Option<&str>,
        out: &mut Vec<u8>,
        fill: impl FnOnce(&mut Writer),
    ) {
        self.begin(out);
        write_json(self.framing, event, out, fill);
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        let begun = std::mem::replace(&mut self.begun, true);
        if self.framing == Framing::JsonArray {
            array::begin(!begun, out);
        }
    }

    /// What the framing puts at the end of a stream, to be called once.
    pub fn end(self, out: &mut Vec<u8>) {
        if self.framing == Framing::JsonArray {
            array::end(!self.begun, out);
        }
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {} of the stream", self.why, self.at)
    }
}

impl std::error::Error for FrameError {}
