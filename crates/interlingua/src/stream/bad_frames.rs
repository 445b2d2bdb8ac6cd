//! Reads frames, and uses what was recovered from those that could not be parsed.

use bytes::Bytes;
use interlingua_dialects::note;
use interlingua_model::{ApiError, Ledger, LedgerPath, StreamEvent};
use interlingua_wire::{Frame, JsonString};

use super::frame_recovery::{Recovery, missing_terminator, try_recover};
use super::{Input, StreamTranslator};

impl StreamTranslator {
    /// Reads a frame; returns the entries that it caused.
    pub(super) fn read_frame(&mut self, frame: Frame) -> Ledger {
        let mut frame_ledger = Ledger::default();
        self.reader.read(frame, &mut self.events, &mut frame_ledger);
        frame_ledger
    }

    /// Recovers and processes the events of a frame that could not be parsed; returns whether there
    /// are any.
    pub(super) fn recover_frame(&mut self, raw: &Bytes, out: &mut Vec<u8>) -> bool {
        let Recovery::Frames(frames, lost) = self.try_recover(raw) else { return false };
        if lost {
            let description = "left out an event that was interrupted by another event";
            self.ledger.record_loss(note::BAD_FRAME, LedgerPath::REPLY, description);
        }
        if !std::mem::replace(&mut self.passthrough_state.noted_recovery, true) {
            let description =
                "split a frame that holds several events, or escaped its control characters";
            self.ledger.record_change(note::ODD_INPUT, LedgerPath::REPLY, description);
        }
        for frame in frames {
            if matches!(self.input, Input::Closed) {
                break;
            }
            self.process_frame(frame, out);
        }
        true
    }

    /// Stores the text of an unparsable frame, which may explain why the reply breaks off; returns
    /// whether the frame is complete, so that it can be dropped.
    pub(super) fn keep_unparsed_text(&mut self, raw: &Bytes) -> bool {
        let Recovery::Unparsable(text) = self.try_recover(raw) else { return false };
        // A truncated event explains nothing.
        let is_whole = missing_terminator(raw).is_empty();
        if is_whole {
            self.unparsed_text = Some(text);
        }
        is_whole
    }

    /// Adds the stored text to the message of the error that ends the reply.
    pub(super) fn add_unparsed_text(&mut self) {
        let Some(text) = self.unparsed_text.take() else { return };
        let truncated = ApiError::truncated_stream().message;
        for event in &mut self.events {
            if let StreamEvent::Error(error) = event
                && error.message == truncated
            {
                let message = format!("{}; its server said: {text}", truncated.unescape());
                error.message = JsonString::new(&message);
            }
        }
    }

    fn try_recover(&self, raw: &Bytes) -> Recovery {
        if self.passthrough_state.is_sse { try_recover(raw) } else { Recovery::LeaveAsIs }
    }
}
