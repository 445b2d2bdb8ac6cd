//! The first violation of JSON Schema draft 2020-12, in the words of Python's `jsonschema`.

use std::collections::BTreeSet;

use serde_json::Value;

/// Judged by the types of the keywords; `None` if the schema is valid.
pub(crate) fn first_error(schema: &Value) -> Option<String> {
    match schema {
        Value::Bool(_) => None,
        Value::Object(object) => object.iter().find_map(|(key, value)| keyword_error(key, value)),
        other => Some(format!("{} is not of type 'object', 'boolean'", python_repr(other))),
    }
}

fn keyword_error(key: &str, value: &Value) -> Option<String> {
    let needs = |is_valid: bool, kind: &str| {
        (!is_valid).then(|| format!("{} is not of type '{kind}'", python_repr(value)))
    };
    match key {
        "type" => (!is_type(value))
            .then(|| format!("{} is not valid under any of the given schemas", python_repr(value))),
        "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => {
            let Some(map) = value.as_object() else { return needs(false, "object") };
            map.values().find_map(first_error)
        }
        "items"
        | "additionalProperties"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedProperties"
        | "unevaluatedItems" => first_error(value),
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => match value.as_array() {
            None => needs(false, "array"),
            Some(list) if list.is_empty() => Some("[] should be non-empty".into()),
            Some(list) => list.iter().find_map(first_error),
        },
        "required" => {
            let Some(names) = value.as_array() else { return needs(false, "array") };
            let other = names.iter().find(|name| !name.is_string());
            other.map(|other| format!("{} is not of type 'string'", python_repr(other))).or_else(
                || {
                    (!are_unique(names))
                        .then(|| format!("{} has non-unique elements", python_repr(value)))
                },
            )
        }
        "enum" => needs(value.is_array(), "array"),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            needs(value.is_number(), "number")
        }
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            let count = value.as_f64().filter(|count| count.fract() == 0.0);
            needs(count.is_some(), "integer").or_else(|| {
                count
                    .filter(|count| *count < 0.0)
                    .map(|_| format!("{value} is less than the minimum of 0"))
            })
        }
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => {
            needs(value.is_boolean(), "boolean")
        }
        "title" | "description" | "pattern" | "format" | "$ref" | "$id" | "$schema" => {
            needs(value.is_string(), "string")
        }
        _ => None,
    }
}

fn is_type(value: &Value) -> bool {
    let is_known = |name: &Value| name.as_str().is_some_and(|name| JSON_TYPES.contains(&name));
    match value {
        Value::Array(names) => !names.is_empty() && names.iter().all(is_known) && are_unique(names),
        name => is_known(name),
    }
}

fn are_unique(list: &[Value]) -> bool {
    let mut seen = BTreeSet::new();
    list.iter().all(|value| seen.insert(value.as_str()))
}

/// As Python prints a value, with strings in single quotes.
fn python_repr(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("'{text}'"),
        Value::Array(list) => {
            format!("[{}]", list.iter().map(python_repr).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| format!("'{key}': {}", python_repr(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

const JSON_TYPES: &[&str] = &["string", "number", "integer", "boolean", "object", "array", "null"];
