//! Tools: functions, built-in ones, and both together.

use serde_json::Value;

use super::profile::profile;
use super::view::{self, field, is_vertex, many, said, text, within};
use crate::{Evidence, Findings, Request, Rule};

/// A function's declaration and where it stands.
pub(super) struct Declaration<'v> {
    pub(super) value: &'v Value,
    pub(super) path: String,
}

/// Every declaration, in order.
pub(super) fn declarations(body: &Value) -> impl Iterator<Item = Declaration<'_>> {
    many(body, "tools").iter().enumerate().flat_map(|(tool, value)| {
        let of = move |(index, value)| {
            let path = format!("tools[{tool}].function_declarations[{index}]");
            Declaration { value, path }
        };
        many(value, "function_declarations").iter().enumerate().map(of)
    })
}

pub(super) fn has_functions(body: &Value) -> bool {
    declarations(body).next().is_some()
}

pub(super) fn has_built_in(body: &Value) -> bool {
    built_in(body).is_some()
}

/// The first built-in tool.
fn built_in(body: &Value) -> Option<&'static str> {
    let of = |tool: &Value| BUILT_IN.iter().copied().find(|name| field(tool, name).is_some());
    many(body, "tools").iter().find_map(of)
}

/// Words with a path, which stands in front of them as Google names it.
pub(super) fn named(path: &str, words: &str) -> String {
    format!("* GenerateContentRequest.{path}: {words}")
}

fn names(request: &Request<'_>, findings: &mut Findings) {
    for declaration in declarations(view::body(request)) {
        if !is_name(text(declaration.value, "name")) {
            let path = format!("{}.name", declaration.path);
            let words = said(request.flavor, &named(&path, NAME));
            findings.add(super::proto::dotted(&path), words);
        }
    }
}

fn is_name(name: &str) -> bool {
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
    let holds = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '-');
    name.len() <= 64 && name.starts_with(starts) && name.chars().all(holds)
}

fn count(request: &Request<'_>, findings: &mut Findings) {
    let all = declarations(view::body(request));
    let (beyond, count) = all.enumerate().fold((None, 0), |(beyond, _), (at, declaration)| {
        let first = beyond.or_else(|| (at == MOST).then_some(declaration.path));
        (first, at + 1)
    });
    if let Some(path) = beyond {
        let words =
            format!("At most {MOST} function declarations can be specified, but got {count}.");
        findings.add(super::proto::dotted(&path), said(request.flavor, &words));
    }
}

fn duplicates(request: &Request<'_>, findings: &mut Findings) {
    let mut seen: Vec<&str> = Vec::new();
    for declaration in declarations(view::body(request)) {
        let name = text(declaration.value, "name");
        if seen.contains(&name) {
            let words = format!("Duplicate function declaration found: {name}");
            findings.add(super::proto::dotted(&declaration.path), said(request.flavor, &words));
        }
        seen.push(name);
    }
}

fn two_schemas(request: &Request<'_>, findings: &mut Findings) {
    for declaration in declarations(view::body(request)) {
        for (one, other) in SCHEMAS {
            let both = field(declaration.value, one).is_some()
                && field(declaration.value, other).is_some();
            if both {
                let words =
                    named(&declaration.path, &format!("only one of {one} and {other} can be set"));
                findings.add(super::proto::dotted(&declaration.path), said(request.flavor, &words));
            }
        }
    }
}

fn json_schema(request: &Request<'_>, findings: &mut Findings) {
    for declaration in declarations(view::body(request)) {
        for (_, name) in SCHEMAS {
            let Some(schema) = field(declaration.value, name) else { continue };
            if !schema.is_object() && !schema.is_boolean() {
                let path = format!("{}.{name}", declaration.path);
                let words = named(&path, "schema at top-level must be a boolean or an object");
                findings.add(super::proto::dotted(&path), said(request.flavor, &words));
            }
        }
    }
}

fn calling(request: &Request<'_>, findings: &mut Findings) {
    let body = view::body(request);
    let config = within(body, &["tool_config", "function_calling_config"]);
    let asks = config.is_some_and(|config| !text(config, "mode").eq_ignore_ascii_case("none"));
    if asks && !has_functions(body) && !is_vertex(request.flavor) {
        findings.add("tool_config.function_calling_config", CALLING);
    }
}

fn mixed(request: &Request<'_>, findings: &mut Findings) {
    let body = view::body(request);
    let Some(built_in) = built_in(body).filter(|_| has_functions(body)) else { return };
    let included = within(body, &["tool_config", "include_server_side_tool_invocations"]);
    let words = if is_vertex(request.flavor) {
        format!(
            "Built-in tools ({{{built_in}}}) and Custom tools (Function Calling) cannot be combined in the same request. Please choose one to continue."
        )
    } else if !profile(request.model).mixes_tools {
        "Tool use with function calling is unsupported".to_owned()
    } else if included != Some(&Value::Bool(true)) {
        INCLUDE.to_owned()
    } else {
        return;
    };
    findings.add("tools", words);
}

const NAME: &str = "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.";
const CALLING: &str = "Function calling config is set without function_declarations.";
const INCLUDE: &str = "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.";

const SCHEMAS: [(&str, &str); 2] =
    [("parameters", "parameters_json_schema"), ("response", "response_json_schema")];

/// Tools that the provider runs. Computer use and MCP servers stand beside functions.
const BUILT_IN: &[&str] = &[
    "google_search",
    "google_search_retrieval",
    "google_maps",
    "code_execution",
    "url_context",
    "file_search",
    "retrieval",
    "enterprise_web_search",
];

/// How many functions there may be.
const MOST: usize = 512;

pub(super) const RULES: [Rule; 7] = [
    Rule {
        name: "too-many-functions",
        status: 400,
        when: "There are more than 512 functions.",
        words: "At most 512 function declarations can be specified, but got {count}.\nUnable to submit request because At most 512 function declarations can be specified, but got {count}.. Learn more: {url}",
        evidence: Evidence::Inferred,
        source: "§2; documentation of function declarations",
        check: count,
    },
    Rule {
        name: "function-name",
        status: 400,
        when: "A function's name is empty, longer than 64, or has other characters than are allowed.",
        words: "* GenerateContentRequest.{path}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\nUnable to submit request because * GenerateContentRequest.{path}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "row 12; gemini-cli#6704, cline#7339; wrapped on Vertex (§7)",
        check: names,
    },
    Rule {
        name: "duplicate-function",
        status: 400,
        when: "Two functions have one name.",
        words: "Duplicate function declaration found: {name}\nUnable to submit request because Duplicate function declaration found: {name}. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "public logs 58193838680, 56784659275; wrapped on Vertex (§7)",
        check: duplicates,
    },
    Rule {
        name: "two-schemas",
        status: 400,
        when: "A function has a schema in both forms.",
        words: "* GenerateContentRequest.{path}: only one of {one} and {other} can be set\nUnable to submit request because * GenerateContentRequest.{path}: only one of {one} and {other} can be set. Learn more: {url}",
        evidence: Evidence::Inferred,
        source: "§2",
        check: two_schemas,
    },
    Rule {
        name: "json-schema-root",
        status: 400,
        when: "A JSON schema is neither an object nor a boolean.",
        words: "* GenerateContentRequest.{path}: schema at top-level must be a boolean or an object\nUnable to submit request because * GenerateContentRequest.{path}: schema at top-level must be a boolean or an object. Learn more: {url}",
        evidence: Evidence::Quoted,
        source: "public code 62590818690, 58535287416; the path in front is ours",
        check: json_schema,
    },
    Rule {
        name: "calling-without-functions",
        status: 400,
        when: "On AI Studio: how functions are called is configured (other than not at all), but there are none.",
        words: "Function calling config is set without function_declarations.",
        evidence: Evidence::Seen,
        source: "pydantic-ai#3611, public code 55938440535, 65963438200",
        check: calling,
    },
    Rule {
        name: "built-in-and-functions",
        status: 400,
        when: "Built-in tools and functions stand together: before Gemini 3, on Vertex, or without asking for server-side tool invocations.",
        words: "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.\nTool use with function calling is unsupported\nBuilt-in tools ({tool}) and Custom tools (Function Calling) cannot be combined in the same request. Please choose one to continue.",
        evidence: Evidence::Seen,
        source: "row 16; eino-ext#761, ag2 PR#3145, symfony/ai#803, Antigravity#2241",
        check: mixed,
    },
];
