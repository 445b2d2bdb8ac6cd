//! Writes foreign blocks and fields of this dialect into a stream.

use interlingua_wire::frame::write_json;
use interlingua_wire::{Framing, JsonString, RawJson};

use super::Writer;
use super::block::OpenBlock;
use super::event::{CONTENT_BLOCK_DELTA, is_event_json, write_event};
use crate::anthropic::web_search::SERVER_TOOL_USE;

impl Writer {
    /// Writes a block that was received complete. Clients read the input of a server tool call from
    /// deltas.
    pub(super) fn write_complete_block(
        &mut self,
        kind: &JsonString,
        json: &RawJson,
        out: &mut Vec<u8>,
    ) {
        let doc = json.to_doc();
        let input = doc.root().get("input").filter(|_| *kind == SERVER_TOOL_USE);
        self.write_block_start(out, |o| {
            for field in doc.root().fields() {
                if input.is_some() && field.key_is("input") {
                    o.object("input", |_| {});
                } else {
                    o.key_json_string(&field.key_json_string()).json(&field.value.json());
                }
            }
        });
        if let Some(input) = input.filter(|input| input.fields().next().is_some()) {
            self.write_block_delta(out, "input_json_delta", |o| o.str("partial_json", input.raw()));
        }
    }

    /// Writes a delta of an unknown kind into the open block.
    fn write_unknown_delta(&mut self, json: &RawJson, out: &mut Vec<u8>) {
        if matches!(self.open_block, OpenBlock::Nothing | OpenBlock::Dropped) {
            return;
        }
        self.ensure_text_started(out);
        self.ensure_thinking_started(out);
        let index = self.block_index();
        write_event(out, CONTENT_BLOCK_DELTA, |o| {
            o.number("index", index);
            o.json("delta", json);
        });
    }

    pub(super) fn write_foreign(&mut self, kind: &JsonString, json: &RawJson, out: &mut Vec<u8>) {
        if MESSAGE_END_FIELDS.iter().any(|key| *kind == **key) {
            self.end_fields.retain(|(key, _)| key != kind);
            self.end_fields.push((kind.clone(), json.clone()));
        } else if *kind == CONTENT_BLOCK_DELTA {
            self.write_unknown_delta(json, out);
        } else if is_event_json(kind, json) {
            write_json(Framing::Sse, Some(kind.raw()), out, |data| data.json(json));
        }
    }
}

/// Message fields that are sent with the end event.
const MESSAGE_END_FIELDS: &[&str] =
    &["stop_details", "container", "context_management", "input_transformations", "diagnostics"];
