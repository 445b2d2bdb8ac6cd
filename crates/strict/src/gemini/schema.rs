//! What a schema of the `OpenAPI` subset must say.

use serde_json::Value;

use super::proto::dotted;
use super::tools::{declarations, named};
use super::view::{self, field, many, said, text};
use crate::{Evidence, Findings, Request, Rule};

/// What is wrong with a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    NoProperties,
    NoType,
    NoItems,
    Items,
    Enum,
    Required,
    Format,
}

struct Walk {
    found: Vec<(Wrong, String)>,
}

impl Walk {
    fn add(&mut self, wrong: Wrong, path: String) {
        self.found.push((wrong, path));
    }

    fn schema(&mut self, schema: &Value, path: &str) {
        let kind = text(schema, "type").to_ascii_uppercase();
        let has = |name| field(schema, name).is_some();
        if kind.is_empty() && !has("any_of") && !has("ref") {
            self.add(Wrong::NoType, format!("{path}.type"));
        }
        let properties = field(schema, "properties").and_then(Value::as_object);
        if kind == "OBJECT"
            && properties.is_none_or(serde_json::Map::is_empty)
            && !has("additional_properties")
        {
            self.add(Wrong::NoProperties, format!("{path}.properties"));
        }
        if kind == "ARRAY" && !has("items") {
            self.add(Wrong::NoItems, format!("{path}.items"));
        }
        if !kind.is_empty() && kind != "ARRAY" && has("items") {
            self.add(Wrong::Items, format!("{path}.items"));
        }
        if !matches!(kind.as_str(), "" | "STRING") && !many(schema, "enum").is_empty() {
            self.add(Wrong::Enum, format!("{path}.enum"));
        }
        let format = text(schema, "format");
        if kind == "STRING" && !matches!(format, "" | "enum" | "date-time") {
            self.add(Wrong::Format, format!("{path}.format"));
        }
        for (at, name) in many(schema, "required").iter().enumerate() {
            let defined = |name| properties.is_some_and(|properties| properties.contains_key(name));
            if name.as_str().is_some_and(|name| !defined(name)) {
                self.add(Wrong::Required, format!("{path}.required[{at}]"));
            }
        }
        for (name, value) in properties.into_iter().flatten() {
            self.schema(value, &format!("{path}.properties[{name}]"));
        }
        if let Some(items) = field(schema, "items") {
            self.schema(items, &format!("{path}.items"));
        }
        for (at, value) in many(schema, "any_of").iter().enumerate() {
            self.schema(value, &format!("{path}.any_of[{at}]"));
        }
    }
}

fn walked(request: &Request<'_>) -> Walk {
    let body = view::body(request);
    let mut walk = Walk { found: Vec::new() };
    for declaration in declarations(body) {
        for name in ["parameters", "response"] {
            if let Some(schema) = field(declaration.value, name) {
                walk.schema(schema, &format!("{}.{name}", declaration.path));
            }
        }
    }
    if let Some(schema) = view::within(body, &["generation_config", "response_schema"]) {
        walk.schema(schema, "generation_config.response_schema");
    }
    walk
}

fn report(request: &Request<'_>, findings: &mut Findings, wanted: Wrong) {
    let walk = findings.shared(|| walked(request));
    for (_, path) in walk.found.iter().filter(|(wrong, _)| *wrong == wanted) {
        let words = said(request.flavor, &named(path, words(wanted)));
        findings.add(dotted(path), words);
    }
}

fn words(wrong: Wrong) -> &'static str {
    match wrong {
        Wrong::NoProperties => "should be non-empty for OBJECT type",
        Wrong::NoType => "must be specified when not using one_of, any_of or all_of fields",
        Wrong::NoItems => "missing field.",
        Wrong::Items => "field predicate failed: $type == Type.ARRAY",
        Wrong::Enum => "only allowed for STRING type",
        Wrong::Required => "property is not defined",
        Wrong::Format => "only 'enum' and 'date-time' are supported for STRING type",
    }
}

pub(super) const RULES: [Rule; 7] = [
    Rule {
        name: "schema-without-type",
        status: 400,
        when: "A schema says neither its type nor a choice of schemas.",
        words: "* GenerateContentRequest.{path}.type: must be specified when not using one_of, any_of or all_of fields\nUnable to submit request because * GenerateContentRequest.{path}.type: must be specified when not using one_of, any_of or all_of fields. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "row 11; langchainjs PR#7935, LibreChat#6971; wrapped on Vertex (§7)",
        check: |request, findings| report(request, findings, Wrong::NoType),
    },
    Rule {
        name: "object-without-properties",
        status: 400,
        when: "An object has no properties; a function without arguments has no parameters at all.",
        words: "* GenerateContentRequest.{path}.properties: should be non-empty for OBJECT type\nUnable to submit request because * GenerateContentRequest.{path}.properties: should be non-empty for OBJECT type. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "row 11; langchainjs PR#7935, LibreChat#6971; wrapped on Vertex (§7)",
        check: |request, findings| report(request, findings, Wrong::NoProperties),
    },
    Rule {
        name: "array-without-items",
        status: 400,
        when: "An array does not say what its items are.",
        words: "* GenerateContentRequest.{path}.items: missing field.\nUnable to submit request because * GenerateContentRequest.{path}.items: missing field.. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "row 11; LibreChat#6971, opencode PR#49392; wrapped on Vertex (§7)",
        check: |request, findings| report(request, findings, Wrong::NoItems),
    },
    Rule {
        name: "items-of-no-array",
        status: 400,
        when: "Something that is not an array has items.",
        words: "* GenerateContentRequest.{path}.items: field predicate failed: $type == Type.ARRAY\nUnable to submit request because * GenerateContentRequest.{path}.items: field predicate failed: $type == Type.ARRAY. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "row 11; opencode PR#49392; wrapped on Vertex (§7)",
        check: |request, findings| report(request, findings, Wrong::Items),
    },
    Rule {
        name: "enum-of-no-text",
        status: 400,
        when: "Something that is not a string is an enumeration.",
        words: "* GenerateContentRequest.{path}.enum: only allowed for STRING type\nUnable to submit request because * GenerateContentRequest.{path}.enum: only allowed for STRING type. Learn more: {url}",
        evidence: Evidence::Quoted,
        source: "row 11; public code 70955323287; wrapped on Vertex (§7)",
        check: |request, findings| report(request, findings, Wrong::Enum),
    },
    Rule {
        name: "required-undefined",
        status: 400,
        when: "A required property is not among the properties.",
        words: "* GenerateContentRequest.{path}.required[{n}]: property is not defined\nUnable to submit request because * GenerateContentRequest.{path}.required[{n}]: property is not defined. Learn more: {url}",
        evidence: Evidence::Quoted,
        source: "row 11; public code 70950964275; wrapped on Vertex (§7)",
        check: |request, findings| report(request, findings, Wrong::Required),
    },
    Rule {
        name: "text-format",
        status: 400,
        when: "The format of a string is neither enum nor date-time.",
        words: "* GenerateContentRequest.{path}.format: only 'enum' and 'date-time' are supported for STRING type\nUnable to submit request because * GenerateContentRequest.{path}.format: only 'enum' and 'date-time' are supported for STRING type. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "row 11; gemini-cli#2237, public log 44377253580; wrapped on Vertex (§7)",
        check: |request, findings| report(request, findings, Wrong::Format),
    },
];
