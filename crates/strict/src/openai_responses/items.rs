//! The shapes of items and of the parts of their contents.

use serde_json::Value;

use super::item_fields as fields;
use super::item_kinds::ITEMS;
use super::shape::{Walk, What};
use crate::rule::{Fields as _, string};

/// An item of the input.
pub(super) fn item(walk: &mut Walk, value: &Value) {
    if !value.is_object() {
        return walk.expect(false, "an input item", value);
    }
    let kind = match value.field("type") {
        None => "message",
        Some(kind) => kind.as_str().unwrap_or_default(),
    };
    if kind == "message" {
        return message(walk, value);
    }
    match ITEMS.iter().find(|(known, _)| *known == kind) {
        Some((_, Some(fields))) => walk.object(value, fields),
        Some((_, None)) => {}
        None => walk.fault(What::Word { found: kind.to_owned(), known: fields::KINDS }),
    }
    needs_either(walk, value, kind);
}

/// What may be missing only if something else is there.
fn needs_either(walk: &mut Walk, value: &Value, kind: &str) {
    let lacks = |key: &str| value.field(key).is_none_or(Value::is_null);
    let (missing, instead) = match kind {
        "reasoning" => ("id", "encrypted_content"),
        "function_call_output" => ("call_id", "name"),
        "local_shell_call_output" => ("id", "call_id"),
        _ => return,
    };
    if lacks(missing) && lacks(instead) {
        walk.at(missing, |walk| walk.fault(What::Missing));
    }
}

fn message(walk: &mut Walk, value: &Value) {
    let role = string(value, "role");
    match role {
        "assistant" => walk.object(value, fields::ASSISTANT),
        "user" | "system" | "developer" => walk.object(value, fields::MESSAGE),
        other => walk.fault(What::Word { found: other.to_owned(), known: fields::ROLES }),
    }
}

/// The contents of what the client says.
pub(super) fn content(walk: &mut Walk, value: &Value) {
    contents(walk, value, fields::INPUT_PARTS, &["encrypted_content"]);
}

/// The contents of what the model said.
pub(super) fn assistant_content(walk: &mut Walk, value: &Value) {
    contents(walk, value, &["output_text", "refusal"], &[]);
}

/// What a call came to.
pub(super) fn output(walk: &mut Walk, value: &Value) {
    match value {
        Value::String(_) => {}
        Value::Array(parts) => walk.each(parts, |walk, value| {
            part(walk, value, fields::OUTPUT_PARTS, &["input_audio", "encrypted_content"]);
        }),
        other => walk.expect(false, "one of a string or array of objects", other),
    }
}

/// The summary of what the model thought.
pub(super) fn summary(walk: &mut Walk, value: &Value) {
    match value.as_array() {
        Some(parts) => walk.each(parts, |walk, value| part(walk, value, &["summary_text"], &[])),
        None => walk.expect(false, "an array of objects", value),
    }
}

/// What the model thought, in full.
pub(super) fn thoughts(walk: &mut Walk, value: &Value) {
    match value.as_array() {
        Some(parts) => {
            walk.each(parts, |walk, value| part(walk, value, &["reasoning_text"], &[]));
        }
        None => walk.expect(false, "an array of objects", value),
    }
}

fn contents(walk: &mut Walk, value: &Value, known: &'static [&'static str], also: &[&str]) {
    match value {
        Value::String(_) => {}
        Value::Null => walk.fault(What::NullContent),
        Value::Array(parts) => walk.each(parts, |walk, value| part(walk, value, known, also)),
        other => walk.expect(false, "one of an array of objects or string", other),
    }
}

fn part(walk: &mut Walk, value: &Value, known: &'static [&'static str], also: &[&str]) {
    if !value.is_object() {
        return walk.expect(false, "an object", value);
    }
    let Some(kind) = value.field("type").and_then(Value::as_str) else {
        return walk.at("type", |walk| walk.fault(What::Missing));
    };
    if !known.contains(&kind) && !also.contains(&kind) {
        let found = kind.to_owned();
        return if fields::PART_KINDS.contains(&kind) {
            walk.fault(What::Part { found, known });
        } else {
            walk.at("type", |walk| walk.fault(What::Part { found, known: fields::PART_KINDS }));
        };
    }
    if let Some((_, Some(fields))) = fields::PARTS.iter().find(|(name, _)| *name == kind) {
        walk.object(value, fields);
    }
}

/// Where an image is: an address or the image itself, as one text.
pub(super) fn image_url(walk: &mut Walk, value: &Value) {
    walk.expect(value.is_string(), "an image URL", value);
}
