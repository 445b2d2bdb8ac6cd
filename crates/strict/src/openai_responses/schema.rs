//! Schemas of tools and of the answer.

use serde_json::Value;

use super::view::{self, dotted};
use crate::rule::{Fields as _, items, string};
use crate::{Evidence, Findings, Request, Rule};

pub(super) const RULES: [Rule; 3] = [
    Rule {
        name: "schema-root",
        status: 400,
        when: "The parameters of a function, or a strict answer, are no schema of an object, or a choice of schemas.",
        words: "Invalid schema for {what} '{name}': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{type}\"'.\nInvalid schema for {what} '{name}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
        evidence: Evidence::Seen,
        source: "several public repositories",
        check: schema_root,
    },
    Rule {
        name: "schema-array-items",
        status: 400,
        when: "An array in a schema does not say what it holds.",
        words: "Invalid schema for {what} '{name}': In context={context}, array schema missing items.",
        evidence: Evidence::Seen,
        source: "several public repositories",
        check: schema_array_items,
    },
    Rule {
        name: "schema-strict",
        status: 400,
        when: "A strict schema has an object that is open or has an optional property, or a `$ref` with something beside it, or a keyword that strict schemas do not have.",
        words: "Invalid schema for {what} '{name}': In context={context}, 'additionalProperties' is required to be supplied and to be false.\nInvalid schema for {what} '{name}': In context={context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '{key}'.\nInvalid schema for {what} '{name}': context={context}, $ref cannot have keywords {keywords}.\nInvalid schema for {what} '{name}': In context={context}, '{keyword}' is not permitted.",
        evidence: Evidence::Seen,
        source: "openai-agents-mcp#2; live probes of 2026-09; openai SDK lib/_pydantic.py",
        check: schema_strict,
    },
];

/// A schema of the request.
struct Schema<'v> {
    what: &'static str,
    name: &'v str,
    /// With brackets.
    path: String,
    code: &'static str,
    value: &'v Value,
    strict: bool,
}

fn schemas<'v>(request: &Request<'v>) -> Vec<Schema<'v>> {
    let strict = |value: &Value| value.field("strict") == Some(&Value::Bool(true));
    let mut schemas = Vec::new();
    for (path, tool) in view::tools(request.body) {
        let parameters = tool.field("parameters").filter(|value| value.is_object());
        if let Some(value) = parameters.filter(|_| string(tool, "type") == "function") {
            schemas.push(Schema {
                what: "function",
                name: string(tool, "name"),
                path: format!("{path}.parameters"),
                code: "invalid_function_parameters",
                value,
                strict: strict(tool),
            });
        }
    }
    let format = request.body.pointer("/text/format");
    if let Some((format, value)) = format.and_then(|format| Some((format, format.field("schema")?)))
    {
        schemas.push(Schema {
            what: "response_format",
            name: string(format, "name"),
            path: "text.format.schema".to_owned(),
            code: "invalid_json_schema",
            value,
            strict: strict(format),
        });
    }
    schemas
}

impl Schema<'_> {
    fn refuse(&self, findings: &mut Findings, steps: &[String], what: &str) {
        let (kind, name, context) = (self.what, self.name, context(steps));
        // The words about references stand apart from the others.
        let lead = if what.starts_with("$ref") { "" } else { "In " };
        let message =
            format!("Invalid schema for {kind} '{name}': {lead}context={context}, {what}");
        let mut path = dotted(&self.path);
        for step in steps {
            path.push('.');
            path.push_str(step);
        }
        findings.add_with(path, message, Some(&self.path), Some(self.code));
    }
}

fn schema_root(request: &Request<'_>, findings: &mut Findings) {
    for schema in schemas(request) {
        let kind = schema.value.field("type").unwrap_or(&Value::Null);
        let applies = schema.what == "function" || schema.strict;
        if !applies {
            continue;
        }
        if kind == "object" {
            choice_at_root(findings, &schema);
            continue;
        }
        let (what, name, kind) = (schema.what, schema.name, kind.as_str().unwrap_or("None"));
        let message = format!(
            "Invalid schema for {what} '{name}': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{kind}\"'."
        );
        findings.add_with(dotted(&schema.path), message, Some(&schema.path), Some(schema.code));
    }
}

fn choice_at_root(findings: &mut Findings, schema: &Schema<'_>) {
    if NOT_AT_ROOT.iter().any(|key| schema.value.field(key).is_some()) {
        let (what, name) = (schema.what, schema.name);
        let message = format!(
            "Invalid schema for {what} '{name}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
        );
        findings.add_with(dotted(&schema.path), message, Some(&schema.path), Some(schema.code));
    }
}

fn schema_array_items(request: &Request<'_>, findings: &mut Findings) {
    for schema in schemas(request) {
        walk(schema.value, &mut Vec::new(), &mut |node, steps| {
            let holds = ["items", "prefixItems"].iter().any(|key| node.get(*key).is_some());
            if string(node, "type") == "array" && !holds {
                schema.refuse(findings, steps, "array schema missing items.");
            }
        });
    }
}

fn schema_strict(request: &Request<'_>, findings: &mut Findings) {
    for schema in schemas(request).iter().filter(|schema| schema.strict) {
        walk(schema.value, &mut Vec::new(), &mut |node, steps| {
            for what in loose(node) {
                schema.refuse(findings, steps, &what);
            }
        });
    }
}

/// What a strict schema may not have, in one of its objects.
fn loose(node: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let properties = node.field("properties").and_then(Value::as_object);
    let is_object = string(node, "type") == "object" || properties.is_some();
    if is_object && node.field("additionalProperties") != Some(&Value::Bool(false)) {
        found.push("'additionalProperties' is required to be supplied and to be false.".to_owned());
    }
    let required = items(node, "required");
    let mut keys = properties.into_iter().flat_map(serde_json::Map::keys);
    if let Some(key) = keys.find(|key| !required.iter().any(|one| one == key.as_str())) {
        found.push(format!(
            "'required' is required to be supplied and to be an array including every key in properties. Missing '{key}'."
        ));
    }
    let all = node.as_object().into_iter().flat_map(serde_json::Map::keys);
    if node.field("$ref").is_some() {
        let beside: Vec<_> =
            all.clone().filter(|key| *key != "$ref").map(|key| format!("'{key}'")).collect();
        if !beside.is_empty() {
            found.push(format!("$ref cannot have keywords {{{}}}.", beside.join(", ")));
        }
    }
    let refused = all.filter(|key| NOT_STRICT.contains(&key.as_str()));
    found.extend(refused.map(|key| format!("'{key}' is not permitted.")));
    found
}

/// Walks a schema: each node, and the steps that lead to it.
fn walk<'v>(
    value: &'v Value,
    steps: &mut Vec<String>,
    visit: &mut dyn FnMut(&'v Value, &[String]),
) {
    let Some(node) = value.as_object() else { return };
    visit(value, steps);
    for (key, inner) in node {
        let named: Vec<(Option<String>, &Value)> = match (key.as_str(), inner) {
            ("properties" | "$defs" | "definitions", Value::Object(map)) => {
                map.iter().map(|(name, schema)| (Some(name.clone()), schema)).collect()
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(all)) => {
                all.iter().enumerate().map(|(at, schema)| (Some(at.to_string()), schema)).collect()
            }
            ("items" | "additionalProperties" | "not", schema) => vec![(None, schema)],
            _ => continue,
        };
        for (name, schema) in named {
            let before = steps.len();
            steps.push(key.clone());
            steps.extend(name);
            walk(schema, steps, visit);
            steps.truncate(before);
        }
    }
}

/// The steps as the server writes a tuple.
fn context(steps: &[String]) -> String {
    let quoted: Vec<_> = steps.iter().map(|step| format!("'{step}'")).collect();
    let comma = if steps.len() == 1 { "," } else { "" };
    format!("({}{comma})", quoted.join(", "))
}

const NOT_AT_ROOT: &[&str] = &["oneOf", "anyOf", "allOf", "enum", "not"];
const NOT_STRICT: &[&str] =
    &["allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"];
