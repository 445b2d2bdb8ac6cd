//! Rules about functions and built-in tools.

use serde_json::Value;

use super::profile::profile;
use super::view::{
    self, field, flavored_message, is_vertex, nested_field, repeated_field, str_field,
};
use crate::{CheckContext, Request};

/// A function declaration with its path.
pub(super) struct Declaration<'v> {
    pub(super) value: &'v Value,
    pub(super) path: String,
}

/// All function declarations, in order.
pub(super) fn declarations(body: &Value) -> impl Iterator<Item = Declaration<'_>> {
    repeated_field(body, "tools").iter().enumerate().flat_map(|(tool, value)| {
        let to_declaration = move |(index, value)| {
            let path = format!("tools[{tool}].function_declarations[{index}]");
            Declaration { value, path }
        };
        repeated_field(value, "function_declarations").iter().enumerate().map(to_declaration)
    })
}

pub(super) fn has_functions(body: &Value) -> bool {
    declarations(body).next().is_some()
}

pub(super) fn has_builtin_tool(body: &Value) -> bool {
    first_builtin_tool(body).is_some()
}

fn first_builtin_tool(body: &Value) -> Option<&'static str> {
    let builtin_name =
        |tool: &Value| BUILTIN_TOOLS.iter().copied().find(|name| field(tool, name).is_some());
    repeated_field(body, "tools").iter().find_map(builtin_name)
}

/// Prefixes an error message with the field's path, as Google does.
pub(super) fn with_field_path(path: &str, message: &str) -> String {
    format!("* GenerateContentRequest.{path}: {message}")
}

pub(super) fn function_name(request: &Request<'_>, cx: &mut CheckContext) {
    for declaration in declarations(view::generate_request(request)) {
        if !is_valid_name(str_field(declaration.value, "name")) {
            let path = format!("{}.name", declaration.path);
            let message =
                flavored_message(request.flavor, &with_field_path(&path, FUNCTION_NAME_ERROR));
            cx.reject(super::proto::dotted_path(&path), message);
        }
    }
}

fn is_valid_name(name: &str) -> bool {
    let is_valid_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '-');
    name.len() <= 64 && name.starts_with(is_valid_start) && name.chars().all(is_allowed)
}

pub(super) fn too_many_functions(request: &Request<'_>, cx: &mut CheckContext) {
    let all_declarations = declarations(view::generate_request(request));
    let (first_excess, count) =
        all_declarations.enumerate().fold((None, 0), |(first_excess, _), (at, declaration)| {
            let first = first_excess.or_else(|| (at == MAX_FUNCTIONS).then_some(declaration.path));
            (first, at + 1)
        });
    if let Some(path) = first_excess {
        let message = format!(
            "At most {MAX_FUNCTIONS} function declarations can be specified, but got {count}."
        );
        cx.reject(super::proto::dotted_path(&path), flavored_message(request.flavor, &message));
    }
}

pub(super) fn duplicate_function(request: &Request<'_>, cx: &mut CheckContext) {
    let mut seen: Vec<&str> = Vec::new();
    for declaration in declarations(view::generate_request(request)) {
        let name = str_field(declaration.value, "name");
        if seen.contains(&name) {
            let message = format!("Duplicate function declaration found: {name}");
            cx.reject(
                super::proto::dotted_path(&declaration.path),
                flavored_message(request.flavor, &message),
            );
        }
        seen.push(name);
    }
}

pub(super) fn two_schemas(request: &Request<'_>, cx: &mut CheckContext) {
    for declaration in declarations(view::generate_request(request)) {
        for (proto_key, json_key) in SCHEMA_FIELDS {
            let has_both = field(declaration.value, proto_key).is_some()
                && field(declaration.value, json_key).is_some();
            if has_both {
                let message = with_field_path(
                    &declaration.path,
                    &format!("only one of {proto_key} and {json_key} can be set"),
                );
                cx.reject(
                    super::proto::dotted_path(&declaration.path),
                    flavored_message(request.flavor, &message),
                );
            }
        }
    }
}

pub(super) fn json_schema_root(request: &Request<'_>, cx: &mut CheckContext) {
    for declaration in declarations(view::generate_request(request)) {
        for (_, name) in SCHEMA_FIELDS {
            let Some(schema) = field(declaration.value, name) else { continue };
            if !schema.is_object() && !schema.is_boolean() {
                let path = format!("{}.{name}", declaration.path);
                let message =
                    with_field_path(&path, "schema at top-level must be a boolean or an object");
                cx.reject(
                    super::proto::dotted_path(&path),
                    flavored_message(request.flavor, &message),
                );
            }
        }
    }
}

pub(super) fn calling_without_functions(request: &Request<'_>, cx: &mut CheckContext) {
    let body = view::generate_request(request);
    let config = nested_field(body, &["tool_config", "function_calling_config"]);
    let is_enabled =
        config.is_some_and(|config| !str_field(config, "mode").eq_ignore_ascii_case("none"));
    if is_enabled && !has_functions(body) && !is_vertex(request.flavor) {
        cx.reject("tool_config.function_calling_config", cx.message());
    }
}

pub(super) fn built_in_and_functions(request: &Request<'_>, cx: &mut CheckContext) {
    let body = view::generate_request(request);
    let Some(built_in) = first_builtin_tool(body).filter(|_| has_functions(body)) else { return };
    let included = nested_field(body, &["tool_config", "include_server_side_tool_invocations"]);
    let message = if is_vertex(request.flavor) {
        format!(
            "Built-in tools ({{{built_in}}}) and Custom tools (Function Calling) cannot be combined in the same request. Please choose one to continue."
        )
    } else if !profile(request.model).mixes_builtin_tools {
        "Tool use with function calling is unsupported".to_owned()
    } else if included != Some(&Value::Bool(true)) {
        cx.case("include-server-side").to_owned()
    } else {
        return;
    };
    cx.reject("tools", message);
}

const FUNCTION_NAME_ERROR: &str = "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.";

const SCHEMA_FIELDS: [(&str, &str); 2] =
    [("parameters", "parameters_json_schema"), ("response", "response_json_schema")];

/// Tools that the provider runs. Computer use and MCP servers can be combined with functions.
const BUILTIN_TOOLS: &[&str] = &[
    "google_search",
    "google_search_retrieval",
    "google_maps",
    "code_execution",
    "url_context",
    "file_search",
    "retrieval",
    "enterprise_web_search",
];

const MAX_FUNCTIONS: usize = 512;
