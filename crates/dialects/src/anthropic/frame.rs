//! The frames of a stream, written in place.

use interlingua_wire::frame::write_json;
use interlingua_wire::json::Object;
use interlingua_wire::{Framing, Json, Text};

/// A whole event of this dialect, by a name that can stand on a line of its own.
pub(super) fn is_event(kind: &Text, json: &Json) -> bool {
    kind.raw().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && json.doc().root().get("type").is_some_and(|word| word.word() == kind.raw())
}

/// Writes an event: its name stands before the data and in it.
pub(super) fn frame(out: &mut Vec<u8>, name: &'static str, fill: impl FnOnce(&mut Object<'_>)) {
    write_json(Framing::Sse, Some(name), out, |data| {
        data.object(|o| {
            o.text("type", &Text::word(name));
            fill(o);
        });
    });
}

/// A piece of a block. One of a kind that nobody knows is carried by this name, so that it comes back as
/// a piece and not as an event of its own.
pub(super) const PIECE: &str = "content_block_delta";
