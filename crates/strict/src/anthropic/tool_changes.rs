//! Rules about tools that are added and removed within the conversation.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::profile::profile;
use super::view::{self, Block};
use crate::json::{array_field, str_field};
use crate::{CheckContext, Request};

/// A change of the available tools by one block.
#[derive(Clone, Copy, Debug)]
enum ToolChange<'v> {
    /// A tool with its definition.
    Defined {
        name: &'v str,
        kind: &'v str,
    },
    Reference(&'v str),
    /// All or some tools of an MCP server, by its name.
    Server(&'v str),
}

fn tool_change<'v>(block: &Block<'v>) -> Option<ToolChange<'v>> {
    if block.is_type("mcp_tool_listing") {
        return Some(ToolChange::Server(block.str_field("mcp_server_name")));
    }
    if !block.is_type("tool_addition") && !block.is_type("tool_removal") {
        return None;
    }
    let tool = block.value.get("tool")?;
    Some(match str_field(tool, "type") {
        "tool_reference" => ToolChange::Reference(str_field(tool, "name")),
        "mcp_tool_reference" | "mcp_toolset_reference" => {
            ToolChange::Server(str_field(tool, "server_name"))
        }
        "tool_definition" => {
            let tool = tool.get("definition")?;
            match tool_type(tool) {
                "mcp_toolset" => ToolChange::Server(str_field(tool, "mcp_server_name")),
                kind => ToolChange::Defined { name: str_field(tool, "name"), kind },
            }
        }
        _ => return None,
    })
}

fn tool_type(tool: &Value) -> &str {
    match str_field(tool, "type") {
        "" => "custom",
        kind => kind,
    }
}

/// The number of distinct tools and servers that the conversation refers to.
pub(super) fn referenced_count(body: &Value) -> usize {
    let mut tools = BTreeSet::new();
    let mut servers = BTreeSet::new();
    for block in view::blocks(body) {
        match tool_change(&block) {
            Some(ToolChange::Defined { name, .. } | ToolChange::Reference(name)) => {
                tools.insert(name);
            }
            Some(ToolChange::Server(name)) => {
                servers.insert(name);
            }
            None if block.is_type("tool_result") => {
                let references = array_field(block.value, "content").iter();
                let references = references
                    .filter(|references| str_field(references, "type") == "tool_reference");
                tools.extend(references.map(|references| str_field(references, "tool_name")));
            }
            None => {}
        }
    }
    tools.len() + servers.len()
}

pub(super) fn unknown_tool_change(request: &Request<'_>, cx: &mut CheckContext) {
    let tools = array_field(request.body, "tools");
    let mut defined: BTreeSet<_> = tools.iter().map(|tool| str_field(tool, "name")).collect();
    let servers = array_field(request.body, "mcp_servers").iter();
    let servers: BTreeSet<_> = servers.map(|server| str_field(server, "name")).collect();
    // The request does not list the names of a toolset's tools.
    let has_toolset = tools.iter().any(|tool| tool_type(tool).contains("_toolset_"));
    for block in view::blocks(request.body) {
        let is_known = match tool_change(&block) {
            None => continue,
            Some(ToolChange::Defined { name, .. }) => {
                defined.insert(name);
                true
            }
            Some(ToolChange::Reference(name)) => has_toolset || defined.contains(name),
            Some(ToolChange::Server(name)) => servers.contains(name),
        };
        if !is_known {
            cx.reject_with(block.path(), cx.message(), None, Some("tool_reference_unresolved"));
        }
    }
}

fn declared_tools(body: &Value) -> BTreeMap<&str, &str> {
    array_field(body, "tools")
        .iter()
        .map(|tool| (str_field(tool, "name"), tool_type(tool)))
        .collect()
}

pub(super) fn tool_name_conflict(request: &Request<'_>, cx: &mut CheckContext) {
    let mut available = declared_tools(request.body);
    for block in view::blocks(request.body) {
        match tool_change(&block) {
            Some(ToolChange::Reference(name)) if block.is_type("tool_removal") => {
                available.remove(name);
            }
            Some(ToolChange::Defined { name, kind }) => {
                let previous = available.insert(name, kind);
                if previous.is_some_and(|previous| previous != kind) {
                    cx.reject_with(block.path(), cx.message(), None, Some("tool_name_conflict"));
                }
            }
            _ => {}
        }
    }
}

pub(super) fn too_many_available_tools(request: &Request<'_>, cx: &mut CheckContext) {
    let limit = request.switches.available_tools;
    let limit = limit.unwrap_or(profile(request.model).available_tools);
    let mut available = declared_tools(request.body);
    for block in view::blocks(request.body) {
        match tool_change(&block) {
            Some(ToolChange::Reference(name)) if block.is_type("tool_removal") => {
                available.remove(name);
            }
            Some(ToolChange::Defined { name, kind }) => {
                available.insert(name, kind);
            }
            Some(ToolChange::Reference(name)) => {
                available.entry(name).or_default();
            }
            _ => continue,
        }
        if available.len() > limit {
            let code = Some("available_tools_limit_exceeded");
            cx.reject_with(block.path(), cx.message(), None, code);
        }
    }
}
