//! Shapes of content parts.

use serde_json::Value;

use super::shape::FieldType::{Any, AnyObject, Custom, Enum, Str};
use super::shape::{Field, ShapeErrorKind, ShapeValidator, optional, required};
use crate::json::JsonExt as _;

/// Checks the content of a client's message.
pub(super) fn check_input_content(validator: &mut ShapeValidator, value: &Value) {
    check_parts(validator, value, INPUT_PART_TYPES, &["encrypted_content"]);
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
            check_part(validator, value, OUTPUT_PART_TYPES, &["input_audio", "encrypted_content"]);
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
        return if DOCUMENTED_PART_TYPES.contains(&kind) {
            validator.push_error(ShapeErrorKind::WrongPart { found, supported });
        } else {
            validator.at_key("type", |validator| {
                validator.push_error(ShapeErrorKind::WrongPart {
                    found,
                    supported: DOCUMENTED_PART_TYPES,
                });
            });
        };
    }
    if let Some((_, Some(fields))) = PART_FIELDS.iter().find(|(name, _)| *name == kind) {
        validator.check_object(value, fields);
    }
}

/// Checks an image: a URL or data URL.
pub(super) fn check_image_url(validator: &mut ShapeValidator, value: &Value) {
    validator.expect(value.is_string(), "an image URL", value);
}

/// The fields of each part type; `None` accepts any.
pub(super) const PART_FIELDS: &[(&str, Option<&[Field]>)] = &[
    (
        "input_text",
        Some(&[
            required("type", Any),
            required("text", Str),
            optional("prompt_cache_breakpoint", AnyObject),
        ]),
    ),
    (
        "input_image",
        Some(&[
            required("type", Any),
            optional("image_url", Custom(check_image_url)),
            optional("file_id", Str),
            optional("detail", Enum(&["low", "high", "auto", "original"], &[])),
            optional("prompt_cache_breakpoint", AnyObject),
        ]),
    ),
    (
        "input_file",
        Some(&[
            required("type", Any),
            optional("file_data", Str),
            optional("file_id", Str),
            optional("file_url", Str),
            optional("filename", Str),
            optional("detail", Str),
            optional("prompt_cache_breakpoint", AnyObject),
        ]),
    ),
    (
        "input_audio",
        Some(&[
            required("type", Any),
            optional("input_audio", AnyObject),
            optional("audio_url", Str),
            optional("prompt_cache_breakpoint", AnyObject),
        ]),
    ),
    (
        "output_text",
        Some(&[
            required("type", Any),
            required("text", Str),
            optional("annotations", Any),
            optional("logprobs", Any),
        ]),
    ),
    ("refusal", Some(&[required("type", Any), required("refusal", Str)])),
    ("summary_text", Some(&[required("type", Any), required("text", Str)])),
    ("reasoning_text", Some(&[required("type", Any), required("text", Str)])),
    ("computer_screenshot", None),
    ("scoped_content", None),
    ("encrypted_content", None),
];

/// Part types of the client's messages and of call outputs.
pub(super) const INPUT_PART_TYPES: &[&str] =
    &["input_text", "input_image", "input_file", "scoped_content", "input_audio"];
pub(super) const OUTPUT_PART_TYPES: &[&str] =
    &["input_text", "input_image", "input_file", "scoped_content"];
/// The part types that error messages list; the API accepts a few more.
pub(super) const DOCUMENTED_PART_TYPES: &[&str] = &[
    "input_text",
    "input_image",
    "input_audio",
    "output_text",
    "refusal",
    "input_file",
    "computer_screenshot",
    "summary_text",
    "encrypted_content",
];
