//! Schemas of tools and of the answer.

use serde_json::Value;

use super::flavor::INVENTOR;
use super::view::bracketed;
use super::words::{Refusal, Words, words};
use crate::rule::{Fields as _, Findings, items, string};
use crate::{Evidence, Request, Rule};

pub(super) const SCHEMA_ROOT: Rule = Rule {
    name: "schema-root",
    status: 400,
    when: "The parameters of a function are no schema of an object; or, where the inventor's checks are copied, a choice of schemas, or a strict answer is none.",
    words: ROOT.lines,
    evidence: Evidence::Seen,
    source: "public code; MiqroForge-Desktop#1165",
    check: schema_root,
};
const ROOT: Words = words! {
    COPIES => "Invalid schema for {what} '{name}': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{found}\"'.",
    &["deepseek"] => "Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"', got 'type: {bare}'.",
    &["moonshot"] => "tools.function.parameters.type is required and must be \"object\"",
    &["choice"] => "Invalid schema for function '{name}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
};

pub(super) const SCHEMA_ARRAY_ITEMS: Rule = Rule {
    name: "schema-array-items",
    status: 400,
    when: "An array in a schema does not say what it holds.",
    words: ARRAY.lines,
    evidence: Evidence::Seen,
    source: "public code",
    check: schema_array_items,
};
const ARRAY: Words = words! {
    COPIES => "Invalid schema for {what} '{name}': In context={context}, array schema missing items.",
};

pub(super) const SCHEMA_STRICT: Rule = Rule {
    name: "schema-strict",
    status: 400,
    when: "A strict schema has an object that is open or has an optional property, or a `$ref` with something beside it, or a keyword that strict schemas do not have.",
    words: STRICT.lines,
    evidence: Evidence::Seen,
    source: "openai-agents-mcp#2; openai SDK lib/_pydantic.py",
    check: schema_strict,
};
const STRICT: Words = words! {
    COPIES => "Invalid schema for {what} '{name}': In context={context}, 'additionalProperties' is required to be supplied and to be false.",
    &["required"] => "Invalid schema for {what} '{name}': In context={context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '{key}'.",
    &["ref"] => "Invalid schema for {what} '{name}': In context={context}, $ref cannot have keywords {keywords}.",
    &["keyword"] => "Invalid schema for {what} '{name}': In context={context}, '{key}' is not permitted.",
};

pub(super) const MOONSHOT_SCHEMA: Rule = Rule {
    name: "moonshot-schema",
    status: 400,
    when: "A schema has a `$ref` with something beside it, or a list of `items`.",
    words: FLAVORED.lines,
    evidence: Evidence::Seen,
    source: "kimi-cli#2061, vercel/ai PR#18921",
    check: moonshot_schema,
};
const FLAVORED: Words = words! {
    &["moonshot"] => "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path '{at}': conflicting keywords found after $ref expansion: {key}>",
    &["items"] => "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path '{at}': items must be an object>",
};

pub(super) const OLLAMA_SCHEMA: Rule = Rule {
    name: "ollama-schema",
    status: 400,
    when: "The properties of a function's parameters are a list, as some languages write an empty object.",
    words: MAPPED.lines,
    evidence: Evidence::Seen,
    source: "ollama#10328",
    check: ollama_schema,
};
const MAPPED: Words = words! {
    &["ollama"] => "json: cannot unmarshal array into Go struct field .tools.function.parameters.properties of type map[string]api.ToolProperty",
};

/// A schema of the request: what it is for, its name, where it stands, whether it is strict.
pub(super) struct Schema<'v> {
    pub(super) what: &'static str,
    name: &'v str,
    pub(super) path: String,
    pub(super) value: &'v Value,
    strict: bool,
}

pub(super) fn schemas<'v>(request: &Request<'v>) -> Vec<Schema<'v>> {
    let strict = |value: &Value| value.field("strict") == Some(&Value::Bool(true));
    let mut schemas = Vec::new();
    let mut add = |function: &'v Value, path: String| {
        let value = function.field("parameters");
        schemas.extend(value.map(|value| Schema {
            what: "function",
            name: string(function, "name"),
            path: format!("{path}.parameters"),
            value,
            strict: strict(function),
        }));
    };
    for (at, tool) in items(request.body, "tools").iter().enumerate() {
        if let Some(function) = tool.field("function") {
            add(function, format!("tools.{at}.function"));
        }
    }
    // The older list, where it is read.
    let older = items(request.body, "functions").iter().enumerate();
    for (at, function) in older.filter(|_| INVENTOR.contains(&request.flavor)) {
        add(function, format!("functions.{at}"));
    }
    let format = request.body.pointer("/response_format/json_schema");
    if let Some((format, value)) = format.and_then(|f| Some((f, f.field("schema")?))) {
        schemas.push(Schema {
            what: "response_format",
            name: string(format, "name"),
            path: "response_format.json_schema.schema".into(),
            value,
            strict: strict(format),
        });
    }
    schemas
}

/// Walks a schema: the node and the steps that lead to it.
pub(super) fn walk<'v>(
    value: &'v Value,
    steps: &mut Vec<String>,
    visit: &mut dyn FnMut(&'v Value, &[String]),
) {
    let Some(node) = value.as_object() else { return };
    visit(value, steps);
    for (key, inner) in node {
        match (key.as_str(), inner) {
            ("properties" | "$defs" | "definitions", Value::Object(map)) => {
                for (name, schema) in map {
                    steps.extend([key.clone(), name.clone()]);
                    walk(schema, steps, visit);
                    steps.truncate(steps.len() - 2);
                }
            }
            ("items" | "additionalProperties" | "not", Value::Object(_)) => {
                steps.push(key.clone());
                walk(inner, steps, visit);
                steps.pop();
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(all)) => {
                for (at, schema) in all.iter().enumerate() {
                    steps.extend([key.clone(), at.to_string()]);
                    walk(schema, steps, visit);
                    steps.truncate(steps.len() - 2);
                }
            }
            _ => {}
        }
    }
}

/// The path of what the steps lead to.
pub(super) fn below(path: &str, steps: &[String]) -> String {
    let mut out = path.to_owned();
    for step in steps {
        out.extend([".", step]);
    }
    out
}

/// The steps as the inventor's server writes a tuple.
fn context(steps: &[String]) -> String {
    let quoted: Vec<_> = steps
        .iter()
        .map(|step| if step.parse::<usize>().is_ok() { step.clone() } else { format!("'{step}'") })
        .collect();
    let comma = if steps.len() == 1 { "," } else { "" };
    format!("({}{comma})", quoted.join(", "))
}

fn schema_root(request: &Request<'_>, findings: &mut Findings) {
    let copies = COPIES.contains(&super::flavor::voice(request));
    for schema in &schemas(request) {
        let function = schema.what == "function";
        let kind = schema.value.field("type").unwrap_or(&Value::Null);
        if kind == "object" && function {
            choice_at_root(request, findings, schema);
        }
        if kind == "object" || !(function || copies && schema.strict) {
            continue;
        }
        let found = kind.as_str().unwrap_or("None");
        let bare = kind.to_string();
        let param = bracketed(&schema.path);
        let refusal = Refusal {
            path: schema.path.clone(),
            fills: &[
                ("what", schema.what),
                ("name", schema.name),
                ("found", found),
                ("bare", &bare),
            ],
            param: Some(&param),
            code: Some("invalid_function_parameters"),
        };
        ROOT.refuse(request, findings, &refusal);
    }
}

fn choice_at_root(request: &Request<'_>, findings: &mut Findings, schema: &Schema<'_>) {
    let chosen = NOT_AT_ROOT.iter().any(|key| schema.value.field(key).is_some());
    let copies = COPIES.contains(&super::flavor::voice(request));
    if let Some(words) = ROOT.by("choice").filter(|_| chosen && copies) {
        let param = bracketed(&schema.path);
        let refusal = Refusal {
            path: schema.path.clone(),
            fills: &[("name", schema.name)],
            param: Some(&param),
            code: Some("invalid_function_parameters"),
        };
        super::words::refuse(words, request, findings, &refusal);
    }
}

fn schema_array_items(request: &Request<'_>, findings: &mut Findings) {
    for schema in schemas(request) {
        walk(schema.value, &mut Vec::new(), &mut |node, steps| {
            let holds = ["items", "prefixItems"].iter().any(|key| node.get(*key).is_some());
            if string(node, "type") == "array" && !holds {
                say(request, findings, &schema, steps, ARRAY.of(request), "");
            }
        });
    }
}

fn schema_strict(request: &Request<'_>, findings: &mut Findings) {
    let Some(open) = STRICT.of(request) else { return };
    for schema in schemas(request).iter().filter(|schema| schema.strict) {
        walk(schema.value, &mut Vec::new(), &mut |node, steps| {
            let mut found = |voice: Option<&str>, key: &str| {
                let words = voice.map_or(Some(open), |voice| STRICT.by(voice));
                say(request, findings, schema, steps, words, key);
            };
            let closed = node.field("additionalProperties") == Some(&Value::Bool(false));
            let object = string(node, "type") == "object" || node.field("properties").is_some();
            if object && !closed {
                found(None, "");
            }
            let required = items(node, "required");
            let properties = node.field("properties").and_then(Value::as_object);
            for key in properties.into_iter().flat_map(|all| all.keys()) {
                if !required.iter().any(|one| one == key.as_str()) {
                    found(Some("required"), key);
                    break;
                }
            }
            let reference = node.field("$ref").is_some();
            let sibling = super::view::keys(node).find(|key| *key != "$ref").filter(|_| reference);
            if let Some(key) = sibling {
                found(Some("ref"), key);
            }
            for key in super::view::keys(node).filter(|key| NOT_STRICT.contains(&key.as_str())) {
                found(Some("keyword"), key);
            }
        });
    }
}

fn say(
    request: &Request<'_>,
    findings: &mut Findings,
    schema: &Schema<'_>,
    steps: &[String],
    words: Option<&str>,
    key: &str,
) {
    let Some(words) = words else { return };
    let (context, keywords) = (context(steps), format!("{{'{key}'}}"));
    let (param, code) = match schema.what {
        "function" => (bracketed(&schema.path), Some("invalid_function_parameters")),
        what => (what.to_owned(), None),
    };
    let refusal = Refusal {
        path: below(&schema.path, steps),
        fills: &[
            ("what", schema.what),
            ("name", schema.name),
            ("context", &context),
            ("key", key),
            ("keywords", &keywords),
        ],
        param: Some(&param),
        code,
    };
    super::words::refuse(words, request, findings, &refusal);
}

fn moonshot_schema(request: &Request<'_>, findings: &mut Findings) {
    let Some(reference) = FLAVORED.of(request) else { return };
    for schema in schemas(request).iter().filter(|schema| schema.what == "function") {
        walk(schema.value, &mut Vec::new(), &mut |node, steps| {
            let mut found = |words: &str, steps: &[String], key: &str| {
                let at = if steps.is_empty() { "root".into() } else { steps.join(".") };
                let refusal = Refusal {
                    path: format!("{}.{at}", schema.path),
                    fills: &[("at", &at), ("key", key)],
                    ..Refusal::default()
                };
                super::words::refuse(words, request, findings, &refusal);
            };
            let sibling = super::view::keys(node).find(|key| *key != "$ref" && *key != "$defs");
            if let Some(key) = sibling.filter(|_| node.field("$ref").is_some()) {
                found(reference, steps, key);
            }
            if node.field("items").is_some_and(Value::is_array) {
                found(FLAVORED.by("items").unwrap_or(reference), steps, "");
            }
        });
    }
}

fn ollama_schema(request: &Request<'_>, findings: &mut Findings) {
    for schema in schemas(request).iter().filter(|schema| schema.what == "function") {
        if schema.value.get("properties").is_some_and(Value::is_array) {
            let path = format!("{}.properties", schema.path);
            MAPPED.refuse(request, findings, &Refusal { path, ..Refusal::default() });
        }
    }
}

/// Who checks the schemas of functions as the inventor does.
const COPIES: &[&str] = &["openai", "azure", "openrouter"];
const NOT_AT_ROOT: &[&str] = &["oneOf", "anyOf", "allOf", "enum", "not"];
const NOT_STRICT: &[&str] =
    &["allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"];
