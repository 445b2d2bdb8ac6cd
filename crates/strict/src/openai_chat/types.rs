//! Rules about JSON types of fields.

use serde_json::Value;

use super::error_messages::{ViolationDetails, reject};
use super::provider::{Trait, provider_of};
use super::tools::checks_name_pattern;
use super::view::{Message, bracket_path, messages};
use crate::Request;
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, array_field, json_type_name, str_field};

/// Path, expected type and actual value.
type TypeErrors<'v> = Vec<(String, &'static str, &'v Value)>;

pub(super) fn wrong_type(request: &Request<'_>, cx: &mut CheckContext) {
    let mut errors = Vec::new();
    check_types(request.body, "", PARAMETER_TYPES, &mut errors);
    for (name, expected) in &provider_of(request).types {
        let is_type = if expected == "an object" { Value::is_object } else { is_integer };
        check_types(request.body, "", &[(name, expected, is_type)], &mut errors);
    }
    for message in messages(request) {
        check_message(request, &message, &mut errors);
    }
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let path = format!("tools.{at}");
        check_object(tool, &path, &mut errors);
        check_types(tool, &path, TOOL_TYPES, &mut errors);
        if let Some(function) = tool.field("function") {
            check_name(request, function, &format!("{path}.function"), &mut errors);
        }
        let custom = tool.field("custom").filter(|_| str_field(tool, "type") == "custom");
        if let Some(custom) = custom.filter(|_| checks_name_pattern(request)) {
            check_name(request, custom, &format!("{path}.custom"), &mut errors);
        }
    }
    for (path, expected, value) in errors {
        let at = bracket_path(&path);
        let placeholders =
            [("at", at.as_str()), ("wanted", expected), ("found", json_type_name(value))];
        let details = ViolationDetails {
            path,
            placeholders: &placeholders,
            param: Some(&at),
            code: Some("invalid_type"),
        };
        reject(request, cx, &details);
    }
}

fn check_message<'v>(request: &Request<'_>, message: &Message<'v>, errors: &mut TypeErrors<'v>) {
    check_object(message.value, &message.path(), errors);
    check_types(message.value, &message.path(), MESSAGE_TYPES, errors);
    for (at, part) in message.parts().iter().enumerate() {
        let path = message.field_path(&format!("content.{at}"));
        check_object(part, &path, errors);
        check_types(part, &path, PART_TYPES, errors);
        let is_first_party = provider_of(request).has(Trait::FirstParty);
        let url = part.field("image_url").filter(|image| is_first_party && image.is_string());
        let is_image = str_field(part, "type") == "image_url";
        if let Some(url) = url.filter(|_| is_image) {
            errors.push((format!("{path}.image_url"), "an object", url));
        }
        let refusal = part.as_object().and_then(|part| part.get("refusal"));
        let is_refusal = str_field(part, "type") == "refusal" && is_first_party;
        if let Some(refusal) = refusal.filter(|refusal| is_refusal && !refusal.is_string()) {
            errors.push((format!("{path}.refusal"), "a string", refusal));
        }
    }
    for (at, call) in message.tool_calls().iter().enumerate() {
        let path = message.field_path(&format!("tool_calls.{at}"));
        check_object(call, &path, errors);
        check_types(call, &path, CALL_TYPES, errors);
        let id = call.as_object().and_then(|call| call.get("id"));
        if let Some(non_string) =
            id.filter(|id| !id.is_string() && super::pairing::pairs_by_id(request))
        {
            errors.push((format!("{path}.id"), "a string", non_string));
        }
        // Custom calls are only checked where calls are validated.
        let custom = call.field("custom").filter(|_| str_field(call, "type") == "custom");
        if let Some(custom) = custom.filter(|_| super::required_fields::validates_calls(request)) {
            let path = format!("{path}.custom");
            check_object(custom, &path, errors);
            for field in ["name", "input"] {
                let value = custom.as_object().and_then(|custom| custom.get(field));
                let non_string = value.filter(|value| !value.is_string());
                errors.extend(
                    non_string
                        .map(|non_string| (format!("{path}.{field}"), "a string", non_string)),
                );
            }
        }
        let Some(function) = call.field("function") else { continue };
        check_name(request, function, &format!("{path}.function"), errors);
        let is_accepted_null = provider_of(request).has(Trait::NullArguments)
            && function.field("arguments").is_some_and(Value::is_null);
        let accepts_object = provider_of(request).has(Trait::ObjectArguments);
        if let Some(arguments) = function.field("arguments").filter(|value| !value.is_string())
            && !(accepts_object && arguments.is_object() || is_accepted_null)
        {
            errors.push((format!("{path}.function.arguments"), "a string", arguments));
        }
    }
}

/// Checks that a tool's name is a string. Flavors that check its characters reject null, too.
fn check_name<'v>(
    request: &Request<'_>,
    function: &'v Value,
    path: &str,
    errors: &mut TypeErrors<'v>,
) {
    check_types(function, path, NAME_TYPES, errors);
    let null_name = function.field("name").filter(|name| name.is_null());
    if let Some(null_name) = null_name.filter(|_| checks_name_pattern(request)) {
        errors.push((format!("{path}.name"), "a string", null_name));
    }
}

fn check_object<'v>(value: &'v Value, path: &str, errors: &mut TypeErrors<'v>) {
    if !value.is_object() {
        errors.push((path.to_owned(), "an object", value));
    }
}

/// Checks the types of an object's fields. Null counts as missing, except for required
/// fields.
fn check_types<'v>(
    value: &'v Value,
    path: &str,
    types: &[FieldType<'static>],
    errors: &mut TypeErrors<'v>,
) {
    for (field, expected, is_type) in types {
        let Some(value) = value.as_object().and_then(|object| object.get(*field)) else { continue };
        if !is_type(value) && (!value.is_null() || NON_NULLABLE.contains(field)) {
            let dot = if path.is_empty() { "" } else { "." };
            errors.push((format!("{path}{dot}{field}"), expected, value));
        }
    }
}

fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64()
}

fn is_image_ref(value: &Value) -> bool {
    value.is_object() || value.is_string()
}

type FieldType<'t> = (&'t str, &'t str, fn(&Value) -> bool);

const PARAMETER_TYPES: &[FieldType] = &[
    ("model", "a string", Value::is_string),
    ("messages", "an array of objects", Value::is_array),
    ("tools", "an array of objects", Value::is_array),
    ("stream", "a boolean", Value::is_boolean),
    ("temperature", "a decimal", Value::is_number),
    ("top_p", "a decimal", Value::is_number),
    ("presence_penalty", "a decimal", Value::is_number),
    ("frequency_penalty", "a decimal", Value::is_number),
    ("max_tokens", "an integer", is_integer),
    ("max_completion_tokens", "an integer", is_integer),
    ("n", "an integer", is_integer),
    ("seed", "an integer", is_integer),
    ("parallel_tool_calls", "a boolean", Value::is_boolean),
    ("response_format", "an object", Value::is_object),
    ("tool_choice", "one of a string or object", |value| value.is_string() || value.is_object()),
    ("stop", "one of a string or array of strings", |value| value.is_string() || value.is_array()),
    ("reasoning_effort", "a string", Value::is_string),
];
const MESSAGE_TYPES: &[FieldType] = &[
    ("role", "a string", Value::is_string),
    ("content", "one of a string or array of objects", |value| {
        value.is_string() || value.is_array()
    }),
    ("tool_calls", "an array of objects", Value::is_array),
    ("tool_call_id", "a string", Value::is_string),
    ("name", "a string", Value::is_string),
];
const PART_TYPES: &[FieldType] = &[
    ("type", "a string", Value::is_string),
    ("text", "a string", Value::is_string),
    // Some servers accept the URL alone.
    ("image_url", "an object", is_image_ref),
    ("input_audio", "an object", Value::is_object),
    ("file", "an object", Value::is_object),
];
const CALL_TYPES: &[FieldType] =
    &[("type", "a string", Value::is_string), ("function", "an object", Value::is_object)];
const TOOL_TYPES: &[FieldType] =
    &[("type", "a string", Value::is_string), ("function", "an object", Value::is_object)];
const NAME_TYPES: &[FieldType] = &[("name", "a string", Value::is_string)];
const NON_NULLABLE: &[&str] =
    &["model", "messages", "role", "type", "text", "image_url", "input_audio", "file", "function"];
