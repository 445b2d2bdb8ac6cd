//! Rules about tool definitions: names, deferral, references and examples.

use std::collections::BTreeSet;

use serde_json::Value;

use super::view;
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Evidence, Request, Rule};

/// Client-defined tools with their index.
pub(super) fn custom_tools(body: &Value) -> impl Iterator<Item = (usize, &Value)> {
    let is_custom = |(_, tool): &(usize, &Value)| matches!(str_field(tool, "type"), "" | "custom");
    array_field(body, "tools").iter().enumerate().filter(is_custom)
}

/// Whether a name has only letters, digits, `_` and `-`, and at most `max_len` of them.
pub(super) fn is_valid_name(name: &str, max_len: usize) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !name.is_empty() && name.len() <= max_len && name.chars().all(is_allowed)
}

fn tool_name(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, tool) in custom_tools(request.body) {
        if !is_valid_name(str_field(tool, "name"), 128) {
            let path = format!("tools.{at}.custom.name");
            let message = format!("{path}: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'");
            cx.reject(path, message);
        }
    }
}

fn typed_tool_name(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let kind = str_field(tool, "type");
        let row = BUILTIN_TOOL_NAMES.iter().find(|(prefix, _)| kind.starts_with(prefix));
        if let Some((_, name)) = row.filter(|(_, name)| str_field(tool, "name") != *name) {
            let path = format!("tools.{at}.{kind}.name");
            let message = format!("{path}: Input should be '{name}'");
            cx.reject(path, message);
        }
    }
}

fn duplicate_tool_name(request: &Request<'_>, cx: &mut CheckContext) {
    let mut seen = BTreeSet::new();
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let name = str_field(tool, "name");
        if !name.is_empty() && !seen.insert(name) {
            cx.reject(format!("tools.{at}"), DUPLICATE_TOOL_NAME_ERROR);
        }
    }
}

fn is_deferred(tool: &Value) -> bool {
    tool.field("defer_loading") == Some(&Value::Bool(true))
}

fn all_tools_deferred(request: &Request<'_>, cx: &mut CheckContext) {
    let tools = array_field(request.body, "tools");
    if !tools.is_empty() && tools.iter().all(is_deferred) {
        cx.reject("tools", ALL_TOOLS_DEFERRED_ERROR);
    }
}

fn cached_deferred_tool(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        if is_deferred(tool) && tool.field("cache_control").is_some_and(|cache| !cache.is_null()) {
            let path = format!("tools.{at}");
            let message =
                format!("{path}: cache_control cannot be set on a tool with defer_loading=true");
            cx.reject(path, message);
        }
    }
}

/// Checks tool references in results of client and server tools.
fn unknown_tool_reference(request: &Request<'_>, cx: &mut CheckContext) {
    let body = request.body;
    let is_toolset = |tool: &Value| str_field(tool, "type").ends_with("toolset");
    if array_field(body, "tools").iter().any(is_toolset) {
        return;
    }
    let mut known_names: BTreeSet<_> =
        array_field(body, "tools").iter().map(|tool| str_field(tool, "name")).collect();
    for block in view::blocks(body).filter(|block| block.is_type("tool_addition")) {
        collect_names(block.value, &mut known_names);
    }
    for block in view::blocks(body) {
        let references = match block.block_type() {
            "tool_result" => array_field(block.value, "content"),
            "tool_search_tool_result" => array_field(&block.value["content"], "tool_references"),
            _ => &[],
        };
        for reference in
            references.iter().filter(|references| str_field(references, "type") == "tool_reference")
        {
            let name = str_field(reference, "tool_name");
            if !known_names.contains(name) {
                let message = format!("Tool reference '{name}' not found in available tools");
                cx.reject_with(block.path(), message, None, Some("tool_reference_unresolved"));
            }
        }
    }
}

/// Collects every name in a tool addition: its format is not documented.
fn collect_names<'v>(value: &'v Value, names: &mut BTreeSet<&'v str>) {
    match value {
        Value::Object(object) => {
            names.extend(object.field("name").and_then(Value::as_str));
            object.values().for_each(|value| collect_names(value, names));
        }
        Value::Array(list) => list.iter().for_each(|value| collect_names(value, names)),
        _ => {}
    }
}

fn input_example(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, tool) in custom_tools(request.body) {
        let required = array_field(&tool["input_schema"], "required");
        for (index, example) in array_field(tool, "input_examples").iter().enumerate() {
            let is_missing =
                |key: &Value| key.as_str().is_some_and(|key| example.field(key).is_none());
            if !example.is_object() || required.iter().any(is_missing) {
                let path = format!("tools.{at}.custom.input_examples.{index}");
                let message = format!("{path}: Input example does not match input_schema");
                cx.reject(path, message);
            }
        }
    }
}

/// Required name by prefix of the tool type.
const BUILTIN_TOOL_NAMES: &[(&str, &str)] = &[
    ("bash_", "bash"),
    ("text_editor_20241022", "str_replace_editor"),
    ("text_editor_20250124", "str_replace_editor"),
    ("text_editor_", "str_replace_based_edit_tool"),
    ("memory_", "memory"),
    ("computer_2", "computer"),
    ("web_search_", "web_search"),
    ("web_fetch_", "web_fetch"),
    ("code_execution_", "code_execution"),
    ("tool_search_tool_regex", "tool_search_tool_regex"),
    ("tool_search_tool_bm25", "tool_search_tool_bm25"),
    ("advisor_", "advisor"),
];

const DUPLICATE_TOOL_NAME_ERROR: &str = "tools: Tool names must be unique.";
const ALL_TOOLS_DEFERRED_ERROR: &str =
    "At least one tool must have defer_loading=false. All tools cannot be deferred.";

fn mcp_server_reference(request: &Request<'_>, cx: &mut CheckContext) {
    let toolsets =
        || array_field(request.body, "tools").iter().map(|tool| str_field(tool, "mcp_server_name"));
    for (at, server) in array_field(request.body, "mcp_servers").iter().enumerate() {
        let name = str_field(server, "name");
        if toolsets().filter(|toolset| *toolset == name).count() != 1 {
            let path = format!("mcp_servers.{at}");
            let message = format!(
                "{path}: MCP server '{name}' must be referenced by exactly one mcp_toolset in tools"
            );
            cx.reject(path, message);
        }
    }
}

fn fine_grained_toolset(request: &Request<'_>, cx: &mut CheckContext) {
    let has_beta = request.betas.iter().any(|beta| beta.starts_with(FINE_GRAINED_BETA_PREFIX));
    let is_toolset = |tool: &Value| str_field(tool, "type").ends_with("_toolset_20260801");
    if has_beta && array_field(request.body, "tools").iter().any(is_toolset) {
        cx.reject("anthropic-beta", FINE_GRAINED_TOOLSET_ERROR);
    }
}

const FINE_GRAINED_BETA_PREFIX: &str = "fine-grained-tool-streaming-";
const FINE_GRAINED_TOOLSET_ERROR: &str =
    "The `fine-grained-tool-streaming-2025-05-14` beta is not supported together with toolsets.";

pub(super) const RULES: [Rule; 9] = [
    Rule {
        name: "mcp-server-reference",
        status: 400,
        condition: "An MCP server is referenced by no toolset, or by several.",
        error_message: "mcp_servers.{n}: MCP server '{name}' must be referenced by exactly one mcp_toolset in tools",
        evidence: Evidence::Inferred,
        source: "documentation of the MCP connector",
        check: mcp_server_reference,
    },
    Rule {
        name: "fine-grained-toolset",
        status: 400,
        condition: "The fine-grained tool streaming beta is used together with a toolset.",
        error_message: FINE_GRAINED_TOOLSET_ERROR,
        evidence: Evidence::Inferred,
        source: "documentation of fine-grained tool streaming",
        check: fine_grained_toolset,
    },
    Rule {
        name: "tool-name",
        status: 400,
        condition: "A tool's name has invalid characters, or more than 128.",
        error_message: "tools.{n}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        evidence: Evidence::Observed,
        source: "C6; public code 57377623309, 58625628154",
        check: tool_name,
    },
    Rule {
        name: "typed-tool-name",
        status: 400,
        condition: "A typed tool does not have the name that its type requires.",
        error_message: "tools.{n}.{type}.name: Input should be '{name}'",
        evidence: Evidence::Inferred,
        source: "documentation of the tools",
        check: typed_tool_name,
    },
    Rule {
        name: "duplicate-tool-name",
        status: 400,
        condition: "Two tools have the same name.",
        error_message: DUPLICATE_TOOL_NAME_ERROR,
        evidence: Evidence::Quoted,
        source: "C5; claude-code-hub, emulator 70877361319",
        check: duplicate_tool_name,
    },
    Rule {
        name: "all-tools-deferred",
        status: 400,
        condition: "Every tool is deferred.",
        error_message: ALL_TOOLS_DEFERRED_ERROR,
        evidence: Evidence::Documented,
        source: "C12; documentation of tool search",
        check: all_tools_deferred,
    },
    Rule {
        name: "cached-deferred-tool",
        status: 400,
        condition: "A cache breakpoint is set on a deferred tool.",
        error_message: "tools.{n}: cache_control cannot be set on a tool with defer_loading=true",
        evidence: Evidence::Inferred,
        source: "C14; documentation of tool search",
        check: cached_deferred_tool,
    },
    Rule {
        name: "input-example",
        status: 400,
        condition: "An example of a tool's input is not an object, or required fields are missing.",
        error_message: "tools.{n}.custom.input_examples.{m}: Input example does not match input_schema",
        evidence: Evidence::Inferred,
        source: "C14; documentation of tool definitions",
        check: input_example,
    },
    Rule {
        name: "unknown-tool-reference",
        status: 400,
        condition: "A tool reference names a tool that is not available.",
        error_message: "Tool reference '{name}' not found in available tools",
        evidence: Evidence::Documented,
        source: "C13; documentation of tool search",
        check: unknown_tool_reference,
    },
];
