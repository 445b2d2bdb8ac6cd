//! Rules about tool calls and results.

use serde_json::Value;

use super::view::{Block, blocks, message_blocks};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Request};

/// The ids of the client's calls or results in a message.
fn client_tool_ids<'v>(body: &'v Value, message: usize, kind: &str) -> Vec<&'v str> {
    let Some(value) = array_field(body, "messages").get(message) else { return Vec::new() };
    let id = |block: Block<'v>| client_tool(block, kind).map(|tool| str_field(tool, "toolUseId"));
    message_blocks(value, message).filter_map(id).collect()
}

/// A call or result of the client's tools. Those of server tools are both in the assistant message.
fn client_tool<'v>(block: Block<'v>, kind: &str) -> Option<&'v Value> {
    block.member(kind).filter(|tool| !is_server_tool(kind, tool))
}

/// Returns whether a `toolUse` or `toolResult` belongs to a server tool: the type of its call is
/// `server_tool_use`, that of its result names the tool, as in `nova_grounding_result`.
pub(super) fn is_server_tool(kind: &str, tool: &Value) -> bool {
    let tool_type = str_field(tool, "type");
    match kind {
        "toolUse" => tool_type == "server_tool_use",
        _ => tool_type.ends_with("_result") && tool_type != "tool_result",
    }
}

pub(super) fn tools_without_config(request: &Request<'_>, cx: &mut CheckContext) {
    let body = request.body;
    let is_tool_block = |block: &Block<'_>| {
        ["toolUse", "toolResult"].iter().any(|kind| client_tool(*block, kind).is_some())
    };
    let has_config = body.field("toolConfig").is_some_and(|config| !config.is_null());
    if let Some(block) = blocks(body).find(is_tool_block).filter(|_| !has_config) {
        cx.reject(block.path(), cx.message());
    }
}

pub(super) fn unanswered_call(request: &Request<'_>, cx: &mut CheckContext) {
    let body = request.body;
    for (at, message) in array_field(body, "messages").iter().enumerate() {
        if str_field(message, "role") != "assistant" {
            continue;
        }
        let result_ids = client_tool_ids(body, at + 1, "toolResult");
        let mut missing = client_tool_ids(body, at, "toolUse");
        missing.retain(|id| !result_ids.contains(id));
        if !missing.is_empty() {
            let path = format!("messages.{}.content", at + 1);
            cx.reject_filled(path, &[("ids", &missing.join(", "))]);
        }
    }
}

pub(super) fn too_many_results(request: &Request<'_>, cx: &mut CheckContext) {
    let body = request.body;
    for (at, message) in array_field(body, "messages").iter().enumerate() {
        let call_count = at
            .checked_sub(1)
            .map_or(0, |previous| client_tool_ids(body, previous, "toolUse").len());
        if str_field(message, "role") == "user"
            && client_tool_ids(body, at, "toolResult").len() > call_count
        {
            let path = format!("messages.{at}.content");
            cx.reject_filled(path, &[]);
        }
    }
}

pub(super) fn tool_input(request: &Request<'_>, cx: &mut CheckContext) {
    for block in blocks(request.body) {
        let Some(input) = block.member("toolUse").and_then(|call| call.field("input")) else {
            continue;
        };
        if !input.is_object() {
            let path = format!("{}.toolUse.input", block.path());
            cx.reject_filled(path, &[]);
        }
    }
}

pub(super) fn schema_root_type(request: &Request<'_>, cx: &mut CheckContext) {
    let tools =
        request.body.field("toolConfig").map_or(&[][..], |config| array_field(config, "tools"));
    for (at, tool) in tools.iter().enumerate() {
        let Some(schema) = tool.pointer("/toolSpec/inputSchema/json") else { continue };
        if schema.field("type").is_none_or(|kind| kind != "object") {
            let path = format!("toolConfig.tools.{at}.toolSpec.inputSchema.json.type");
            cx.reject_filled(path, &[]);
        }
    }
}
