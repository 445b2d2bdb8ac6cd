//! Frames: each event with its name, its type and its number.

use bytestring::ByteString;
use interlingua_wire::frame::write_json;
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Framing, Json, Limits, Node, Text};

#[derive(Debug, Default)]
pub(super) struct Pen {
    /// No events are written; the response comes whole at the end.
    pub(super) whole: bool,
    sequence: u64,
}

impl Pen {
    pub(super) fn event(
        &mut self,
        event: &'static str,
        out: &mut Vec<u8>,
        fill: impl FnOnce(&mut Object<'_>),
    ) {
        if self.whole {
            return;
        }
        write_json(Framing::Sse, Some(event), out, |data| {
            data.object(|o| {
                o.text("type", &Text::word(event));
                o.number("sequence_number", self.sequence);
                fill(o);
            });
        });
        self.sequence += 1;
    }

    /// Goes on with the number after that of an event that the client got as it came.
    pub(super) fn follow(&mut self, event: &ByteString) {
        let Ok(doc) = Doc::parse(event.clone(), Limits::default()) else { return };
        let number = doc.root().get("sequence_number").and_then(Node::count);
        self.sequence = number.map_or(self.sequence, |number| number.saturating_add(1));
    }

    /// An event that carries a whole item.
    pub(super) fn item(
        &mut self,
        event: &'static str,
        index: usize,
        item: &Json,
        out: &mut Vec<u8>,
    ) {
        self.event(event, out, |o| {
            o.number("output_index", index as u64);
            o.json("item", item);
        });
    }
}

/// Where in the output an event belongs.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub(super) id: Text,
    pub(super) index: usize,
}

impl Spot {
    pub(super) fn write(&self, o: &mut Object<'_>) {
        o.text("item_id", &self.id);
        o.number("output_index", self.index as u64);
    }

    /// With the place of a part within the item.
    pub(super) fn write_part(&self, key: &'static str, part: usize, o: &mut Object<'_>) {
        self.write(o);
        o.number(key, part as u64);
    }
}
