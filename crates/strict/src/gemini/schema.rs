//! Rules about schemas of the `OpenAPI` subset.

use serde_json::Value;

use super::proto::dotted_path;
use super::tools::declarations;
use super::view::{self, field, flavored_message, repeated_field, str_field};
use crate::messages::fill_template;
use crate::{CheckContext, Request};

struct SchemaChecker {
    /// Rules and paths.
    errors: Vec<(&'static str, String)>,
}

impl SchemaChecker {
    fn push_error(&mut self, rule: &'static str, path: String) {
        self.errors.push((rule, path));
    }

    fn check_schema(&mut self, schema: &Value, path: &str) {
        self.check(schema, path, false);
    }

    fn check(&mut self, schema: &Value, path: &str, is_function_root: bool) {
        let kind = str_field(schema, "type").to_ascii_uppercase();
        let has_field = |name| field(schema, name).is_some();
        let is_enumerated = field(schema, "type").is_some_and(Value::is_u64);
        if kind.is_empty() && !is_enumerated && !has_field("any_of") && !has_field("ref") {
            self.push_error("schema-without-type", format!("{path}.type"));
        }
        let properties = field(schema, "properties").and_then(Value::as_object);
        if kind == "OBJECT"
            && properties.is_none_or(|properties| properties.is_empty() && !is_function_root)
            && !has_field("additional_properties")
        {
            self.push_error("object-without-properties", format!("{path}.properties"));
        }
        if kind == "ARRAY" && !has_field("items") {
            self.push_error("array-without-items", format!("{path}.items"));
        }
        if !kind.is_empty() && kind != "ARRAY" && has_field("items") {
            self.push_error("items-of-no-array", format!("{path}.items"));
        }
        if !matches!(kind.as_str(), "" | "STRING") && !repeated_field(schema, "enum").is_empty() {
            self.push_error("enum-of-no-text", format!("{path}.enum"));
        }
        let format = str_field(schema, "format");
        if kind == "STRING" && !matches!(format, "" | "enum" | "date-time") {
            self.push_error("text-format", format!("{path}.format"));
        }
        for (at, name) in repeated_field(schema, "required").iter().enumerate() {
            let is_defined =
                |name| properties.is_some_and(|properties| properties.contains_key(name));
            if name.as_str().is_some_and(|name| !is_defined(name)) {
                self.push_error("required-undefined", format!("{path}.required[{at}]"));
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
                checker.check(schema, &format!("{}.{name}", declaration.path), true);
            }
        }
    }
    if let Some(schema) = view::nested_field(body, &["generation_config", "response_schema"]) {
        checker.check_schema(schema, "generation_config.response_schema");
    }
    checker
}

/// Rejects the request for each error of the rule that runs.
pub(super) fn schema_error(request: &Request<'_>, cx: &mut CheckContext) {
    let checker = cx.memoized(|| check_all_schemas(request));
    let rule = cx.rule_name();
    for (_, path) in checker.errors.iter().filter(|(error, _)| *error == rule) {
        let message = fill_template(cx.message(), &[("path", path)]);
        cx.reject(dotted_path(path), flavored_message(request.flavor, &message));
    }
}
