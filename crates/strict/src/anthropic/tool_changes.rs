//! Tools that come and go while one speaks.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::profile::profile;
use super::view::{self, Block};
use crate::rule::{items, string};
use crate::{Evidence, Findings, Request, Rule};

/// What a block says of tools.
#[derive(Clone, Copy, Debug)]
enum Change<'v> {
    /// A tool, by value.
    Defined { name: &'v str, kind: &'v str },
    /// A tool, by its name.
    Named(&'v str),
    /// All or some tools of an MCP server.
    Server(&'v str),
}

fn change<'v>(block: &Block<'v>) -> Option<Change<'v>> {
    if block.is("mcp_tool_listing") {
        return Some(Change::Server(block.text("mcp_server_name")));
    }
    if !block.is("tool_addition") && !block.is("tool_removal") {
        return None;
    }
    let tool = block.value.get("tool")?;
    Some(match string(tool, "type") {
        "tool_reference" => Change::Named(string(tool, "name")),
        "mcp_tool_reference" | "mcp_toolset_reference" => {
            Change::Server(string(tool, "server_name"))
        }
        "tool_definition" => {
            let tool = tool.get("definition")?;
            match kind(tool) {
                "mcp_toolset" => Change::Server(string(tool, "mcp_server_name")),
                kind => Change::Defined { name: string(tool, "name"), kind },
            }
        }
        _ => return None,
    })
}

fn kind(tool: &Value) -> &str {
    match string(tool, "type") {
        "" => "custom",
        kind => kind,
    }
}

/// How many tools and servers the conversation refers to.
pub(super) fn referred(body: &Value) -> usize {
    let mut tools = BTreeSet::new();
    let mut servers = BTreeSet::new();
    for block in view::blocks(body) {
        match change(&block) {
            Some(Change::Defined { name, .. } | Change::Named(name)) => {
                tools.insert(name);
            }
            Some(Change::Server(name)) => {
                servers.insert(name);
            }
            None if block.is("tool_result") => {
                let found = items(block.value, "content").iter();
                let found = found.filter(|found| string(found, "type") == "tool_reference");
                tools.extend(found.map(|found| string(found, "tool_name")));
            }
            None => {}
        }
    }
    tools.len() + servers.len()
}

fn unresolved(request: &Request<'_>, findings: &mut Findings) {
    let tools = items(request.body, "tools");
    let mut defined: BTreeSet<_> = tools.iter().map(|tool| string(tool, "name")).collect();
    let servers = items(request.body, "mcp_servers").iter();
    let servers: BTreeSet<_> = servers.map(|server| string(server, "name")).collect();
    // A toolset's tools have names that the request does not tell.
    let untold = tools.iter().any(|tool| kind(tool).contains("_toolset_"));
    for block in view::blocks(request.body) {
        let known = match change(&block) {
            None => continue,
            Some(Change::Defined { name, .. }) => {
                defined.insert(name);
                true
            }
            Some(Change::Named(name)) => untold || defined.contains(name),
            Some(Change::Server(name)) => servers.contains(name),
        };
        if !known {
            findings.add_with(block.path(), UNRESOLVED, None, Some("tool_reference_unresolved"));
        }
    }
}

/// The tools that are available before the first message.
fn declared(body: &Value) -> BTreeMap<&str, &str> {
    items(body, "tools").iter().map(|tool| (string(tool, "name"), kind(tool))).collect()
}

fn conflict(request: &Request<'_>, findings: &mut Findings) {
    let mut available = declared(request.body);
    for block in view::blocks(request.body) {
        match change(&block) {
            Some(Change::Named(name)) if block.is("tool_removal") => {
                available.remove(name);
            }
            Some(Change::Defined { name, kind }) => {
                let held = available.insert(name, kind);
                if held.is_some_and(|held| held != kind) {
                    findings.add_with(block.path(), CONFLICT, None, Some("tool_name_conflict"));
                }
            }
            _ => {}
        }
    }
}

fn too_many(request: &Request<'_>, findings: &mut Findings) {
    let most = request.switches.available_tools;
    let most = most.unwrap_or(profile(request.model).available_tools);
    let mut available = declared(request.body);
    for block in view::blocks(request.body) {
        match change(&block) {
            Some(Change::Named(name)) if block.is("tool_removal") => {
                available.remove(name);
            }
            Some(Change::Defined { name, kind }) => {
                available.insert(name, kind);
            }
            Some(Change::Named(name)) => {
                available.entry(name).or_default();
            }
            _ => continue,
        }
        if available.len() > most {
            let code = Some("available_tools_limit_exceeded");
            findings.add_with(block.path(), TOO_MANY, None, code);
        }
    }
}

const UNRESOLVED: &str = "A tool change or MCP tool listing references a tool or MCP server that is not defined at that position in the conversation.";
const CONFLICT: &str = "A tool made available in `messages` takes a name that an available tool of another kind, or of another MCP server, already holds.";
const TOO_MANY: &str =
    "The tools available after a message exceed a limit on their number or their size.";

pub(super) const RULES: [Rule; 3] = [
    Rule {
        name: "unknown-tool-change",
        status: 400,
        when: "A tool comes or goes, or a server's tools are listed, and no tool or MCP server of that name was defined before.",
        words: UNRESOLVED,
        evidence: Evidence::Quoted,
        source: "error code tool_reference_unresolved and its description in the SDK",
        check: unresolved,
    },
    Rule {
        name: "tool-name-conflict",
        status: 400,
        when: "A tool that comes has the name of one of another kind.",
        words: CONFLICT,
        evidence: Evidence::Quoted,
        source: "error code tool_name_conflict and its description in the SDK",
        check: conflict,
    },
    Rule {
        name: "too-many-available-tools",
        status: 400,
        when: "Tools come until there are more than may be available (switch available_tools).",
        words: TOO_MANY,
        evidence: Evidence::Quoted,
        source: "error code available_tools_limit_exceeded and its description in the SDK; the limit is ours",
        check: too_many,
    },
];
