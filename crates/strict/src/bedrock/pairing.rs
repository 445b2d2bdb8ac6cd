//! Rules about tool calls and results.

use serde_json::Value;

use super::view::{Block, blocks, message_blocks};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Evidence, Request, Rule};

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

fn tools_without_config(request: &Request<'_>, cx: &mut CheckContext) {
    let body = request.body;
    let is_tool_block = |block: &Block<'_>| {
        ["toolUse", "toolResult"].iter().any(|kind| client_tool(*block, kind).is_some())
    };
    let has_config = body.field("toolConfig").is_some_and(|config| !config.is_null());
    if let Some(block) = blocks(body).find(is_tool_block).filter(|_| !has_config) {
        cx.reject(block.path(), TOOLS_WITHOUT_CONFIG_ERROR);
    }
}

fn unanswered_call(request: &Request<'_>, cx: &mut CheckContext) {
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
            let error_message = format!(
                "Expected toolResult blocks at {path} for the following Ids: {}",
                missing.join(", ")
            );
            cx.reject(path, error_message);
        }
    }
}

fn too_many_results(request: &Request<'_>, cx: &mut CheckContext) {
    let body = request.body;
    for (at, message) in array_field(body, "messages").iter().enumerate() {
        let call_count = at
            .checked_sub(1)
            .map_or(0, |previous| client_tool_ids(body, previous, "toolUse").len());
        if str_field(message, "role") == "user"
            && client_tool_ids(body, at, "toolResult").len() > call_count
        {
            let path = format!("messages.{at}.content");
            let error_message = format!(
                "The number of toolResult blocks at {path} exceeds the number of toolUse blocks of previous turn."
            );
            cx.reject(path, error_message);
        }
    }
}

fn tool_input(request: &Request<'_>, cx: &mut CheckContext) {
    for block in blocks(request.body) {
        let Some(input) = block.member("toolUse").and_then(|call| call.field("input")) else {
            continue;
        };
        if !input.is_object() {
            let path = format!("{}.toolUse.input", block.path());
            let message = format!(
                "The format of the value at {path} is invalid. Provide a json object for the field and try again."
            );
            cx.reject(path, message);
        }
    }
}

fn schema_root_type(request: &Request<'_>, cx: &mut CheckContext) {
    let tools =
        request.body.field("toolConfig").map_or(&[][..], |config| array_field(config, "tools"));
    for (at, tool) in tools.iter().enumerate() {
        let Some(schema) = tool.pointer("/toolSpec/inputSchema/json") else { continue };
        if schema.field("type").is_none_or(|kind| kind != "object") {
            let path = format!("toolConfig.tools.{at}.toolSpec.inputSchema.json.type");
            let message = format!("The value at {path} must be one of the following: object.");
            cx.reject(path, message);
        }
    }
}

const TOOLS_WITHOUT_CONFIG_ERROR: &str =
    "The toolConfig field must be defined when using toolUse and toolResult content blocks.";

pub(super) const RULES: [Rule; 5] = [
    Rule {
        name: "schema-root-type",
        status: 400,
        condition: "The root of a tool's schema does not have the type object.",
        error_message: "The value at toolConfig.tools.{n}.toolSpec.inputSchema.json.type must be one of the following: object.",
        evidence: Evidence::Observed,
        source: "public logs 25967085669, 42410613198, 22174083253",
        check: schema_root_type,
    },
    Rule {
        name: "tool-input",
        status: 400,
        condition: "The input of a call is not an object.",
        error_message: "The format of the value at messages.{n}.content.{m}.toolUse.input is invalid. Provide a json object for the field and try again.",
        evidence: Evidence::Observed,
        source: "public log 61653306717; the beginning and end of the message are ours",
        check: tool_input,
    },
    Rule {
        name: "tools-without-config",
        status: 400,
        condition: "There are calls or results, but no toolConfig.",
        error_message: TOOLS_WITHOUT_CONFIG_ERROR,
        evidence: Evidence::Observed,
        source: "B3; public code 30930271254",
        check: tools_without_config,
    },
    Rule {
        name: "unanswered-call",
        status: 400,
        condition: "A call has no result in the next message.",
        error_message: "Expected toolResult blocks at messages.{n}.content for the following Ids: {ids}",
        evidence: Evidence::Observed,
        source: "B1; camel#3954, genkit aws#664",
        check: unanswered_call,
    },
    Rule {
        name: "too-many-results",
        status: 400,
        condition: "A message has more results than the one before it has calls.",
        error_message: "The number of toolResult blocks at messages.{n}.content exceeds the number of toolUse blocks of previous turn.",
        evidence: Evidence::Observed,
        source: "B2; strands#1435",
        check: too_many_results,
    },
];
