//! Holds back the end of a streamed reply until its caller has stored the reply.

use interlingua_model::{ApiError, StreamEvent};

use super::StreamTranslator;
use super::passthrough_state::Passthrough;

impl StreamTranslator {
    /// Holds back the bytes that end a complete reply. When [`StreamTranslator::holds_end`] returns
    /// true, the caller either sends them with [`StreamTranslator::release_end`] or ends the stream
    /// with an error instead. Must be called before bytes are pushed.
    #[must_use]
    pub fn with_held_end(mut self) -> Self {
        // A forwarded frame may have the end and content in it.
        self.passthrough = Passthrough::Off;
        self.held_end = Some(Vec::new());
        self
    }

    /// Whether the reply is complete and its end is held back.
    pub fn holds_end(&self) -> bool {
        self.held_end.as_ref().is_some_and(|end| !end.is_empty())
    }

    /// Writes the end that was held back.
    pub fn release_end(&mut self, out: &mut Vec<u8>) {
        if let Some(mut end) = self.held_end.take_if(|end| !end.is_empty()) {
            out.append(&mut end);
        }
    }

    /// Writes an error instead of the end that was held back.
    pub fn fail_end(&mut self, error: ApiError, out: &mut Vec<u8>) {
        self.held_end = None;
        let event = StreamEvent::Error(Box::new(error));
        self.writer.write(&event, out, &mut self.ledger);
        self.accumulator.push_owned(event);
    }
}
