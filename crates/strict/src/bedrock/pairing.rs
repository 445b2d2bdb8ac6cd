//! Tools, calls and results.

use serde_json::Value;

use super::view::{Block, blocks, blocks_of};
use crate::rule::{Fields as _, items, string};
use crate::{Evidence, Findings, Request, Rule};

/// What the calls or results of a message are about.
fn ids<'v>(body: &'v Value, message: usize, kind: &str) -> Vec<&'v str> {
    let Some(value) = items(body, "messages").get(message) else { return Vec::new() };
    let id = |block: Block<'v>| client_tool(block, kind).map(|tool| string(tool, "toolUseId"));
    blocks_of(value, message).filter_map(id).collect()
}

/// A call or result of the client's tools: those that the provider runs itself have a type, and both
/// stand in the assistant's message.
fn client_tool<'v>(block: Block<'v>, kind: &str) -> Option<&'v Value> {
    block.field(kind).filter(|tool| tool.field("type").is_none_or(Value::is_null))
}

fn without_config(request: &Request<'_>, findings: &mut Findings) {
    let body = request.body;
    let uses = |block: &Block<'_>| {
        ["toolUse", "toolResult"].iter().any(|kind| client_tool(*block, kind).is_some())
    };
    let config = body.field("toolConfig").is_some_and(|config| !config.is_null());
    if let Some(block) = blocks(body).find(uses).filter(|_| !config) {
        findings.add(block.path(), NO_CONFIG);
    }
}

fn unanswered(request: &Request<'_>, findings: &mut Findings) {
    let body = request.body;
    for (at, message) in items(body, "messages").iter().enumerate() {
        if string(message, "role") != "assistant" {
            continue;
        }
        let answered = ids(body, at + 1, "toolResult");
        let mut missing = ids(body, at, "toolUse");
        missing.retain(|id| !answered.contains(id));
        if !missing.is_empty() {
            let path = format!("messages.{}.content", at + 1);
            let words = format!(
                "Expected toolResult blocks at {path} for the following Ids: {}",
                missing.join(", ")
            );
            findings.add(path, words);
        }
    }
}

fn too_many(request: &Request<'_>, findings: &mut Findings) {
    let body = request.body;
    for (at, message) in items(body, "messages").iter().enumerate() {
        let called = at.checked_sub(1).map_or(0, |before| ids(body, before, "toolUse").len());
        if string(message, "role") == "user" && ids(body, at, "toolResult").len() > called {
            let path = format!("messages.{at}.content");
            let words = format!(
                "The number of toolResult blocks at {path} exceeds the number of toolUse blocks of previous turn."
            );
            findings.add(path, words);
        }
    }
}

fn input(request: &Request<'_>, findings: &mut Findings) {
    for block in blocks(request.body) {
        let Some(input) = block.field("toolUse").and_then(|call| call.field("input")) else {
            continue;
        };
        if !input.is_object() {
            let path = format!("{}.toolUse.input", block.path());
            let words = format!(
                "The format of the value at {path} is invalid. Provide a json object for the field and try again."
            );
            findings.add(path, words);
        }
    }
}

fn schema(request: &Request<'_>, findings: &mut Findings) {
    let tools = request.body.field("toolConfig").map_or(&[][..], |config| items(config, "tools"));
    for (at, tool) in tools.iter().enumerate() {
        let Some(schema) = tool.pointer("/toolSpec/inputSchema/json") else { continue };
        if schema.field("type").is_none_or(|kind| kind != "object") {
            let path = format!("toolConfig.tools.{at}.toolSpec.inputSchema.json.type");
            let words = format!("The value at {path} must be one of the following: object.");
            findings.add(path, words);
        }
    }
}

const NO_CONFIG: &str =
    "The toolConfig field must be defined when using toolUse and toolResult content blocks.";

pub(super) const RULES: [Rule; 5] = [
    Rule {
        name: "schema-root-type",
        status: 400,
        when: "A tool's schema is not one of an object.",
        words: "The value at toolConfig.tools.{n}.toolSpec.inputSchema.json.type must be one of the following: object.",
        evidence: Evidence::Seen,
        source: "public logs 25967085669, 42410613198, 22174083253",
        check: schema,
    },
    Rule {
        name: "tool-input",
        status: 400,
        when: "The input of a call is not an object.",
        words: "The format of the value at messages.{n}.content.{m}.toolUse.input is invalid. Provide a json object for the field and try again.",
        evidence: Evidence::Seen,
        source: "public log 61653306717; how it begins and ends is ours",
        check: input,
    },
    Rule {
        name: "tools-without-config",
        status: 400,
        when: "There are calls or results, but no toolConfig.",
        words: NO_CONFIG,
        evidence: Evidence::Seen,
        source: "B3; public code 30930271254",
        check: without_config,
    },
    Rule {
        name: "unanswered-call",
        status: 400,
        when: "A call has no result in the next message.",
        words: "Expected toolResult blocks at messages.{n}.content for the following Ids: {ids}",
        evidence: Evidence::Seen,
        source: "B1; camel#3954, genkit aws#664",
        check: unanswered,
    },
    Rule {
        name: "too-many-results",
        status: 400,
        when: "A message has more results than the one before it has calls.",
        words: "The number of toolResult blocks at messages.{n}.content exceeds the number of toolUse blocks of previous turn.",
        evidence: Evidence::Seen,
        source: "B2; strands#1435",
        check: too_many,
    },
];
