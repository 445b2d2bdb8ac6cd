//! The schemas of tools.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::tools::custom;
use crate::rule::{Fields as _, items, string};
use crate::{Evidence, Findings, Request, Rule};

type Object = Map<String, Value>;

/// The schemas with the path of the complaint.
fn schemas<'v>(request: &Request<'v>) -> impl Iterator<Item = (String, &'v Value)> {
    let path = |at| format!("tools.{at}.custom.input_schema");
    custom(request.body).filter_map(move |(at, tool)| {
        tool.field("input_schema")
            .filter(|schema| schema.is_object())
            .map(|schema| (path(at), schema))
    })
}

fn root_type(request: &Request<'_>, findings: &mut Findings) {
    for (path, schema) in schemas(request) {
        let path = format!("{path}.type");
        match schema.field("type") {
            None => findings.add(&*path, format!("{path}: Field required")),
            Some(kind) if kind != "object" => {
                findings.add(&*path, format!("{path}: Input should be 'object'"));
            }
            Some(_) => {}
        }
    }
}

fn root_choice(request: &Request<'_>, findings: &mut Findings) {
    for (path, schema) in schemas(request) {
        if ["oneOf", "allOf", "anyOf"].iter().any(|key| schema.field(key).is_some()) {
            let words = format!(
                "{path}: input_schema does not support oneOf, allOf, or anyOf at the top level"
            );
            findings.add(path, words);
        }
    }
}

/// Only the names at the root are looked at.
fn property_names(request: &Request<'_>, findings: &mut Findings) {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let fits = |name: &String| (1..=64).contains(&name.len()) && name.chars().all(plain);
    for (path, schema) in schemas(request) {
        let properties = schema.field("properties").and_then(Value::as_object);
        if properties.is_some_and(|properties| !properties.keys().all(fits)) {
            let path = format!("{path}.properties");
            let words =
                format!("{path}: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$'");
            findings.add(path, words);
        }
    }
}

fn invalid(request: &Request<'_>, findings: &mut Findings) {
    for (path, schema) in schemas(request) {
        if !is_valid(schema) {
            let words = format!("{path}: {INVALID}");
            findings.add(path, words);
        }
    }
}

/// Whether it is a schema of draft 2020-12, as far as its keywords' own types say.
fn is_valid(schema: &Value) -> bool {
    match schema {
        Value::Bool(_) => true,
        Value::Object(object) => object.iter().all(|(key, value)| is_valid_keyword(key, value)),
        _ => false,
    }
}

fn is_valid_keyword(key: &str, value: &Value) -> bool {
    match key {
        "type" => match value {
            Value::String(name) => TYPES.contains(&&**name),
            Value::Array(names) => {
                let known = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
                !names.is_empty() && names.iter().all(known) && are_unique(names)
            }
            _ => false,
        },
        "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => {
            value.as_object().is_some_and(|object| object.values().all(is_valid))
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
        | "unevaluatedItems" => is_valid(value),
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
            value.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(is_valid))
        }
        "required" => value
            .as_array()
            .is_some_and(|names| names.iter().all(Value::is_string) && are_unique(names)),
        "enum" => value.is_array(),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            value.is_number()
        }
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            value.as_f64().is_some_and(|count| count >= 0.0 && count.fract() == 0.0)
        }
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => value.is_boolean(),
        "title" | "description" | "pattern" | "format" | "$ref" | "$id" | "$schema" => {
            value.is_string()
        }
        _ => true,
    }
}

fn are_unique(list: &[Value]) -> bool {
    let mut seen = BTreeSet::new();
    list.iter().all(|value| seen.insert(value.as_str()))
}

/// Every object inside a schema that is itself a schema, the root first.
fn each<'v>(schema: &'v Value, visit: &mut dyn FnMut(&'v Object)) {
    let Some(object) = schema.as_object() else { return };
    visit(object);
    for (key, value) in object {
        match key.as_str() {
            "properties" | "$defs" | "definitions" | "patternProperties" => {
                value.as_object().into_iter().flatten().for_each(|(_, value)| each(value, visit));
            }
            "items" | "additionalProperties" | "not" | "contains" => each(value, visit),
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                value.as_array().into_iter().flatten().for_each(|value| each(value, visit));
            }
            _ => {}
        }
    }
}

fn strict<'v>(request: &Request<'v>) -> impl Iterator<Item = (usize, &'v Value)> {
    custom(request.body).filter(|(_, tool)| tool.field("strict") == Some(&Value::Bool(true)))
}

fn open_objects(request: &Request<'_>, findings: &mut Findings) {
    for (at, tool) in strict(request) {
        let mut open = false;
        each(&tool["input_schema"], &mut |schema| {
            let is_object = schema.field("type").is_some_and(|kind| kind == "object");
            open |= is_object && schema.field("additionalProperties") != Some(&Value::Bool(false));
        });
        if open {
            let path = format!("tools.{at}.custom");
            let words = format!(
                "{path}: For 'object' type, 'additionalProperties' must be explicitly set to false"
            );
            findings.add(path, words);
        }
    }
}

fn patterns(request: &Request<'_>, findings: &mut Findings) {
    for (at, tool) in strict(request) {
        each(&tool["input_schema"], &mut |schema| {
            let pattern = schema.field("pattern").and_then(Value::as_str).unwrap_or_default();
            let feature = FEATURES.iter().find(|(mark, _)| pattern.contains(mark));
            if let Some((_, name)) = feature {
                let words = format!("Unsupported regex feature in pattern field: {name}");
                findings.add(format!("tools.{at}.custom.input_schema"), words);
            }
        });
    }
}

fn complex(request: &Request<'_>, findings: &mut Findings) {
    let mut optional = 0;
    for (_, tool) in strict(request) {
        each(&tool["input_schema"], &mut |schema| {
            let names = schema.field("properties").and_then(Value::as_object).map_or(0, Map::len);
            let required = schema.field("required").and_then(Value::as_array).map_or(0, Vec::len);
            optional += names.saturating_sub(required);
        });
    }
    if strict(request).count() > 20 || optional > 24 {
        findings.add("tools", COMPLEX);
    }
}

fn circular(request: &Request<'_>, findings: &mut Findings) {
    for (at, tool) in custom(request.body) {
        let by_code =
            |caller: &Value| caller.as_str().is_some_and(|name| name.starts_with("code_"));
        let schema = &tool["input_schema"];
        if items(tool, "allowed_callers").iter().any(by_code) && turns(schema, schema, &mut vec![])
        {
            findings.add(format!("tools.{at}.custom.input_schema"), CIRCULAR);
        }
    }
}

/// Whether following the references comes back to where it has been.
fn turns<'v>(root: &'v Value, value: &'v Value, seen: &mut Vec<&'v str>) -> bool {
    match value {
        Value::Object(object) => {
            let reference = string(value, "$ref");
            let around = !reference.is_empty() && {
                let found = reference.strip_prefix('#').and_then(|place| root.pointer(place));
                seen.contains(&reference) || reference == "#" || {
                    seen.push(reference);
                    let turns = found.is_some_and(|found| turns(root, found, seen));
                    seen.pop();
                    turns
                }
            };
            let inside =
                object.iter().filter(|(key, _)| !matches!(key.as_str(), "$defs" | "definitions"));
            around || inside.into_iter().any(|(_, value)| turns(root, value, seen))
        }
        Value::Array(list) => list.iter().any(|value| turns(root, value, seen)),
        _ => false,
    }
}

const TYPES: &[&str] = &["array", "boolean", "integer", "null", "number", "object", "string"];
const FEATURES: &[(&str, &str)] = &[
    ("(?=", "lookahead"),
    ("(?!", "lookahead"),
    ("(?<=", "lookbehind"),
    ("(?<!", "lookbehind"),
    ("\\1", "backreference"),
    ("\\b", "word boundary"),
];

const INVALID: &str = "JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.";
const COMPLEX: &str = "Schema is too complex for compilation.";
const CIRCULAR: &str = "Circular $ref detected";

pub(super) const RULES: [Rule; 8] = [
    Rule {
        name: "schema-root-type",
        status: 400,
        when: "The root of a tool's schema does not say that it is an object.",
        words: "tools.{n}.custom.input_schema.type: Field required\ntools.{n}.custom.input_schema.type: Input should be 'object'",
        evidence: Evidence::Inferred,
        source: "C7; an emulator",
        check: root_type,
    },
    Rule {
        name: "schema-root-choice",
        status: 400,
        when: "The root of a tool's schema is a choice.",
        words: "tools.{n}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
        evidence: Evidence::Seen,
        source: "C8; public code 57920672104 and many more",
        check: root_choice,
    },
    Rule {
        name: "schema-invalid",
        status: 400,
        when: "A tool's schema is not of draft 2020-12, such as a list of items or a boolean exclusiveMinimum.",
        words: "tools.{n}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.",
        evidence: Evidence::Seen,
        source: "C9; public code 54696885469",
        check: invalid,
    },
    Rule {
        name: "property-name",
        status: 400,
        when: "A property at the root of a tool's schema has other characters in its name, or more than 64.",
        words: "tools.{n}.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
        evidence: Evidence::Seen,
        source: "https://github.com/anthropics/claude-code/issues/79418; only at the root: https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/709",
        check: property_names,
    },
    Rule {
        name: "strict-open-object",
        status: 400,
        when: "A strict tool's schema has an object that is not closed.",
        words: "tools.{n}.custom: For 'object' type, 'additionalProperties' must be explicitly set to false",
        evidence: Evidence::Seen,
        source: "C10; live probe 58022668595",
        check: open_objects,
    },
    Rule {
        name: "strict-pattern",
        status: 400,
        when: "A strict tool's schema has a pattern that looks ahead, behind or back.",
        words: "Unsupported regex feature in pattern field: {feature}",
        evidence: Evidence::Documented,
        source: "C11; documentation of structured outputs, the names of the features are ours",
        check: patterns,
    },
    Rule {
        name: "strict-too-complex",
        status: 400,
        when: "There are more than 20 strict tools, or more than 24 optional parameters in them.",
        words: COMPLEX,
        evidence: Evidence::Documented,
        source: "C11; documentation of structured outputs",
        check: complex,
    },
    Rule {
        name: "circular-schema",
        status: 400,
        when: "The schema of a tool that code may call refers to itself.",
        words: CIRCULAR,
        evidence: Evidence::Documented,
        source: "C14; documentation of programmatic tool calling",
        check: circular,
    },
];
