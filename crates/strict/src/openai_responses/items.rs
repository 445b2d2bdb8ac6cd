//! Checks the shapes of input items.

use serde_json::Value;

use super::item_fields as fields;
use super::item_kinds::ITEM_FIELDS;
use super::shape::{ShapeErrorKind, ShapeValidator};
use crate::json::{JsonExt as _, str_field};

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
