//! Tools that the server runs, calls made by code, and toolsets.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::view::{self, Block, Run};
use crate::rule::{Fields as _, items, string};
use crate::{Evidence, Findings, Request, Rule};

fn ids(request: &Request<'_>, findings: &mut Findings) {
    for block in view::blocks(request.body).filter(|block| block.is("server_tool_use")) {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let rest = block.text("id").strip_prefix("srvtoolu_");
        if !rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(plain)) {
            let path = format!("{}.server_tool_use.id", block.path());
            let words = format!("{path}: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'");
            findings.add(path, words);
        }
    }
}

fn results_first(request: &Request<'_>, findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    for block in view::blocks(request.body) {
        if block.is("server_tool_use") {
            seen.insert(block.text("id"));
        }
        let (kind, id) = (block.kind(), block.text("tool_use_id"));
        if block.is_server_result() && !seen.contains(id) {
            let path = block.path();
            let words = format!(
                "{path}: unexpected `tool_use_id` found in `{kind}` blocks: {id}. Each `{kind}` block must have a corresponding `server_tool_use` block before it."
            );
            findings.add(path, words);
        }
    }
}

fn unresolved(request: &Request<'_>, findings: &mut Findings) {
    let runs = view::runs(request.body);
    for (at, run) in runs.iter().enumerate() {
        for block in run.blocks.iter().filter(|block| block.is("server_tool_use")) {
            let (name, id) = (block.text("name"), block.text("id"));
            let closed = runs[at..].iter().position(says_more).map(|after| at + after);
            let until = closed.unwrap_or(runs.len());
            let answers =
                |other: &Block<'_>| other.is_server_result() && other.text("tool_use_id") == id;
            if runs[at..until].iter().flat_map(|run| &run.blocks).any(answers) {
                continue;
            }
            let words = format!(
                "`{name}` tool use with id `{id}` was found without a corresponding `{}` block",
                result_of(name)
            );
            if closed.is_some() {
                findings.add(block.path(), words);
            } else if !is_provided(request.body, name) {
                findings.add(block.path(), format!("{words} but no `{name}` tool was provided"));
            }
        }
    }
}

/// Whether the user says more than tool results.
fn says_more(run: &Run<'_>) -> bool {
    run.role == "user" && !run.blocks.iter().all(|block| block.is("tool_result"))
}

fn result_of(name: &str) -> String {
    match name {
        "tool_search_tool_regex" | "tool_search_tool_bm25" => "tool_search_tool_result".into(),
        name => format!("{name}_tool_result"),
    }
}

fn is_provided(body: &Value, name: &str) -> bool {
    let tool = name.strip_prefix("bash_").or_else(|| name.strip_prefix("text_editor_"));
    let tool = tool.unwrap_or(name);
    items(body, "tools").iter().any(|given| string(given, "type").starts_with(tool))
}

fn answered(request: &Request<'_>, findings: &mut Findings) {
    for block in view::blocks(request.body).filter(|block| block.is("tool_result")) {
        let id = block.text("tool_use_id");
        if id.starts_with("srvtoolu_") {
            let path = block.path();
            let words = format!(
                "{path}: `tool_result` blocks cannot be provided for server tools. Found `tool_use_id`: {id}"
            );
            findings.add(path, words);
        }
    }
}

/// What a search found comes back with the seal that it came with.
fn unsealed(request: &Request<'_>, findings: &mut Findings) {
    for block in view::blocks(request.body).filter(|block| block.is("web_search_tool_result")) {
        let found = items(block.value, "content").iter();
        let mut found = found.filter(|one| string(one, "type") == "web_search_result");
        if found.any(|one| string(one, "encrypted_content").is_empty()) {
            let words =
                format!("{}: Invalid encrypted_content in search_result block", block.path());
            findings.add(block.path(), words);
        }
    }
}

/// Calls that code makes: while it waits, nothing but its results may be said.
fn pending_code(request: &Request<'_>, findings: &mut Findings) {
    let runs = view::runs(request.body);
    let [.., calls, results] = runs.as_slice() else { return };
    let by_code = |block: &Block<'_>| {
        let caller = block.value.pointer("/caller/type").and_then(Value::as_str);
        block.is("tool_use") && caller.is_some_and(|caller| caller != "direct")
    };
    if results.role != "user" || !calls.blocks.iter().any(by_code) {
        return;
    }
    for block in &results.blocks {
        if !block.is("tool_result") {
            findings.add(block.path(), format!("{}: {CODE_RESULTS}", block.path()));
        } else if view::inside(block).any(|inner| inner.kind() != "text") {
            findings.add(block.path(), format!("{}: {CODE_TEXT}", block.path()));
        }
    }
    if request.body.field("container").is_none_or(Value::is_null) {
        findings.add("container", CODE_CONTAINER);
    }
}

fn toolsets(request: &Request<'_>, findings: &mut Findings) {
    let mut sets = BTreeMap::new();
    for block in view::blocks(request.body) {
        if block.is("tool_use") {
            sets.insert(block.text("id"), block.text("toolset_name"));
        }
        let set = sets.get(block.text("tool_use_id")).copied().unwrap_or_default();
        if block.is("tool_result") && !set.is_empty() && block.text("toolset_name") != set {
            let path = format!("{}.tool_result.toolset_name", block.path());
            let words =
                format!("{path}: must match the `toolset_name` of the `tool_use` block: {set}");
            findings.add(path, words);
        }
    }
}

const CODE_RESULTS: &str =
    "only `tool_result` blocks may be provided while a programmatic tool call is pending";
const CODE_TEXT: &str = "the result of a programmatic tool call must be text";
const CODE_CONTAINER: &str =
    "container: the container id is required while a programmatic tool call is pending";

pub(super) const RULES: [Rule; 7] = [
    Rule {
        name: "server-call-id",
        status: 400,
        when: "The id of a server tool's call is not one of theirs.",
        words: "messages.{n}.content.{m}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
        evidence: Evidence::Seen,
        source: "T9; public code 59109475327, cc-proxy-plugin#67",
        check: ids,
    },
    Rule {
        name: "answered-server-call",
        status: 400,
        when: "The client answers a server tool's call.",
        words: "messages.{n}.content.{m}: `tool_result` blocks cannot be provided for server tools. Found `tool_use_id`: {id}",
        evidence: Evidence::Inferred,
        source: "T17; documentation of tool search",
        check: answered,
    },
    Rule {
        name: "unexpected-server-result",
        status: 400,
        when: "A server tool's result has no call before it.",
        words: "messages.{n}.content.{m}: unexpected `tool_use_id` found in `{type}` blocks: {id}. Each `{type}` block must have a corresponding `server_tool_use` block before it.",
        evidence: Evidence::Seen,
        source: "T11; claude-code#64383, #80439",
        check: results_first,
    },
    Rule {
        name: "unresolved-server-call",
        status: 400,
        when: "The turn goes on though a server tool's call has no result, or its tool is gone.",
        words: "`{name}` tool use with id `{id}` was found without a corresponding `{type}` block\n`{name}` tool use with id `{id}` was found without a corresponding `{type}` block but no `{name}` tool was provided",
        evidence: Evidence::Documented,
        source: "T12; documentation of stop reasons and server tools",
        check: unresolved,
    },
    Rule {
        name: "unsealed-search",
        status: 400,
        when: "What a web search found comes back without its seal.",
        words: "messages.{n}.content.{m}: Invalid encrypted_content in search_result block",
        evidence: Evidence::Quoted,
        source: "code-yeongyu/senpi#150; BerriAI/litellm#36228 for one that is missing",
        check: unsealed,
    },
    Rule {
        name: "pending-code",
        status: 400,
        when: "Code waits for the results of its calls, and gets something else, or no container.",
        words: "messages.{n}.content.{m}: only `tool_result` blocks may be provided while a programmatic tool call is pending\nmessages.{n}.content.{m}: the result of a programmatic tool call must be text\ncontainer: the container id is required while a programmatic tool call is pending",
        evidence: Evidence::Inferred,
        source: "T16; documentation of programmatic tool calling",
        check: pending_code,
    },
    Rule {
        name: "toolset-name",
        status: 400,
        when: "The result of a toolset's call does not name the toolset.",
        words: "messages.{n}.content.{m}.tool_result.toolset_name: must match the `toolset_name` of the `tool_use` block: {name}",
        evidence: Evidence::Inferred,
        source: "T18; documentation of tool calls",
        check: toolsets,
    },
];
