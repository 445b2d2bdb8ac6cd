//! What only this dialect knows, in a stream.

use interlingua_wire::frame::write_json;
use interlingua_wire::{Framing, Json, Text};

use super::Writer;
use crate::anthropic::frame::{PIECE, frame, is_event};
use crate::anthropic::open::Open;

impl Writer {
    /// A piece of a kind that nobody knows, of the block that is open.
    fn unknown_piece(&mut self, json: &Json, out: &mut Vec<u8>) {
        if matches!(self.open, Open::Nothing | Open::LeftOut) {
            return;
        }
        self.start_text(out);
        self.start_thinking(out);
        let index = self.index();
        frame(out, PIECE, |o| {
            o.number("index", index);
            o.json("delta", json);
        });
    }

    pub(super) fn foreign(&mut self, kind: &Text, json: &Json, out: &mut Vec<u8>) {
        if ENDING.iter().any(|key| *kind == **key) {
            self.ending.retain(|(key, _)| key != kind);
            self.ending.push((kind.clone(), json.clone()));
        } else if *kind == PIECE {
            self.unknown_piece(json, out);
        } else if is_event(kind, json) {
            write_json(Framing::Sse, Some(kind.raw()), out, |data| data.json(json));
        }
    }
}

/// Fields of the message that are told at its end.
const ENDING: &[&str] =
    &["stop_details", "container", "context_management", "input_transformations", "diagnostics"];
