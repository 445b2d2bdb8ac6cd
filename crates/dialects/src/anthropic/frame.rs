//! The frames of a stream, written in place.

use interlingua_wire::json::Object;
use interlingua_wire::{Json, Text, Writer};

/// A whole event of this dialect, by a name that can stand on a line of its own.
pub(super) fn is_event(kind: &Text, json: &Json) -> bool {
    kind.raw().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && json.doc().root().get("type").is_some_and(|word| word.word() == kind.raw())
}

/// Writes an event: its name stands before the data and in it.
pub(super) fn frame(out: &mut Vec<u8>, name: &'static str, fill: impl FnOnce(&mut Object<'_>)) {
    framed(out, name, |data| {
        data.object(|o| {
            o.word("type", name);
            fill(o);
        });
    });
}

pub(super) fn framed(out: &mut Vec<u8>, name: &str, fill: impl FnOnce(&mut Writer)) {
    out.extend_from_slice(b"event: ");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\ndata: ");
    let start = out.len();
    let mut data = Writer::after(std::mem::take(out));
    fill(&mut data);
    *out = data.into_bytes();
    // Values written by others may span lines; a line break is only space there.
    for byte in out[start..].iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')) {
        *byte = b' ';
    }
    out.extend_from_slice(b"\n\n");
}
