//! Shapes of tools and `tool_choice`.

use serde_json::Value;

use super::shape::FieldType::{Any, AnyObject, Array, Bool, Custom, Str};
use super::shape::{Field, ShapeErrorKind, ShapeValidator, optional, required};
use crate::json::{JsonExt as _, str_field};

const FUNCTION_FIELDS: &[Field] = &[
    required("type", Any),
    required("name", Str),
    optional("description", Str),
    optional("parameters", AnyObject),
    optional("strict", Bool),
    optional("defer_loading", Bool),
    optional("allowed_callers", Any),
    optional("async", Any),
    optional("output_schema", Any),
];
const CUSTOM_FIELDS: &[Field] = &[
    required("type", Any),
    required("name", Str),
    optional("description", Str),
    optional("format", Custom(check_custom_format)),
    optional("defer_loading", Bool),
    optional("allowed_callers", Any),
    optional("async", Any),
];
const NAMESPACE_FIELDS: &[Field] = &[
    required("type", Any),
    required("name", Str),
    optional("description", Str),
    required("tools", Array("tools", &Custom(check_tool))),
];
/// The fields of each tool type that is not the server's own.
pub(super) const TOOL_FIELDS: &[(&str, &[Field])] =
    &[("function", FUNCTION_FIELDS), ("custom", CUSTOM_FIELDS), ("namespace", NAMESPACE_FIELDS)];
const TEXT_FORMAT_FIELDS: &[Field] = &[required("type", Any)];
const GRAMMAR_FORMAT_FIELDS: &[Field] =
    &[required("type", Any), required("syntax", Custom(check_syntax)), required("definition", Str)];

/// Checks a tool. The server's own tools may have any fields.
pub(super) fn check_tool(validator: &mut ShapeValidator, value: &Value) {
    if !value.is_object() {
        return validator.expect(false, "an object", value);
    }
    let Some(kind) = value.field("type") else {
        return validator.at_key("type", |validator| validator.push_error(ShapeErrorKind::Missing));
    };
    if let Some((_, fields)) = TOOL_FIELDS.iter().find(|(name, _)| kind == name) {
        return validator.check_object(value, fields);
    }
    match kind.as_str() {
        Some("mcp") if value.field("server_label").is_none() => {
            validator
                .at_key("server_label", |validator| validator.push_error(ShapeErrorKind::Missing));
        }
        _ => validator.at_key("type", |validator| {
            validator.check_enum(kind, TOOL_TYPES, UNLISTED_TOOL_TYPES);
        }),
    }
}

fn check_custom_format(validator: &mut ShapeValidator, value: &Value) {
    match str_field(value, "type") {
        "text" => validator.check_object(value, TEXT_FORMAT_FIELDS),
        "grammar" => validator.check_object(value, GRAMMAR_FORMAT_FIELDS),
        _ => match value.field("type") {
            Some(kind) => validator
                .at_key("type", |validator| validator.check_enum(kind, &["text", "grammar"], &[])),
            None => {
                validator.at_key("type", |validator| validator.push_error(ShapeErrorKind::Missing));
            }
        },
    }
}

fn check_syntax(validator: &mut ShapeValidator, value: &Value) {
    validator.check_enum(value, &["lark", "regex"], &[]);
}

/// Checks a tool choice. The name is a field of the choice, not of a nested object as in Chat
/// Completions.
pub(super) fn check_tool_choice(validator: &mut ShapeValidator, value: &Value) {
    match value {
        Value::String(_) => validator.check_enum(value, &["none", "auto", "required"], &[]),
        Value::Object(_) => {
            let required_keys: &[&str] = match str_field(value, "type") {
                "function" | "custom" => &["name"],
                "mcp" => &["server_label"],
                "allowed_tools" => &["mode", "tools"],
                _ => &["type"],
            };
            for key in required_keys.iter().filter(|key| value.get(**key).is_none()) {
                validator.at_key(key, |validator| validator.push_error(ShapeErrorKind::Missing));
            }
        }
        other => {
            let expected = "one of an object or 'none', 'auto', or 'required'";
            validator.expect(false, expected, other);
        }
    }
}

/// Types of tools that error messages list, and further accepted ones.
pub(super) const TOOL_TYPES: &[&str] = &[
    "function",
    "custom",
    "namespace",
    "mcp",
    "web_search",
    "file_search",
    "code_interpreter",
    "image_generation",
    "computer",
    "local_shell",
    "shell",
    "apply_patch",
    "tool_search",
    "programmatic_tool_calling",
];
const UNLISTED_TOOL_TYPES: &[&str] = &[
    "web_search_2025_08_26",
    "web_search_preview",
    "web_search_preview_2025_03_11",
    "computer_use_preview",
];
