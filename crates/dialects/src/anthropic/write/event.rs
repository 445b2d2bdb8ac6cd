//! Writes server-sent events of this dialect directly into the output buffer.

use interlingua_wire::frame::write_json;
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{Framing, JsonString, RawJson};

/// Returns whether the JSON is a complete event of this name, and the name is valid in an `event:`
/// line.
pub(crate) fn is_event_json(kind: &JsonString, json: &RawJson) -> bool {
    kind.raw().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && json
            .to_doc()
            .root()
            .get("type")
            .is_some_and(|event_type| event_type.str_or_empty() == kind.raw())
}

/// Writes an event. Its name appears in the `event:` line and as `type` in the data.
pub(crate) fn write_event(
    out: &mut Vec<u8>,
    name: &'static str,
    fill: impl FnOnce(&mut ObjectWriter<'_>),
) {
    write_json(Framing::Sse, Some(name), out, |data| {
        data.object(|o| {
            o.json_string("type", &JsonString::from_static(name));
            fill(o);
        });
    });
}

/// A delta of an unknown kind is passed on as a foreign event under this name, so that the writer
/// emits it as a delta and not as a separate event.
pub(crate) const CONTENT_BLOCK_DELTA: &str = "content_block_delta";
