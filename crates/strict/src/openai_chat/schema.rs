//! Rules about the schemas of tools and response formats.

use serde_json::Value;

use super::error_messages::{ViolationDetails, reject, reject_as, reject_at, standard_message};
use super::provider::{Trait, provider_of};
use super::view::bracket_path;
use crate::Request;
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, array_field, str_field};
use crate::json_schema::first_error;

/// A schema of the request, with its purpose, name and path.
pub(super) struct RequestSchema<'v> {
    pub(super) purpose: &'static str,
    name: &'v str,
    pub(super) path: String,
    pub(super) value: &'v Value,
    is_strict: bool,
}

pub(super) fn request_schemas<'v>(request: &Request<'v>) -> Vec<RequestSchema<'v>> {
    let is_strict = |value: &Value| value.field("strict") == Some(&Value::Bool(true));
    let mut schemas = Vec::new();
    let mut add = |function: &'v Value, path: String| {
        let value = function.field("parameters");
        schemas.extend(value.map(|value| RequestSchema {
            purpose: "function",
            name: str_field(function, "name"),
            path: format!("{path}.parameters"),
            value,
            is_strict: is_strict(function),
        }));
    };
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        if let Some(function) = tool.field("function") {
            add(function, format!("tools.{at}.function"));
        }
    }
    // The deprecated list, only for OpenAI and Azure.
    let functions = array_field(request.body, "functions").iter().enumerate();
    for (at, function) in functions.filter(|_| provider_of(request).has(Trait::FirstParty)) {
        add(function, format!("functions.{at}"));
    }
    let format = request.body.pointer("/response_format/json_schema");
    if let Some((format, value)) = format.and_then(|f| Some((f, f.field("schema")?))) {
        schemas.push(RequestSchema {
            purpose: "response_format",
            name: str_field(format, "name"),
            path: "response_format.json_schema.schema".into(),
            value,
            is_strict: is_strict(format),
        });
    }
    schemas
}

/// Visits a schema and all its subschemas, each with its path segments.
pub(super) fn visit_schemas<'v>(
    value: &'v Value,
    segments: &mut Vec<String>,
    visit: &mut dyn FnMut(&'v Value, &[String]),
) {
    let Some(node) = value.as_object() else { return };
    visit(value, segments);
    for (key, inner) in node {
        match (key.as_str(), inner) {
            ("properties" | "$defs" | "definitions", Value::Object(map)) => {
                for (name, schema) in map {
                    segments.extend([key.clone(), name.clone()]);
                    visit_schemas(schema, segments, visit);
                    segments.truncate(segments.len() - 2);
                }
            }
            ("items" | "additionalProperties" | "not", Value::Object(_)) => {
                segments.push(key.clone());
                visit_schemas(inner, segments, visit);
                segments.pop();
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(all)) => {
                for (at, schema) in all.iter().enumerate() {
                    segments.extend([key.clone(), at.to_string()]);
                    visit_schemas(schema, segments, visit);
                    segments.truncate(segments.len() - 2);
                }
            }
            _ => {}
        }
    }
}

/// Appends segments to a path.
pub(super) fn join_path(path: &str, segments: &[String]) -> String {
    let mut out = path.to_owned();
    for segment in segments {
        out.extend([".", segment]);
    }
    out
}

/// Formats path segments as a Python tuple, as `OpenAI`'s error messages do.
fn format_context(segments: &[String]) -> String {
    let quoted: Vec<_> = segments
        .iter()
        .map(|segment| {
            if segment.parse::<usize>().is_ok() { segment.clone() } else { format!("'{segment}'") }
        })
        .collect();
    let comma = if segments.len() == 1 { "," } else { "" };
    format!("({}{comma})", quoted.join(", "))
}

pub(super) fn schema_root(request: &Request<'_>, cx: &mut CheckContext) {
    let has_openai_checks = has_openai_checks(request);
    for schema in &request_schemas(request) {
        let is_function = schema.purpose == "function";
        let kind = schema.value.field("type").unwrap_or(&Value::Null);
        if kind == "object" && is_function {
            reject_root_choice(request, cx, schema);
        }
        if kind == "object" || !(is_function || has_openai_checks && schema.is_strict) {
            continue;
        }
        let found_type = kind.as_str().unwrap_or("None");
        let type_json = kind.to_string();
        let param = bracket_path(&schema.path);
        let details = ViolationDetails {
            path: schema.path.clone(),
            placeholders: &[
                ("what", schema.purpose),
                ("name", schema.name),
                ("found", found_type),
                ("bare", &type_json),
            ],
            param: Some(&param),
            code: Some("invalid_function_parameters"),
        };
        reject(request, cx, &details);
    }
}

pub(super) fn schema_invalid(request: &Request<'_>, cx: &mut CheckContext) {
    for schema in request_schemas(request).iter().filter(|schema| schema.purpose == "function") {
        let Some(error) = first_error(schema.value) else { continue };
        let param = bracket_path(&schema.path);
        let details = ViolationDetails {
            path: schema.path.clone(),
            placeholders: &[("what", schema.purpose), ("name", schema.name), ("why", &error)],
            param: Some(&param),
            code: Some("invalid_function_parameters"),
        };
        reject(request, cx, &details);
    }
}

fn reject_root_choice(request: &Request<'_>, cx: &mut CheckContext, schema: &RequestSchema<'_>) {
    let has_choice = FORBIDDEN_ROOT_KEYS.iter().any(|key| schema.value.field(key).is_some());
    if has_choice && has_openai_checks(request) {
        let param = bracket_path(&schema.path);
        let details = ViolationDetails {
            path: schema.path.clone(),
            placeholders: &[("name", schema.name)],
            param: Some(&param),
            code: Some("invalid_function_parameters"),
        };
        reject_as(cx.case("choice"), request, cx, &details);
    }
}

/// Whether function schemas get `OpenAI`'s checks.
fn has_openai_checks(request: &Request<'_>) -> bool {
    provider_of(request).has_rule("schema-strict")
}

pub(super) fn schema_array_items(request: &Request<'_>, cx: &mut CheckContext) {
    for schema in request_schemas(request) {
        visit_schemas(schema.value, &mut Vec::new(), &mut |node, segments| {
            let has_items = ["items", "prefixItems"].iter().any(|key| node.get(*key).is_some());
            if str_field(node, "type") == "array" && !has_items {
                reject_schema(request, cx, &schema, segments, None, "");
            }
        });
    }
}

pub(super) fn schema_strict(request: &Request<'_>, cx: &mut CheckContext) {
    for schema in request_schemas(request).iter().filter(|schema| schema.is_strict) {
        visit_schemas(schema.value, &mut Vec::new(), &mut |node, segments| {
            let mut reject = |case: Option<&str>, key: &str| {
                reject_schema(request, cx, schema, segments, case, key);
            };
            let is_closed = node.field("additionalProperties") == Some(&Value::Bool(false));
            let is_object =
                str_field(node, "type") == "object" || node.field("properties").is_some();
            if is_object && !is_closed {
                reject(None, "");
            }
            let required = array_field(node, "required");
            let properties = node.field("properties").and_then(Value::as_object);
            for key in properties.into_iter().flat_map(|all| all.keys()) {
                if !required.iter().any(|name| name == key.as_str()) {
                    reject(Some("required"), key);
                    break;
                }
            }
            let has_ref = node.field("$ref").is_some();
            let sibling =
                super::view::object_keys(node).find(|key| *key != "$ref").filter(|_| has_ref);
            if let Some(key) = sibling {
                reject(Some("ref"), key);
            }
            for key in super::view::object_keys(node)
                .filter(|key| FORBIDDEN_STRICT_KEYS.contains(&key.as_str()))
            {
                reject(Some("keyword"), key);
            }
        });
    }
}

fn reject_schema(
    request: &Request<'_>,
    cx: &mut CheckContext,
    schema: &RequestSchema<'_>,
    segments: &[String],
    case: Option<&str>,
    key: &str,
) {
    let template = case.map_or_else(|| standard_message(request, cx), |case| cx.case(case));
    let (context, keywords) = (format_context(segments), format!("{{'{key}'}}"));
    let (param, code) = match schema.purpose {
        "function" => (bracket_path(&schema.path), Some("invalid_function_parameters")),
        purpose => (purpose.to_owned(), None),
    };
    let details = ViolationDetails {
        path: join_path(&schema.path, segments),
        placeholders: &[
            ("what", schema.purpose),
            ("name", schema.name),
            ("context", &context),
            ("key", key),
            ("keywords", &keywords),
        ],
        param: Some(&param),
        code,
    };
    reject_as(template, request, cx, &details);
}

pub(super) fn moonshot_schema(request: &Request<'_>, cx: &mut CheckContext) {
    let (ref_template, items_template) = (standard_message(request, cx), cx.case("items"));
    for schema in request_schemas(request).iter().filter(|schema| schema.purpose == "function") {
        visit_schemas(schema.value, &mut Vec::new(), &mut |node, segments| {
            let mut reject = |template: &str, segments: &[String], key: &str| {
                let at = if segments.is_empty() { "root".into() } else { segments.join(".") };
                let details = ViolationDetails {
                    path: format!("{}.{at}", schema.path),
                    placeholders: &[("at", &at), ("key", key)],
                    ..ViolationDetails::default()
                };
                reject_as(template, request, cx, &details);
            };
            let sibling =
                super::view::object_keys(node).find(|key| *key != "$ref" && *key != "$defs");
            if let Some(key) = sibling.filter(|_| node.field("$ref").is_some()) {
                reject(ref_template, segments, key);
            }
            if node.field("items").is_some_and(Value::is_array) {
                reject(items_template, segments, "");
            }
        });
    }
}

pub(super) fn ollama_schema(request: &Request<'_>, cx: &mut CheckContext) {
    for schema in request_schemas(request).iter().filter(|schema| schema.purpose == "function") {
        if schema.value.get("properties").is_some_and(Value::is_array) {
            let path = format!("{}.properties", schema.path);
            reject_at(request, cx, path);
        }
    }
}

const FORBIDDEN_ROOT_KEYS: &[&str] = &["oneOf", "anyOf", "allOf", "enum", "not"];
const FORBIDDEN_STRICT_KEYS: &[&str] =
    &["allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"];
