//! Rules about server tools, programmatic tool calls and toolsets.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::view::{self, Block, MergedMessage};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Evidence, Request, Rule};

fn server_call_id(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body).filter(|block| block.is_type("server_tool_use")) {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let rest = block.str_field("id").strip_prefix("srvtoolu_");
        if !rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_allowed)) {
            let path = format!("{}.server_tool_use.id", block.path());
            let message = format!("{path}: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'");
            cx.reject(path, message);
        }
    }
}

fn unexpected_server_result(request: &Request<'_>, cx: &mut CheckContext) {
    let mut seen = BTreeSet::new();
    for block in view::blocks(request.body) {
        if block.is_type("server_tool_use") {
            seen.insert(block.str_field("id"));
        }
        let (kind, id) = (block.block_type(), block.str_field("tool_use_id"));
        if block.is_server_result() && !seen.contains(id) {
            let path = block.path();
            let message = format!(
                "{path}: unexpected `tool_use_id` found in `{kind}` blocks: {id}. Each `{kind}` block must have a corresponding `server_tool_use` block before it."
            );
            cx.reject(path, message);
        }
    }
}

fn unresolved_server_call(request: &Request<'_>, cx: &mut CheckContext) {
    let runs = view::merged_messages(request.body);
    for (at, run) in runs.iter().enumerate() {
        for block in run.blocks.iter().filter(|block| block.is_type("server_tool_use")) {
            let (name, id) = (block.str_field("name"), block.str_field("id"));
            let next_user_run =
                runs[at..].iter().position(has_user_content).map(|offset| at + offset);
            let end = next_user_run.unwrap_or(runs.len());
            let is_result = |other: &Block<'_>| {
                other.is_server_result() && other.str_field("tool_use_id") == id
            };
            if runs[at..end].iter().flat_map(|run| &run.blocks).any(is_result) {
                continue;
            }
            let message = format!(
                "`{name}` tool use with id `{id}` was found without a corresponding `{}` block",
                result_block_type(name)
            );
            if next_user_run.is_some() {
                cx.reject(block.path(), message);
            } else if !has_tool(request.body, name) {
                cx.reject(block.path(), format!("{message} but no `{name}` tool was provided"));
            }
        }
    }
}

/// Whether a user message has more than tool results.
fn has_user_content(run: &MergedMessage<'_>) -> bool {
    run.role == "user" && !run.blocks.iter().all(|block| block.is_type("tool_result"))
}

fn result_block_type(name: &str) -> String {
    match name {
        "tool_search_tool_regex" | "tool_search_tool_bm25" => "tool_search_tool_result".into(),
        name => format!("{name}_tool_result"),
    }
}

fn has_tool(body: &Value, name: &str) -> bool {
    let tool = name.strip_prefix("bash_").or_else(|| name.strip_prefix("text_editor_"));
    let tool = tool.unwrap_or(name);
    array_field(body, "tools")
        .iter()
        .any(|tool_value| str_field(tool_value, "type").starts_with(tool))
}

fn answered_server_call(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body).filter(|block| block.is_type("tool_result")) {
        let id = block.str_field("tool_use_id");
        if id.starts_with("srvtoolu_") {
            let path = block.path();
            let message = format!(
                "{path}: `tool_result` blocks cannot be provided for server tools. Found `tool_use_id`: {id}"
            );
            cx.reject(path, message);
        }
    }
}

/// Web search results must be replayed with their encrypted content.
fn unsealed_search(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body).filter(|block| block.is_type("web_search_tool_result"))
    {
        let results = array_field(block.value, "content").iter();
        let mut results = results.filter(|result| str_field(result, "type") == "web_search_result");
        if results.any(|result| str_field(result, "encrypted_content").is_empty()) {
            let message =
                format!("{}: Invalid encrypted_content in search_result block", block.path());
            cx.reject(block.path(), message);
        }
    }
}

/// While a programmatic tool call is pending, only its results are accepted.
fn pending_code(request: &Request<'_>, cx: &mut CheckContext) {
    let runs = view::merged_messages(request.body);
    let [.., calls, results] = runs.as_slice() else { return };
    let is_programmatic = |block: &Block<'_>| {
        let caller = block.value.pointer("/caller/type").and_then(Value::as_str);
        block.is_type("tool_use") && caller.is_some_and(|caller| caller != "direct")
    };
    if results.role != "user" || !calls.blocks.iter().any(is_programmatic) {
        return;
    }
    for block in &results.blocks {
        if !block.is_type("tool_result") {
            cx.reject(block.path(), format!("{}: {PENDING_CODE_RESULTS_ERROR}", block.path()));
        } else if view::result_blocks(block).any(|inner| inner.block_type() != "text") {
            cx.reject(block.path(), format!("{}: {PENDING_CODE_TEXT_ERROR}", block.path()));
        }
    }
    if request.body.field("container").is_none_or(Value::is_null) {
        cx.reject("container", PENDING_CODE_CONTAINER_ERROR);
    }
}

fn toolset_name(request: &Request<'_>, cx: &mut CheckContext) {
    let mut toolset_names = BTreeMap::new();
    for block in view::blocks(request.body) {
        if block.is_type("tool_use") {
            toolset_names.insert(block.str_field("id"), block.str_field("toolset_name"));
        }
        let toolset =
            toolset_names.get(block.str_field("tool_use_id")).copied().unwrap_or_default();
        if block.is_type("tool_result")
            && !toolset.is_empty()
            && block.str_field("toolset_name") != toolset
        {
            let path = format!("{}.tool_result.toolset_name", block.path());
            let message =
                format!("{path}: must match the `toolset_name` of the `tool_use` block: {toolset}");
            cx.reject(path, message);
        }
    }
}

const PENDING_CODE_RESULTS_ERROR: &str =
    "only `tool_result` blocks may be provided while a programmatic tool call is pending";
const PENDING_CODE_TEXT_ERROR: &str = "the result of a programmatic tool call must be text";
const PENDING_CODE_CONTAINER_ERROR: &str =
    "container: the container id is required while a programmatic tool call is pending";

pub(super) const RULES: [Rule; 7] = [
    Rule {
        name: "server-call-id",
        status: 400,
        condition: "The id of a server tool's call does not have the form `srvtoolu_…`.",
        error_message: "messages.{n}.content.{m}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
        evidence: Evidence::Observed,
        source: "T9; public code 59109475327, cc-proxy-plugin#67",
        check: server_call_id,
    },
    Rule {
        name: "answered-server-call",
        status: 400,
        condition: "The client sends a result for a server tool's call.",
        error_message: "messages.{n}.content.{m}: `tool_result` blocks cannot be provided for server tools. Found `tool_use_id`: {id}",
        evidence: Evidence::Inferred,
        source: "T17; documentation of tool search",
        check: answered_server_call,
    },
    Rule {
        name: "unexpected-server-result",
        status: 400,
        condition: "A server tool's result has no call before it.",
        error_message: "messages.{n}.content.{m}: unexpected `tool_use_id` found in `{type}` blocks: {id}. Each `{type}` block must have a corresponding `server_tool_use` block before it.",
        evidence: Evidence::Observed,
        source: "T11; claude-code#64383, #80439",
        check: unexpected_server_result,
    },
    Rule {
        name: "unresolved-server-call",
        status: 400,
        condition: "The conversation continues after a server tool's call without a result, or the tool is missing.",
        error_message: "`{name}` tool use with id `{id}` was found without a corresponding `{type}` block\n`{name}` tool use with id `{id}` was found without a corresponding `{type}` block but no `{name}` tool was provided",
        evidence: Evidence::Documented,
        source: "T12; documentation of stop reasons and server tools",
        check: unresolved_server_call,
    },
    Rule {
        name: "unsealed-search",
        status: 400,
        condition: "A web search result has no encrypted content.",
        error_message: "messages.{n}.content.{m}: Invalid encrypted_content in search_result block",
        evidence: Evidence::Quoted,
        source: "code-yeongyu/senpi#150; BerriAI/litellm#36228 for one that is missing",
        check: unsealed_search,
    },
    Rule {
        name: "pending-code",
        status: 400,
        condition: "A programmatic tool call is pending, and the next message has other content than its results, or no container.",
        error_message: "messages.{n}.content.{m}: only `tool_result` blocks may be provided while a programmatic tool call is pending\nmessages.{n}.content.{m}: the result of a programmatic tool call must be text\ncontainer: the container id is required while a programmatic tool call is pending",
        evidence: Evidence::Inferred,
        source: "T16; documentation of programmatic tool calling",
        check: pending_code,
    },
    Rule {
        name: "toolset-name",
        status: 400,
        condition: "The result of a toolset's call does not contain the toolset's name.",
        error_message: "messages.{n}.content.{m}.tool_result.toolset_name: must match the `toolset_name` of the `tool_use` block: {name}",
        evidence: Evidence::Inferred,
        source: "T18; documentation of tool calls",
        check: toolset_name,
    },
];
