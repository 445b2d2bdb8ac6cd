//! Rules about tool definitions: names, deferral, references and examples.

use std::collections::BTreeSet;

use serde_json::Value;

use super::view;
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Request};

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

pub(super) fn tool_name(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, tool) in custom_tools(request.body) {
        if !is_valid_name(str_field(tool, "name"), 128) {
            let path = format!("tools.{at}.custom.name");
            cx.reject_filled(path, &[]);
        }
    }
}

pub(super) fn typed_tool_name(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let kind = str_field(tool, "type");
        let row = BUILTIN_TOOL_NAMES.iter().find(|(prefix, _)| kind.starts_with(prefix));
        if let Some((_, name)) = row.filter(|(_, name)| str_field(tool, "name") != *name) {
            let path = format!("tools.{at}.{kind}.name");
            cx.reject_filled(path, &[("name", &name)]);
        }
    }
}

pub(super) fn duplicate_tool_name(request: &Request<'_>, cx: &mut CheckContext) {
    let mut seen = BTreeSet::new();
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let name = str_field(tool, "name");
        if !name.is_empty() && !seen.insert(name) {
            cx.reject(format!("tools.{at}"), cx.message());
        }
    }
}

fn is_deferred(tool: &Value) -> bool {
    tool.field("defer_loading") == Some(&Value::Bool(true))
}

pub(super) fn all_tools_deferred(request: &Request<'_>, cx: &mut CheckContext) {
    let tools = array_field(request.body, "tools");
    if !tools.is_empty() && tools.iter().all(is_deferred) {
        cx.reject("tools", cx.message());
    }
}

pub(super) fn cached_deferred_tool(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        if is_deferred(tool) && tool.field("cache_control").is_some_and(|cache| !cache.is_null()) {
            let path = format!("tools.{at}");
            cx.reject_filled(path, &[]);
        }
    }
}

/// Checks tool references in results of client and server tools.
pub(super) fn unknown_tool_reference(request: &Request<'_>, cx: &mut CheckContext) {
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

pub(super) fn input_example(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, tool) in custom_tools(request.body) {
        let required = array_field(&tool["input_schema"], "required");
        for (index, example) in array_field(tool, "input_examples").iter().enumerate() {
            let is_missing =
                |key: &Value| key.as_str().is_some_and(|key| example.field(key).is_none());
            if !example.is_object() || required.iter().any(is_missing) {
                let path = format!("tools.{at}.custom.input_examples.{index}");
                cx.reject_filled(path, &[]);
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

pub(super) fn mcp_server_reference(request: &Request<'_>, cx: &mut CheckContext) {
    let toolsets =
        || array_field(request.body, "tools").iter().map(|tool| str_field(tool, "mcp_server_name"));
    for (at, server) in array_field(request.body, "mcp_servers").iter().enumerate() {
        let name = str_field(server, "name");
        if toolsets().filter(|toolset| *toolset == name).count() != 1 {
            let path = format!("mcp_servers.{at}");
            cx.reject_filled(path, &[("name", &name)]);
        }
    }
}

pub(super) fn fine_grained_toolset(request: &Request<'_>, cx: &mut CheckContext) {
    let has_beta = request.betas.iter().any(|beta| beta.starts_with(FINE_GRAINED_BETA_PREFIX));
    let is_toolset = |tool: &Value| str_field(tool, "type").ends_with("_toolset_20260801");
    if has_beta && array_field(request.body, "tools").iter().any(is_toolset) {
        cx.reject("anthropic-beta", cx.message());
    }
}

const FINE_GRAINED_BETA_PREFIX: &str = "fine-grained-tool-streaming-";
