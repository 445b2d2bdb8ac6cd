//! Reads the frames of a stream in any framing.

use bytes::Bytes;

#[cfg(feature = "aws-event-stream")]
use super::aws_event_stream;
use super::{Frame, FrameError, Framing, json_array, sse};

/// Splits a stream into frames, independent of its chunk boundaries.
#[derive(Debug)]
pub struct FrameReader {
    splitter: Splitter,
    error: Option<FrameError>,
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
