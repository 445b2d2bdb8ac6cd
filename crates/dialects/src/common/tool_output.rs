//! Tells the content that a tool returned from other JSON that looks like it.

use interlingua_wire::{Field, JsonNode};

/// Whether an object within a result is data and not a text part: it has further fields, and no type
/// or no text. Read as a text part, it would lose those fields.
pub(crate) fn is_data(object: JsonNode<'_>) -> bool {
    let has_text = object.get("text").is_some_and(|text| !text.is_null());
    let could_be_text = match object.get("type").map(JsonNode::str_or_empty).as_deref() {
        None => has_text,
        Some("text") => !has_text,
        Some(_) => false,
    };
    could_be_text && has_other_fields(object)
}

/// Whether an object has fields that no text part has.
pub(crate) fn has_other_fields(object: JsonNode<'_>) -> bool {
    let is_text_field = |field: &Field<'_>| TEXT_FIELDS.iter().any(|key| field.key_is(key));
    object.fields().any(|field| !field.value.is_null() && !is_text_field(&field))
}

/// Fields of a text part in any dialect, or added by tool servers.
const TEXT_FIELDS: &[&str] = &[
    "type",
    "text",
    "cache_control",
    "prompt_cache_breakpoint",
    "citations",
    "annotations",
    "_meta",
];
