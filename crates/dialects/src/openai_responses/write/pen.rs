//! Frames: each event with its name, its type and its number.

use interlingua_wire::json::Object;
use interlingua_wire::{Json, Text, Writer};

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
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(event.as_bytes());
        out.extend_from_slice(b"\ndata: ");
        let data = out.len();
        let mut json = Writer::after(std::mem::take(out));
        json.object(|o| {
            o.word("type", event);
            o.number("sequence_number", self.sequence);
            fill(o);
        });
        *out = json.into_bytes();
        // A value that is carried as it was read may stand on several lines; a frame's data may not.
        for byte in out.iter_mut().skip(data).filter(|byte| matches!(byte, b'\n' | b'\r')) {
            *byte = b' ';
        }
        out.extend_from_slice(b"\n\n");
        self.sequence += 1;
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
