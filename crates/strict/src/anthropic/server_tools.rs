//! Rules about server tools, programmatic tool calls and toolsets.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::view::{self, Block, MergedMessage};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Request};

pub(super) fn server_call_id(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body).filter(|block| block.is_type("server_tool_use")) {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let rest = block.str_field("id").strip_prefix("srvtoolu_");
        if !rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_allowed)) {
            let path = format!("{}.server_tool_use.id", block.path());
            cx.reject_filled(path, &[]);
        }
    }
}

pub(super) fn unexpected_server_result(request: &Request<'_>, cx: &mut CheckContext) {
    let mut seen = BTreeSet::new();
    for block in view::blocks(request.body) {
        if block.is_type("server_tool_use") {
            seen.insert(block.str_field("id"));
        }
        let (kind, id) = (block.block_type(), block.str_field("tool_use_id"));
        if block.is_server_result() && !seen.contains(id) {
            let path = block.path();
            cx.reject_filled(path, &[("type", &kind), ("id", &id), ("type", &kind)]);
        }
    }
}

pub(super) fn unresolved_server_call(request: &Request<'_>, cx: &mut CheckContext) {
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

pub(super) fn answered_server_call(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body).filter(|block| block.is_type("tool_result")) {
        let id = block.str_field("tool_use_id");
        if id.starts_with("srvtoolu_") {
            let path = block.path();
            cx.reject_filled(path, &[("id", &id)]);
        }
    }
}

/// Web search results must be replayed with their encrypted content.
pub(super) fn unsealed_search(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body).filter(|block| block.is_type("web_search_tool_result"))
    {
        let results = array_field(block.value, "content").iter();
        let mut results = results.filter(|result| str_field(result, "type") == "web_search_result");
        if results.any(|result| str_field(result, "encrypted_content").is_empty()) {
            cx.reject_filled(block.path(), &[]);
        }
    }
}

/// While a programmatic tool call is pending, only its results are accepted.
pub(super) fn pending_code(request: &Request<'_>, cx: &mut CheckContext) {
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
        cx.reject("container", cx.case("pending-code-container"));
    }
}

pub(super) fn toolset_name(request: &Request<'_>, cx: &mut CheckContext) {
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
            cx.reject_filled(path, &[("name", &toolset)]);
        }
    }
}

const PENDING_CODE_RESULTS_ERROR: &str =
    "only `tool_result` blocks may be provided while a programmatic tool call is pending";
const PENDING_CODE_TEXT_ERROR: &str = "the result of a programmatic tool call must be text";
