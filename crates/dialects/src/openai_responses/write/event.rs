//! Writes events with their name, type and sequence number.

use bytestring::ByteString;
use interlingua_wire::frame::write_json;
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{Framing, JsonDoc, JsonLimits, JsonNode, JsonString, RawJson};

#[derive(Debug, Default)]
pub(super) struct EventWriter {
    /// No events are written: the complete response is written at the end.
    pub(super) is_silent: bool,
    next_number: u64,
}

impl EventWriter {
    pub(super) fn write_event(
        &mut self,
        event: &'static str,
        out: &mut Vec<u8>,
        fill: impl FnOnce(&mut ObjectWriter<'_>),
    ) {
        if self.is_silent {
            return;
        }
        write_json(Framing::Sse, Some(event), out, |data| {
            data.object(|o| {
                o.json_string("type", &JsonString::from_static(event));
                o.number("sequence_number", self.next_number);
                fill(o);
            });
        });
        self.next_number += 1;
    }

    /// Continues with the sequence number after a passed-through event.
    pub(super) fn observe_passthrough(&mut self, event: &ByteString) {
        let Ok(doc) = JsonDoc::parse(event.clone(), JsonLimits::default()) else { return };
        let number = doc.root().get("sequence_number").and_then(JsonNode::as_u64);
        self.next_number = number.map_or(self.next_number, |number| number.saturating_add(1));
    }

    /// Writes an event that contains a complete item.
    pub(super) fn write_item_event(
        &mut self,
        event: &'static str,
        index: usize,
        item: &RawJson,
        out: &mut Vec<u8>,
    ) {
        self.write_event(event, out, |o| {
            o.number("output_index", index as u64);
            o.json("item", item);
        });
    }
}

/// The item that an event refers to.
#[derive(Clone, Debug)]
pub(super) struct ItemRef {
    pub(super) id: JsonString,
    pub(super) output_index: usize,
}

impl ItemRef {
    pub(super) fn write(&self, o: &mut ObjectWriter<'_>) {
        o.json_string("item_id", &self.id);
        o.number("output_index", self.output_index as u64);
    }

    /// Writes the fields, followed by the index of a part in the item.
    pub(super) fn write_with_part(&self, key: &'static str, part: usize, o: &mut ObjectWriter<'_>) {
        self.write(o);
        o.number(key, part as u64);
    }
}
