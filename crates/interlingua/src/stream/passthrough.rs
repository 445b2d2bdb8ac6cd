//! Forwards frames unchanged within one dialect, and adds the bytes that they lack.

use bytes::Bytes;
use interlingua_dialects::{MissingEnd, note};
use interlingua_model::{Ledger, LedgerPath, StreamEvent, unfold};
use interlingua_wire::{Frame, FrameReader, Framing};

use super::StreamTranslator;
use super::frame_recovery::{has_bad_frame, missing_terminator};
use super::passthrough_state::{Passthrough, Stage};

impl StreamTranslator {
    /// Writes a heartbeat between two events, in the form that the client's dialect has for it, so
    /// that a waiting client keeps the connection.
    pub fn write_heartbeat(&mut self, out: &mut Vec<u8>) {
        match (&self.last_heartbeat, self.passthrough) {
            (Some(frame), _) => out.extend_from_slice(frame),
            // The writer's own events would not match the provider's later ones.
            (None, Passthrough::On | Passthrough::IfFramingMatches { json_array: false }) => {
                out.extend_from_slice(self.heartbeat_bytes);
            }
            (None, Passthrough::IfFramingMatches { json_array: true }) => {}
            (None, Passthrough::Off) => {
                self.writer.write(&StreamEvent::Ping, out, &mut self.ledger);
            }
        }
    }

    /// Forwards a frame and decodes it.
    pub(super) fn forward_frame(&mut self, frame: Frame, out: &mut Vec<u8>) {
        let raw = self.strip_bom(&frame.raw);
        let is_heartbeat = frame.event.is_some() && frame.event.as_deref() == self.heartbeat_event;
        let is_after_end = self.is_after_end(&frame);
        if !is_after_end {
            self.writer.observe_passthrough(&frame);
        }
        let frame_ledger = self.read_frame(frame);
        if is_after_end {
            self.ledger.append(frame_ledger);
            return self.emit_events(None);
        }
        if self.replaces_reply_id() {
            self.passthrough = Passthrough::Off;
            self.ledger.append(frame_ledger);
            return self.emit_events(Some(out));
        }
        let ends = matches!(self.events.last(), Some(StreamEvent::Stop(_) | StreamEvent::Error(_)));
        if ends && !self.ended && self.reader.missing_end() == MissingEnd::StopReason {
            self.ledger.append(frame_ledger);
            // The end marker came without a stop reason: writes the reason, then the marker.
            if let Some(end_frames) = self.reader.rewrite_frame() {
                self.terminate_frame(out);
                out.extend_from_slice(&end_frames);
            }
            self.write_end(out);
            self.passthrough = Passthrough::Off;
            return;
        }
        let rewritten = self.reader.rewrite_frame();
        let is_bad = has_bad_frame(&frame_ledger);
        if is_bad && self.recover_frame(&raw, out) {
            return;
        }
        self.ledger.append(frame_ledger);
        // An unparsable frame is dropped; the frames around it are forwarded.
        let is_broken = is_bad && self.keep_unparsed_text(&raw);
        let rewritten = rewritten.or_else(|| is_broken.then(Default::default));
        let raw = rewritten.map_or(raw, |rewritten| self.replace_frame(rewritten));
        let missing = if self.passthrough_state.is_sse { missing_terminator(&raw) } else { b"" };
        // The client could not read a truncated frame either.
        if missing.is_empty() || !is_bad {
            out.extend_from_slice(&self.echoed_fields.fill_in(&raw));
            self.passthrough_state.missing_terminator = missing;
        }
        if is_heartbeat {
            self.last_heartbeat = Some(raw);
        }
        self.emit_events(None);
    }

    /// Returns the frame that replaces one that the client would misread.
    fn replace_frame(&mut self, rewritten: Vec<u8>) -> Bytes {
        if !std::mem::replace(&mut self.passthrough_state.noted_rewrite, true) {
            let description = "rewrote frames that clients would misread";
            self.ledger.record_change(note::ODD_INPUT, LedgerPath::REPLY, description);
        }
        let rewritten = Bytes::from(rewritten);
        if self.passthrough_state.is_sse {
            let mut frame_reader = FrameReader::new(Framing::Sse, usize::MAX);
            frame_reader.push(&rewritten);
            while let Ok(Some(frame)) = frame_reader.finish() {
                self.writer.observe_passthrough(&frame);
            }
        }
        rewritten
    }

    /// Removes the byte order mark at the start of a stream, which many clients take as part of the
    /// first field's name.
    fn strip_bom(&mut self, raw: &Bytes) -> Bytes {
        let is_first = self.passthrough_state.stage == Stage::Before;
        self.passthrough_state.advance(Stage::Started);
        // Readers rewrite frames only where that is enabled.
        if is_first && !self.passthrough_state.is_verbatim {
            self.reader.enable_passthrough();
        }
        if !(is_first && self.passthrough_state.is_sse && raw.starts_with(UTF8_BOM)) {
            return raw.clone();
        }
        let description = "left out the byte order mark before the stream";
        self.ledger.record_change(note::ODD_INPUT, LedgerPath::REPLY, description);
        raw.slice(UTF8_BOM.len()..)
    }

    /// Whether a frame comes after the end of the reply. `[DONE]`, the end marker of another
    /// dialect that some servers add, still belongs to the reply.
    fn is_after_end(&mut self, frame: &Frame) -> bool {
        let Some(data) = frame.data.as_ref().filter(|_| self.reader.is_terminated()) else {
            return false;
        };
        if data.trim() != "[DONE]" {
            self.passthrough_state.advance(Stage::AfterEnd);
        }
        self.passthrough_state.stage >= Stage::AfterEnd
    }

    /// Adds what the forwarded frames lack at the end.
    pub(super) fn finish_passthrough(&mut self, out: &mut Vec<u8>) {
        if !self.ended && self.events.iter().any(|event| matches!(event, StreamEvent::Error(_))) {
            return self.write_end(out);
        }
        self.emit_events(None);
        if self.passthrough_state.stage == Stage::Completed {
            return;
        }
        self.passthrough_state.advance(Stage::Completed);
        let description = match self.reader.missing_end() {
            MissingEnd::Nothing => return,
            // No frame can follow the end of a JSON array.
            MissingEnd::StopReason if !self.passthrough_state.is_sse => return,
            // The reader has recorded this already.
            MissingEnd::StopReason => return self.write_end(out),
            MissingEnd::Marker(marker) => {
                self.terminate_frame(out);
                out.extend_from_slice(marker);
                "added the marker that ends the stream"
            }
            MissingEnd::ErrorEvent => {
                self.write_end(out);
                "added the event that ends a failed reply"
            }
        };
        self.ledger.record_change(note::STREAM_ORDER, LedgerPath::REPLY, description);
    }

    /// Writes the stop or error event with the writer, where the provider's own end is missing or
    /// incomplete. The frames before it were forwarded already.
    fn write_end(&mut self, out: &mut Vec<u8>) {
        self.emit_events(None);
        let end = match self.accumulator.error() {
            Some(error) => StreamEvent::Error(Box::new(error.clone())),
            None => StreamEvent::Stop(self.accumulator.partial_reply().stop.clone()),
        };
        self.sync_writer(out);
        self.writer.write(&end, out, &mut self.ledger);
        self.passthrough_state.advance(Stage::Completed);
    }

    /// Replays the accumulated reply into the writer and discards the output, so that the events it
    /// adds match the forwarded ones.
    fn sync_writer(&mut self, out: &mut Vec<u8>) {
        self.terminate_frame(out);
        let mut events = unfold(self.accumulator.partial_reply());
        events.pop();
        let (mut discarded, mut discarded_ledger) = (Vec::new(), Ledger::default());
        // The ping flushes a start event that the writer delays until more follows.
        for event in events.iter().chain(&[StreamEvent::Ping]) {
            self.writer.write(event, &mut discarded, &mut discarded_ledger);
        }
    }

    /// Ends the last frame, so that added bytes begin a new one.
    fn terminate_frame(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(std::mem::take(&mut self.passthrough_state.missing_terminator));
    }
}

const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";
