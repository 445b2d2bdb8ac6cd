//! Encodes what several kinds of values share.

use interlingua_model::Block;
use interlingua_wire::JsonString;
use interlingua_wire::json::ObjectWriter;

use super::context::EncodeCx;
use crate::openai_responses::decode::fields::CACHE_BREAKPOINT_KEY;
use crate::openai_responses::id::ID;

/// Writes the attributes of a block in this dialect.
pub(super) fn write_common_fields(block: &Block, cx: EncodeCx, o: &mut ObjectWriter<'_>) {
    write_extras(block, &[CACHE_BREAKPOINT_KEY], o);
    write_cache_breakpoint(block, cx, o);
}

/// Writes the extras, except those of other part types.
pub(super) fn write_extras(block: &Block, excluded: &[&str], o: &mut ObjectWriter<'_>) {
    let is_written = |key: &JsonString| !excluded.contains(&key.raw());
    for (key, value) in block.extras.fields_for(ID).iter().filter(|(key, _)| is_written(key)) {
        o.key_json_string(key).json(value);
    }
}

pub(super) fn write_cache_breakpoint(block: &Block, cx: EncodeCx, o: &mut ObjectWriter<'_>) {
    o.json_opt(CACHE_BREAKPOINT_KEY, block.extras.get(ID, CACHE_BREAKPOINT_KEY));
    if cx.same_dialect
        && block.cache_breakpoint.is_some()
        && block.extras.get(ID, CACHE_BREAKPOINT_KEY).is_none()
    {
        o.object(CACHE_BREAKPOINT_KEY, |o| o.static_str("mode", "explicit"));
    }
}
