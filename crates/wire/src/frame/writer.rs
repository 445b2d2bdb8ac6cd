//! Writes the frames of a stream in any framing.

#[cfg(feature = "aws-event-stream")]
use super::aws_event_stream;
use super::{Framing, json_array, sse};
use crate::json::JsonWriter;

/// Writes a complete stream of frames, with the framing's separators and end.
#[derive(Clone, Debug)]
pub struct FrameWriter {
    framing: Framing,
    started: bool,
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
