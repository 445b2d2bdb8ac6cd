//! Rules about the schemas of tools and text formats.

use serde_json::Value;

use super::view::{self, dotted_path};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::json_schema::first_error;
use crate::messages::fill_template;
use crate::{CheckContext, Request};

/// A schema of the request, with its purpose, name and path.
struct RequestSchema<'v> {
    purpose: &'static str,
    name: &'v str,
    /// The path with brackets.
    path: String,
    code: &'static str,
    value: &'v Value,
    is_strict: bool,
}

fn request_schemas<'v>(request: &Request<'v>) -> Vec<RequestSchema<'v>> {
    let is_strict = |value: &Value| value.field("strict") == Some(&Value::Bool(true));
    let mut schemas = Vec::new();
    for (path, tool) in view::all_tools(request.body) {
        let parameters = tool.field("parameters").filter(|value| value.is_object());
        if let Some(value) = parameters.filter(|_| str_field(tool, "type") == "function") {
            schemas.push(RequestSchema {
                purpose: "function",
                name: str_field(tool, "name"),
                path: format!("{path}.parameters"),
                code: "invalid_function_parameters",
                value,
                is_strict: is_strict(tool),
            });
        }
    }
    let format = request.body.pointer("/text/format");
    if let Some((format, value)) = format.and_then(|format| Some((format, format.field("schema")?)))
    {
        schemas.push(RequestSchema {
            purpose: "response_format",
            name: str_field(format, "name"),
            path: "text.format.schema".to_owned(),
            code: "invalid_json_schema",
            value,
            is_strict: is_strict(format),
        });
    }
    schemas
}

impl RequestSchema<'_> {
    fn reject(&self, cx: &mut CheckContext, segments: &[String], error: &str) {
        let (kind, name, context) = (self.purpose, self.name, format_context(segments));
        // The error message about references has no "In".
        let preposition = if error.starts_with("$ref") { "" } else { "In " };
        let message =
            format!("Invalid schema for {kind} '{name}': {preposition}context={context}, {error}");
        let mut path = dotted_path(&self.path);
        for segment in segments {
            path.push('.');
            path.push_str(segment);
        }
        cx.reject_with(path, message, Some(&self.path), Some(self.code));
    }
}

pub(super) fn schema_root(request: &Request<'_>, cx: &mut CheckContext) {
    for schema in request_schemas(request) {
        let kind = schema.value.field("type").unwrap_or(&Value::Null);
        let is_checked = schema.purpose == "function" || schema.is_strict;
        if !is_checked {
            continue;
        }
        if kind == "object" {
            reject_root_choice(cx, &schema);
            continue;
        }
        let (purpose, name, kind) = (schema.purpose, schema.name, kind.as_str().unwrap_or("None"));
        let message = format!(
            "Invalid schema for {purpose} '{name}': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{kind}\"'."
        );
        cx.reject_with(dotted_path(&schema.path), message, Some(&schema.path), Some(schema.code));
    }
}

pub(super) fn schema_invalid(request: &Request<'_>, cx: &mut CheckContext) {
    for schema in request_schemas(request).iter().filter(|schema| schema.purpose == "function") {
        if let Some(error) = first_error(schema.value) {
            let name = schema.name;
            let path = dotted_path(&schema.path);
            let message = fill_template(cx.message(), &[("name", name), ("why", &error)]);
            cx.reject_with(path, message, Some(&schema.path), Some(schema.code));
        }
    }
}

fn reject_root_choice(cx: &mut CheckContext, schema: &RequestSchema<'_>) {
    if FORBIDDEN_ROOT_KEYS.iter().any(|key| schema.value.field(key).is_some()) {
        let (purpose, name) = (schema.purpose, schema.name);
        let message = format!(
            "Invalid schema for {purpose} '{name}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
        );
        cx.reject_with(dotted_path(&schema.path), message, Some(&schema.path), Some(schema.code));
    }
}

pub(super) fn schema_array_items(request: &Request<'_>, cx: &mut CheckContext) {
    for schema in request_schemas(request) {
        visit_schemas(schema.value, &mut Vec::new(), &mut |node, segments| {
            let has_items = ["items", "prefixItems"].iter().any(|key| node.get(*key).is_some());
            if str_field(node, "type") == "array" && !has_items {
                schema.reject(cx, segments, "array schema missing items.");
            }
        });
    }
}

pub(super) fn schema_strict(request: &Request<'_>, cx: &mut CheckContext) {
    for schema in request_schemas(request).iter().filter(|schema| schema.is_strict) {
        visit_schemas(schema.value, &mut Vec::new(), &mut |node, segments| {
            for error in strictness_errors(node) {
                schema.reject(cx, segments, &error);
            }
        });
    }
}

/// Violations of strict schemas by one node.
fn strictness_errors(node: &Value) -> Vec<String> {
    let mut errors = Vec::new();
    let properties = node.field("properties").and_then(Value::as_object);
    let is_object = str_field(node, "type") == "object" || properties.is_some();
    if is_object && node.field("additionalProperties") != Some(&Value::Bool(false)) {
        errors
            .push("'additionalProperties' is required to be supplied and to be false.".to_owned());
    }
    let required = array_field(node, "required");
    let mut property_names = properties.into_iter().flat_map(serde_json::Map::keys);
    if let Some(key) = property_names.find(|key| !required.iter().any(|name| name == key.as_str()))
    {
        errors.push(format!(
            "'required' is required to be supplied and to be an array including every key in properties. Missing '{key}'."
        ));
    }
    let all_keys = node.as_object().into_iter().flat_map(serde_json::Map::keys);
    if node.field("$ref").is_some() {
        let siblings: Vec<_> =
            all_keys.clone().filter(|key| *key != "$ref").map(|key| format!("'{key}'")).collect();
        if !siblings.is_empty() {
            errors.push(format!("$ref cannot have keywords {{{}}}.", siblings.join(", ")));
        }
    }
    let rejected = all_keys.filter(|key| FORBIDDEN_STRICT_KEYS.contains(&key.as_str()));
    errors.extend(rejected.map(|key| format!("'{key}' is not permitted.")));
    errors
}

/// Visits a schema and all its subschemas, each with its path segments.
fn visit_schemas<'v>(
    value: &'v Value,
    segments: &mut Vec<String>,
    visit: &mut dyn FnMut(&'v Value, &[String]),
) {
    let Some(node) = value.as_object() else { return };
    visit(value, segments);
    for (key, inner) in node {
        let subschemas: Vec<(Option<String>, &Value)> = match (key.as_str(), inner) {
            ("properties" | "$defs" | "definitions", Value::Object(map)) => {
                map.iter().map(|(name, schema)| (Some(name.clone()), schema)).collect()
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(all)) => {
                all.iter().enumerate().map(|(at, schema)| (Some(at.to_string()), schema)).collect()
            }
            ("items" | "additionalProperties" | "not", schema) => vec![(None, schema)],
            _ => continue,
        };
        for (name, schema) in subschemas {
            let len = segments.len();
            segments.push(key.clone());
            segments.extend(name);
            visit_schemas(schema, segments, visit);
            segments.truncate(len);
        }
    }
}

/// Formats path segments as a Python tuple, as the server's error messages do.
fn format_context(segments: &[String]) -> String {
    let quoted: Vec<_> = segments.iter().map(|segment| format!("'{segment}'")).collect();
    let comma = if segments.len() == 1 { "," } else { "" };
    format!("({}{comma})", quoted.join(", "))
}

const FORBIDDEN_ROOT_KEYS: &[&str] = &["oneOf", "anyOf", "allOf", "enum", "not"];
const FORBIDDEN_STRICT_KEYS: &[&str] =
    &["allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"];
