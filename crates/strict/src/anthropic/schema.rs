//! Rules about the input schemas of tools.

use serde_json::{Map, Value};

use super::tools::custom_tools;
use crate::json::{JsonExt as _, array_field, str_field};
use crate::json_schema::first_error;
use crate::{CheckContext, Request};

type JsonObject = Map<String, Value>;

/// The input schemas of client-defined tools, with the path for error messages.
fn tool_schemas<'v>(request: &Request<'v>) -> impl Iterator<Item = (String, &'v Value)> {
    let path = |at| format!("tools.{at}.custom.input_schema");
    custom_tools(request.body).filter_map(move |(at, tool)| {
        tool.field("input_schema")
            .filter(|schema| schema.is_object())
            .map(|schema| (path(at), schema))
    })
}

pub(super) fn schema_root_type(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, schema) in tool_schemas(request) {
        let path = format!("{path}.type");
        match schema.field("type") {
            None => cx.reject(&*path, format!("{path}: Field required")),
            Some(kind) if kind != "object" => {
                cx.reject(&*path, format!("{path}: Input should be 'object'"));
            }
            Some(_) => {}
        }
    }
}

pub(super) fn schema_root_choice(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, schema) in tool_schemas(request) {
        if ["oneOf", "allOf", "anyOf"].iter().any(|key| schema.field(key).is_some()) {
            cx.reject_filled(path, &[]);
        }
    }
}

/// Checks only the property names at the root.
pub(super) fn property_name(request: &Request<'_>, cx: &mut CheckContext) {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let is_valid_property =
        |name: &String| (1..=64).contains(&name.len()) && name.chars().all(is_allowed);
    for (path, schema) in tool_schemas(request) {
        let properties = schema.field("properties").and_then(Value::as_object);
        if properties.is_some_and(|properties| !properties.keys().all(is_valid_property)) {
            let path = format!("{path}.properties");
            cx.reject_filled(path, &[]);
        }
    }
}

pub(super) fn schema_invalid(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, schema) in tool_schemas(request) {
        if first_error(schema).is_some() {
            cx.reject_filled(path, &[]);
        }
    }
}

/// Visits a schema and all its subschemas, the root first.
fn visit_schemas<'v>(schema: &'v Value, visit: &mut dyn FnMut(&'v JsonObject)) {
    let Some(object) = schema.as_object() else { return };
    visit(object);
    for (key, value) in object {
        match key.as_str() {
            "properties" | "$defs" | "definitions" | "patternProperties" => {
                value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .for_each(|(_, value)| visit_schemas(value, visit));
            }
            "items" | "additionalProperties" | "not" | "contains" => visit_schemas(value, visit),
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .for_each(|value| visit_schemas(value, visit));
            }
            _ => {}
        }
    }
}

fn strict_tools<'v>(request: &Request<'v>) -> impl Iterator<Item = (usize, &'v Value)> {
    custom_tools(request.body).filter(|(_, tool)| tool.field("strict") == Some(&Value::Bool(true)))
}

pub(super) fn strict_open_object(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, tool) in strict_tools(request) {
        let mut is_open = false;
        visit_schemas(&tool["input_schema"], &mut |schema| {
            let is_object = schema.field("type").is_some_and(|kind| kind == "object");
            is_open |=
                is_object && schema.field("additionalProperties") != Some(&Value::Bool(false));
        });
        if is_open {
            let path = format!("tools.{at}.custom");
            cx.reject_filled(path, &[]);
        }
    }
}

pub(super) fn strict_pattern(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, tool) in strict_tools(request) {
        visit_schemas(&tool["input_schema"], &mut |schema| {
            let pattern = schema.field("pattern").and_then(Value::as_str).unwrap_or_default();
            let feature =
                UNSUPPORTED_REGEX_FEATURES.iter().find(|(syntax, _)| pattern.contains(syntax));
            if let Some((_, name)) = feature {
                cx.reject_filled(format!("tools.{at}.custom.input_schema"), &[("feature", &name)]);
            }
        });
    }
}

pub(super) fn strict_too_complex(request: &Request<'_>, cx: &mut CheckContext) {
    let mut optional_count = 0;
    for (_, tool) in strict_tools(request) {
        visit_schemas(&tool["input_schema"], &mut |schema| {
            let names = schema.field("properties").and_then(Value::as_object).map_or(0, Map::len);
            let required = schema.field("required").and_then(Value::as_array).map_or(0, Vec::len);
            optional_count += names.saturating_sub(required);
        });
    }
    if strict_tools(request).count() > 20 || optional_count > 24 {
        cx.reject("tools", cx.message());
    }
}

pub(super) fn circular_schema(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, tool) in custom_tools(request.body) {
        let is_code =
            |caller: &Value| caller.as_str().is_some_and(|name| name.starts_with("code_"));
        let schema = &tool["input_schema"];
        if array_field(tool, "allowed_callers").iter().any(is_code)
            && is_cyclic(schema, schema, &mut vec![])
        {
            cx.reject(format!("tools.{at}.custom.input_schema"), cx.message());
        }
    }
}

/// Whether following the references leads to a cycle.
fn is_cyclic<'v>(root: &'v Value, value: &'v Value, seen: &mut Vec<&'v str>) -> bool {
    match value {
        Value::Object(object) => {
            let reference = str_field(value, "$ref");
            let is_ref_cyclic = !reference.is_empty() && {
                let target = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
                seen.contains(&reference) || reference == "#" || {
                    seen.push(reference);
                    let target_cyclic = target.is_some_and(|target| is_cyclic(root, target, seen));
                    seen.pop();
                    target_cyclic
                }
            };
            let fields =
                object.iter().filter(|(key, _)| !matches!(key.as_str(), "$defs" | "definitions"));
            is_ref_cyclic || fields.into_iter().any(|(_, value)| is_cyclic(root, value, seen))
        }
        Value::Array(list) => list.iter().any(|value| is_cyclic(root, value, seen)),
        _ => false,
    }
}

const UNSUPPORTED_REGEX_FEATURES: &[(&str, &str)] = &[
    ("(?=", "lookahead"),
    ("(?!", "lookahead"),
    ("(?<=", "lookbehind"),
    ("(?<!", "lookbehind"),
    ("\\1", "backreference"),
    ("\\b", "word boundary"),
];
