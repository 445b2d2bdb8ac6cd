//! Rules of Gemini's OpenAI-compatible endpoint: unknown parameters and schema keywords.

use serde_json::Value;

use super::error_messages::{ViolationDetails, reject, reject_as, standard_message};
use super::params::non_null_param;
use super::schema::{join_path, request_schemas, visit_schemas};
use super::view::object_keys;
use crate::Request;
use crate::check_context::CheckContext;
use crate::json::JsonExt as _;

pub(super) fn gemini_compat_parameter(request: &Request<'_>, cx: &mut CheckContext) {
    for name in ["frequency_penalty", "seed", "random_seed"] {
        if non_null_param(request, name).is_some() {
            let placeholders = [("name", name)];
            let details = ViolationDetails {
                path: name.into(),
                placeholders: &placeholders,
                ..ViolationDetails::default()
            };
            reject(request, cx, &details);
        }
    }
}

pub(super) fn gemini_compat_schema_key(request: &Request<'_>, cx: &mut CheckContext) {
    let functions =
        request_schemas(request).into_iter().filter(|schema| schema.purpose == "function");
    for (at, schema) in functions.enumerate() {
        let root = format!("tools[0].function_declarations[{at}].parameters");
        visit_schemas(schema.value, &mut Vec::new(), &mut |node, segments| {
            for key in object_keys(node) {
                let is_list = key == "type" && node.field(key).is_some_and(Value::is_array);
                let template = match key.as_str() {
                    _ if is_list => cx.case("list"),
                    key if UNSUPPORTED_SCHEMA_KEYS.contains(&key) => standard_message(request, cx),
                    _ => continue,
                };
                let location = format!("{root}{}", proto_path(schema.value, segments));
                let details = ViolationDetails {
                    path: format!("{}.{key}", join_path(&schema.path, segments)),
                    placeholders: &[("key", key), ("at", &location)],
                    ..ViolationDetails::default()
                };
                reject_as(template, request, cx, &details);
            }
        });
    }
}

/// Formats path segments as a protobuf path, in which a map is a list of pairs.
fn proto_path(root: &Value, segments: &[String]) -> String {
    let (mut out, mut node, mut in_map) = (String::new(), root, false);
    for segment in segments {
        if in_map {
            let at = object_keys(node).position(|key| key == segment).unwrap_or_default();
            out.extend(["[", &at.to_string(), "].value"]);
            in_map = false;
        } else if segment.parse::<usize>().is_ok() && node.is_array() {
            out.extend(["[", segment, "]"]);
        } else {
            out.extend([".", to_snake_case(segment)]);
            in_map = segment == "properties";
        }
        let index = segment.parse::<usize>().ok();
        node = node.get(segment).or_else(|| node.get(index?)).unwrap_or(&Value::Null);
    }
    out
}

fn to_snake_case(name: &str) -> &str {
    if name == "anyOf" { "any_of" } else { name }
}

/// Keywords that the API's schemas do not have; "unknown keys are hard 400".
const UNSUPPORTED_SCHEMA_KEYS: &[&str] = &[
    "$schema",
    "$id",
    "$ref",
    "$defs",
    "definitions",
    "additionalProperties",
    "propertyNames",
    "patternProperties",
    "const",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "prefixItems",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "examples",
    "readOnly",
    "contentMediaType",
];
