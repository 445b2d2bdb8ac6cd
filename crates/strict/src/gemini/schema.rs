//! Rules about schemas of the `OpenAPI` subset.

use serde_json::Value;

use super::proto::dotted_path;
use super::tools::{declarations, with_field_path};
use super::view::{self, field, flavored_message, repeated_field, str_field};
use crate::{CheckContext, Evidence, Request, Rule};

/// The kind of error in a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SchemaError {
    NoProperties,
    NoType,
    NoItems,
    UnexpectedItems,
    EnumOfNonString,
    UndefinedRequired,
    UnsupportedFormat,
}

struct SchemaChecker {
    errors: Vec<(SchemaError, String)>,
}

impl SchemaChecker {
    fn push_error(&mut self, error: SchemaError, path: String) {
        self.errors.push((error, path));
    }

    fn check_schema(&mut self, schema: &Value, path: &str) {
        let kind = str_field(schema, "type").to_ascii_uppercase();
        let has_field = |name| field(schema, name).is_some();
        if kind.is_empty() && !has_field("any_of") && !has_field("ref") {
            self.push_error(SchemaError::NoType, format!("{path}.type"));
        }
        let properties = field(schema, "properties").and_then(Value::as_object);
        if kind == "OBJECT"
            && properties.is_none_or(serde_json::Map::is_empty)
            && !has_field("additional_properties")
        {
            self.push_error(SchemaError::NoProperties, format!("{path}.properties"));
        }
        if kind == "ARRAY" && !has_field("items") {
            self.push_error(SchemaError::NoItems, format!("{path}.items"));
        }
        if !kind.is_empty() && kind != "ARRAY" && has_field("items") {
            self.push_error(SchemaError::UnexpectedItems, format!("{path}.items"));
        }
        if !matches!(kind.as_str(), "" | "STRING") && !repeated_field(schema, "enum").is_empty() {
            self.push_error(SchemaError::EnumOfNonString, format!("{path}.enum"));
        }
        let format = str_field(schema, "format");
        if kind == "STRING" && !matches!(format, "" | "enum" | "date-time") {
            self.push_error(SchemaError::UnsupportedFormat, format!("{path}.format"));
        }
        for (at, name) in repeated_field(schema, "required").iter().enumerate() {
            let is_defined =
                |name| properties.is_some_and(|properties| properties.contains_key(name));
            if name.as_str().is_some_and(|name| !is_defined(name)) {
                self.push_error(SchemaError::UndefinedRequired, format!("{path}.required[{at}]"));
            }
        }
        for (name, value) in properties.into_iter().flatten() {
            self.check_schema(value, &format!("{path}.properties[{name}]"));
        }
        if let Some(items) = field(schema, "items") {
            self.check_schema(items, &format!("{path}.items"));
        }
        for (at, value) in repeated_field(schema, "any_of").iter().enumerate() {
            self.check_schema(value, &format!("{path}.any_of[{at}]"));
        }
    }
}

fn check_all_schemas(request: &Request<'_>) -> SchemaChecker {
    let body = view::generate_request(request);
    let mut checker = SchemaChecker { errors: Vec::new() };
    for declaration in declarations(body) {
        for name in ["parameters", "response"] {
            if let Some(schema) = field(declaration.value, name) {
                checker.check_schema(schema, &format!("{}.{name}", declaration.path));
            }
        }
    }
    if let Some(schema) = view::nested_field(body, &["generation_config", "response_schema"]) {
        checker.check_schema(schema, "generation_config.response_schema");
    }
    checker
}

fn report_schema_errors(request: &Request<'_>, cx: &mut CheckContext, reported: SchemaError) {
    let checker = cx.memoized(|| check_all_schemas(request));
    for (_, path) in checker.errors.iter().filter(|(error, _)| *error == reported) {
        let message =
            flavored_message(request.flavor, &with_field_path(path, error_message(reported)));
        cx.reject(dotted_path(path), message);
    }
}

fn error_message(error: SchemaError) -> &'static str {
    match error {
        SchemaError::NoProperties => "should be non-empty for OBJECT type",
        SchemaError::NoType => "must be specified when not using one_of, any_of or all_of fields",
        SchemaError::NoItems => "missing field.",
        SchemaError::UnexpectedItems => "field predicate failed: $type == Type.ARRAY",
        SchemaError::EnumOfNonString => "only allowed for STRING type",
        SchemaError::UndefinedRequired => "property is not defined",
        SchemaError::UnsupportedFormat => {
            "only 'enum' and 'date-time' are supported for STRING type"
        }
    }
}

pub(super) const RULES: [Rule; 7] = [
    Rule {
        name: "schema-without-type",
        status: 400,
        condition: "A schema has neither a type nor anyOf.",
        error_message: "* GenerateContentRequest.{path}.type: must be specified when not using one_of, any_of or all_of fields\nUnable to submit request because * GenerateContentRequest.{path}.type: must be specified when not using one_of, any_of or all_of fields. Learn more: {url}",
        evidence: Evidence::Observed,
        source: "row 11; langchainjs PR#7935, LibreChat#6971; wrapped on Vertex (§7)",
        check: |request, cx| report_schema_errors(request, cx, SchemaError::NoType),
    },
    Rule {
        name: "object-without-properties",
        status: 400,
        condition: "An object has no properties; a function without arguments must omit its parameters.",
        error_message: "* GenerateContentRequest.{path}.properties: should be non-empty for OBJECT type\nUnable to submit request because * GenerateContentRequest.{path}.properties: should be non-empty for OBJECT type. Learn more: {url}",
        evidence: Evidence::Observed,
        source: "row 11; langchainjs PR#7935, LibreChat#6971; wrapped on Vertex (§7)",
        check: |request, cx| report_schema_errors(request, cx, SchemaError::NoProperties),
    },
    Rule {
        name: "array-without-items",
        status: 400,
        condition: "An array has no items.",
        error_message: "* GenerateContentRequest.{path}.items: missing field.\nUnable to submit request because * GenerateContentRequest.{path}.items: missing field.. Learn more: {url}",
        evidence: Evidence::Observed,
        source: "row 11; LibreChat#6971, opencode PR#49392; wrapped on Vertex (§7)",
        check: |request, cx| report_schema_errors(request, cx, SchemaError::NoItems),
    },
    Rule {
        name: "items-of-no-array",
        status: 400,
        condition: "A schema that is not an array has items.",
        error_message: "* GenerateContentRequest.{path}.items: field predicate failed: $type == Type.ARRAY\nUnable to submit request because * GenerateContentRequest.{path}.items: field predicate failed: $type == Type.ARRAY. Learn more: {url}",
        evidence: Evidence::Observed,
        source: "row 11; opencode PR#49392; wrapped on Vertex (§7)",
        check: |request, cx| report_schema_errors(request, cx, SchemaError::UnexpectedItems),
    },
    Rule {
        name: "enum-of-no-text",
        status: 400,
        condition: "A schema that is not a string has an enum.",
        error_message: "* GenerateContentRequest.{path}.enum: only allowed for STRING type\nUnable to submit request because * GenerateContentRequest.{path}.enum: only allowed for STRING type. Learn more: {url}",
        evidence: Evidence::Quoted,
        source: "row 11; public code 70955323287; wrapped on Vertex (§7)",
        check: |request, cx| report_schema_errors(request, cx, SchemaError::EnumOfNonString),
    },
    Rule {
        name: "required-undefined",
        status: 400,
        condition: "A required property is not defined.",
        error_message: "* GenerateContentRequest.{path}.required[{n}]: property is not defined\nUnable to submit request because * GenerateContentRequest.{path}.required[{n}]: property is not defined. Learn more: {url}",
        evidence: Evidence::Quoted,
        source: "row 11; public code 70950964275; wrapped on Vertex (§7)",
        check: |request, cx| report_schema_errors(request, cx, SchemaError::UndefinedRequired),
    },
    Rule {
        name: "text-format",
        status: 400,
        condition: "The format of a string is neither enum nor date-time.",
        error_message: "* GenerateContentRequest.{path}.format: only 'enum' and 'date-time' are supported for STRING type\nUnable to submit request because * GenerateContentRequest.{path}.format: only 'enum' and 'date-time' are supported for STRING type. Learn more: {url}",
        evidence: Evidence::Observed,
        source: "row 11; gemini-cli#2237, public log 44377253580; wrapped on Vertex (§7)",
        check: |request, cx| report_schema_errors(request, cx, SchemaError::UnsupportedFormat),
    },
];
