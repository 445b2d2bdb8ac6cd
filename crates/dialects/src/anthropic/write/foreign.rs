//! What only this dialect knows, in a stream.

use interlingua_wire::frame::write_json;
use interlingua_wire::{Framing, Json, Text};

use super::Writer;
use crate::anthropic::frame::{PIECE, frame, is_event};
use crate::anthropic::open::Open;
use crate::anthropic::search::CALL;

impl Writer {
    /// A block that comes whole. Clients gather what a tool of the provider's is asked from its pieces.
    pub(super) fn whole(&mut self, kind: &Text, json: &Json, out: &mut Vec<u8>) {
        let doc = json.doc();
        let asked = doc.root().get("input").filter(|_| *kind == CALL);
        self.start_block(out, |o| {
            for field in doc.root().fields() {
                if asked.is_some() && field.is("input") {
                    o.object("input", |_| {});
                } else {
                    o.key_text(&field.key()).json(&field.value.json());
                }
            }
        });
        if let Some(asked) = asked.filter(|asked| asked.fields().next().is_some()) {
            self.piece(out, "input_json_delta", |o| o.word("partial_json", asked.raw()));
        }
    }

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
