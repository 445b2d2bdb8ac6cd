//! Tool definitions: names, deferral, references and examples.

use std::collections::BTreeSet;

use serde_json::Value;

use super::view;
use crate::rule::{Fields as _, items, string};
use crate::{Evidence, Findings, Request, Rule};

/// The custom tools with their place.
pub(super) fn custom(body: &Value) -> impl Iterator<Item = (usize, &Value)> {
    let is_custom = |(_, tool): &(usize, &Value)| matches!(string(tool, "type"), "" | "custom");
    items(body, "tools").iter().enumerate().filter(is_custom)
}

/// Whether a name has only letters, digits, `_` and `-`, and as many as it may have.
pub(super) fn is_name(name: &str, most: usize) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !name.is_empty() && name.len() <= most && name.chars().all(plain)
}

fn names(request: &Request<'_>, findings: &mut Findings) {
    for (at, tool) in custom(request.body) {
        if !is_name(string(tool, "name"), 128) {
            let path = format!("tools.{at}.custom.name");
            let words = format!("{path}: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'");
            findings.add(path, words);
        }
    }
}

fn typed_names(request: &Request<'_>, findings: &mut Findings) {
    for (at, tool) in items(request.body, "tools").iter().enumerate() {
        let kind = string(tool, "type");
        let row = NAMES.iter().find(|(start, _)| kind.starts_with(start));
        if let Some((_, name)) = row.filter(|(_, name)| string(tool, "name") != *name) {
            let path = format!("tools.{at}.{kind}.name");
            let words = format!("{path}: Input should be '{name}'");
            findings.add(path, words);
        }
    }
}

fn duplicates(request: &Request<'_>, findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    for (at, tool) in items(request.body, "tools").iter().enumerate() {
        let name = string(tool, "name");
        if !name.is_empty() && !seen.insert(name) {
            findings.add(format!("tools.{at}"), DUPLICATES);
        }
    }
}

fn is_deferred(tool: &Value) -> bool {
    tool.field("defer_loading") == Some(&Value::Bool(true))
}

fn all_deferred(request: &Request<'_>, findings: &mut Findings) {
    let tools = items(request.body, "tools");
    if !tools.is_empty() && tools.iter().all(is_deferred) {
        findings.add("tools", ALL_DEFERRED);
    }
}

fn cached_deferred(request: &Request<'_>, findings: &mut Findings) {
    for (at, tool) in items(request.body, "tools").iter().enumerate() {
        if is_deferred(tool) && tool.field("cache_control").is_some_and(|cache| !cache.is_null()) {
            let path = format!("tools.{at}");
            let words =
                format!("{path}: cache_control cannot be set on a tool with defer_loading=true");
            findings.add(path, words);
        }
    }
}

/// References in tool results, the client's and the server's.
fn references(request: &Request<'_>, findings: &mut Findings) {
    let body = request.body;
    let elsewhere = |tool: &Value| string(tool, "type").ends_with("toolset");
    if items(body, "tools").iter().any(elsewhere) {
        return;
    }
    let mut known: BTreeSet<_> =
        items(body, "tools").iter().map(|tool| string(tool, "name")).collect();
    for block in view::blocks(body).filter(|block| block.is("tool_addition")) {
        added(block.value, &mut known);
    }
    for block in view::blocks(body) {
        let found = match block.kind() {
            "tool_result" => items(block.value, "content"),
            "tool_search_tool_result" => items(&block.value["content"], "tool_references"),
            _ => &[],
        };
        for reference in found.iter().filter(|found| string(found, "type") == "tool_reference") {
            let name = string(reference, "tool_name");
            if !known.contains(name) {
                let words = format!("Tool reference '{name}' not found in available tools");
                findings.add_with(block.path(), words, None, Some("tool_reference_unresolved"));
            }
        }
    }
}

/// Every name in an addition: how it is spelled is not settled.
fn added<'v>(value: &'v Value, known: &mut BTreeSet<&'v str>) {
    match value {
        Value::Object(object) => {
            known.extend(object.field("name").and_then(Value::as_str));
            object.values().for_each(|value| added(value, known));
        }
        Value::Array(list) => list.iter().for_each(|value| added(value, known)),
        _ => {}
    }
}

fn examples(request: &Request<'_>, findings: &mut Findings) {
    for (at, tool) in custom(request.body) {
        let required = items(&tool["input_schema"], "required");
        for (index, example) in items(tool, "input_examples").iter().enumerate() {
            let lacks = |key: &Value| key.as_str().is_some_and(|key| example.field(key).is_none());
            if !example.is_object() || required.iter().any(lacks) {
                let path = format!("tools.{at}.custom.input_examples.{index}");
                let words = format!("{path}: Input example does not match input_schema");
                findings.add(path, words);
            }
        }
    }
}

/// How the types of tools begin, and what they are called.
const NAMES: &[(&str, &str)] = &[
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

const DUPLICATES: &str = "tools: Tool names must be unique.";
const ALL_DEFERRED: &str =
    "At least one tool must have defer_loading=false. All tools cannot be deferred.";

fn servers(request: &Request<'_>, findings: &mut Findings) {
    let toolsets =
        || items(request.body, "tools").iter().map(|tool| string(tool, "mcp_server_name"));
    for (at, server) in items(request.body, "mcp_servers").iter().enumerate() {
        let name = string(server, "name");
        if toolsets().filter(|toolset| *toolset == name).count() != 1 {
            let path = format!("mcp_servers.{at}");
            let words = format!(
                "{path}: MCP server '{name}' must be referenced by exactly one mcp_toolset in tools"
            );
            findings.add(path, words);
        }
    }
}

fn fine_grained(request: &Request<'_>, findings: &mut Findings) {
    let asked = request.betas.iter().any(|beta| beta.starts_with(FINE_GRAINED));
    let toolset = |tool: &Value| string(tool, "type").ends_with("_toolset_20260801");
    if asked && items(request.body, "tools").iter().any(toolset) {
        findings.add("anthropic-beta", WITH_TOOLSET);
    }
}

const FINE_GRAINED: &str = "fine-grained-tool-streaming-";
const WITH_TOOLSET: &str =
    "The `fine-grained-tool-streaming-2025-05-14` beta is not supported together with toolsets.";

pub(super) const RULES: [Rule; 9] = [
    Rule {
        name: "mcp-server-reference",
        status: 400,
        when: "An MCP server has no toolset, or several.",
        words: "mcp_servers.{n}: MCP server '{name}' must be referenced by exactly one mcp_toolset in tools",
        evidence: Evidence::Inferred,
        source: "documentation of the MCP connector",
        check: servers,
    },
    Rule {
        name: "fine-grained-toolset",
        status: 400,
        when: "The beta of fine-grained tool streaming meets a toolset.",
        words: WITH_TOOLSET,
        evidence: Evidence::Inferred,
        source: "documentation of fine-grained tool streaming",
        check: fine_grained,
    },
    Rule {
        name: "tool-name",
        status: 400,
        when: "The name of a tool has other characters, or more than 128.",
        words: "tools.{n}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        evidence: Evidence::Seen,
        source: "C6; public code 57377623309, 58625628154",
        check: names,
    },
    Rule {
        name: "typed-tool-name",
        status: 400,
        when: "A typed tool does not have the name of its type.",
        words: "tools.{n}.{type}.name: Input should be '{name}'",
        evidence: Evidence::Inferred,
        source: "documentation of the tools",
        check: typed_names,
    },
    Rule {
        name: "duplicate-tool-name",
        status: 400,
        when: "Two tools have one name.",
        words: DUPLICATES,
        evidence: Evidence::Quoted,
        source: "C5; claude-code-hub, emulator 70877361319",
        check: duplicates,
    },
    Rule {
        name: "all-tools-deferred",
        status: 400,
        when: "Every tool is deferred.",
        words: ALL_DEFERRED,
        evidence: Evidence::Documented,
        source: "C12; documentation of tool search",
        check: all_deferred,
    },
    Rule {
        name: "cached-deferred-tool",
        status: 400,
        when: "A cache marker stands on a deferred tool.",
        words: "tools.{n}: cache_control cannot be set on a tool with defer_loading=true",
        evidence: Evidence::Inferred,
        source: "C14; documentation of tool search",
        check: cached_deferred,
    },
    Rule {
        name: "input-example",
        status: 400,
        when: "An example of a tool's input is not an object or lacks what the schema requires.",
        words: "tools.{n}.custom.input_examples.{m}: Input example does not match input_schema",
        evidence: Evidence::Inferred,
        source: "C14; documentation of tool definitions",
        check: examples,
    },
    Rule {
        name: "unknown-tool-reference",
        status: 400,
        when: "A tool search found a tool that is not there.",
        words: "Tool reference '{name}' not found in available tools",
        evidence: Evidence::Documented,
        source: "C13; documentation of tool search",
        check: references,
    },
];
