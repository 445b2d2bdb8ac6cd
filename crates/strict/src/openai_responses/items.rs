//! Shapes of input items and their content parts.

use serde_json::Value;

use super::item_fields as fields;
use super::item_kinds::ITEM_FIELDS;
use super::shape::{ShapeErrorKind, ShapeValidator};
use crate::rule::{JsonExt as _, str_field};

/// Checks an input item.
pub(super) fn check_item(validator: &mut ShapeValidator, value: &Value) {
    if !value.is_object() {
        return validator.expect(false, "an input item", value);
    }
    let kind = match value.field("type") {
        None => "message",
        Some(kind) => kind.as_str().unwrap_or_default(),
    };
    if kind == "message" {
        return check_message(validator, value);
    }
    match ITEM_FIELDS.iter().find(|(supported, _)| *supported == kind) {
        Some((_, Some(fields))) => validator.check_object(value, fields),
        Some((_, None)) => {}
        None => validator.push_error(ShapeErrorKind::UnknownValue {
            found: kind.to_owned(),
            supported: fields::DOCUMENTED_ITEM_TYPES,
        }),
    }
    check_alternatives(validator, value, kind);
}

/// Checks fields that are required unless another field is set.
fn check_alternatives(validator: &mut ShapeValidator, value: &Value, kind: &str) {
    let is_missing = |key: &str| value.field(key).is_none_or(Value::is_null);
    let (required, alternative) = match kind {
        "reasoning" => ("id", "encrypted_content"),
        "function_call_output" => ("call_id", "name"),
        "local_shell_call_output" => ("id", "call_id"),
        _ => return,
    };
    if is_missing(required) && is_missing(alternative) {
        validator.at_key(required, |validator| validator.push_error(ShapeErrorKind::Missing));
    }
}

fn check_message(validator: &mut ShapeValidator, value: &Value) {
    let role = str_field(value, "role");
    match role {
        "assistant" => validator.check_object(value, fields::ASSISTANT_MESSAGE_FIELDS),
        "user" | "system" | "developer" => {
            validator.check_object(value, fields::INPUT_MESSAGE_FIELDS);
        }
        other => validator.push_error(ShapeErrorKind::UnknownValue {
            found: other.to_owned(),
            supported: fields::ROLES,
        }),
    }
}

/// Checks the content of a client's message.
pub(super) fn check_input_content(validator: &mut ShapeValidator, value: &Value) {
    check_parts(validator, value, fields::INPUT_PART_TYPES, &["encrypted_content"]);
}

/// Checks the content of an assistant message.
pub(super) fn check_assistant_content(validator: &mut ShapeValidator, value: &Value) {
    check_parts(validator, value, &["output_text", "refusal"], &[]);
}

/// Checks the output of a call.
pub(super) fn check_call_output(validator: &mut ShapeValidator, value: &Value) {
    match value {
        Value::String(_) => {}
        Value::Array(parts) => validator.check_items(parts, |validator, value| {
            check_part(
                validator,
                value,
                fields::OUTPUT_PART_TYPES,
                &["input_audio", "encrypted_content"],
            );
        }),
        other => validator.expect(false, "one of a string or array of objects", other),
    }
}

/// Checks the summary of a reasoning item.
pub(super) fn check_summary(validator: &mut ShapeValidator, value: &Value) {
    match value.as_array() {
        Some(parts) => validator.check_items(parts, |validator, value| {
            check_part(validator, value, &["summary_text"], &[]);
        }),
        None => validator.expect(false, "an array of objects", value),
    }
}

/// Checks the full content of a reasoning item.
pub(super) fn check_reasoning_content(validator: &mut ShapeValidator, value: &Value) {
    match value.as_array() {
        Some(parts) => {
            validator.check_items(parts, |validator, value| {
                check_part(validator, value, &["reasoning_text"], &[]);
            });
        }
        None => validator.expect(false, "an array of objects", value),
    }
}

fn check_parts(
    validator: &mut ShapeValidator,
    value: &Value,
    supported: &'static [&'static str],
    accepted: &[&str],
) {
    match value {
        Value::String(_) => {}
        Value::Null => validator.push_error(ShapeErrorKind::NullContent),
        Value::Array(parts) => validator.check_items(parts, |validator, value| {
            check_part(validator, value, supported, accepted);
        }),
        other => validator.expect(false, "one of an array of objects or string", other),
    }
}

fn check_part(
    validator: &mut ShapeValidator,
    value: &Value,
    supported: &'static [&'static str],
    accepted: &[&str],
) {
    if !value.is_object() {
        return validator.expect(false, "an object", value);
    }
    let Some(kind) = value.field("type").and_then(Value::as_str) else {
        return validator.at_key("type", |validator| validator.push_error(ShapeErrorKind::Missing));
    };
    if !supported.contains(&kind) && !accepted.contains(&kind) {
        let found = kind.to_owned();
        return if fields::DOCUMENTED_PART_TYPES.contains(&kind) {
            validator.push_error(ShapeErrorKind::WrongPart { found, supported });
        } else {
            validator.at_key("type", |validator| {
                validator.push_error(ShapeErrorKind::WrongPart {
                    found,
                    supported: fields::DOCUMENTED_PART_TYPES,
                });
            });
        };
    }
    if let Some((_, Some(fields))) = fields::PART_FIELDS.iter().find(|(name, _)| *name == kind) {
        validator.check_object(value, fields);
    }
}

/// Checks an image: a URL or data URL.
pub(super) fn check_image_url(validator: &mut ShapeValidator, value: &Value) {
    validator.expect(value.is_string(), "an image URL", value);
}
