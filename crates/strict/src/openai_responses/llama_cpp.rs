//! What llama.cpp refuses: it turns a request into one of Chat Completions, and has no rules but
//! those of that translation.

use serde_json::Value;

use super::view::{self, Item};
use crate::rule::{Fields as _, items, string};
use crate::{Evidence, Findings, Request, Rule};

pub(super) const FLAVOR: &str = "llama.cpp";

/// Whether a rule is one of this server.
pub(super) fn has(rule: &Rule) -> bool {
    rule.name.starts_with("llama-cpp-")
}

fn input(request: &Request<'_>, findings: &mut Findings) {
    match request.body.field("input") {
        None => findings.add("input", NO_INPUT),
        Some(Value::String(_) | Value::Array(_)) => {}
        Some(_) => findings.add("input", OTHER_INPUT),
    }
}

fn state(request: &Request<'_>, findings: &mut Findings) {
    if !string(request.body, "previous_response_id").is_empty() {
        findings.add("previous_response_id", STATE);
    }
}

/// How the server tells what an item is.
fn kind(item: Item<'_>) -> Option<&'static str> {
    let text = |key| item.value.field(key).is_some_and(Value::is_string);
    let list = |key| item.value.field(key).is_some_and(Value::is_array);
    let said = string(item.value, "type");
    match string(item.value, "role") {
        "user" | "system" | "developer" if text("content") || list("content") => Some("message"),
        "assistant" if text("content") || (list("content") && said == "message") => Some("answer"),
        _ if said == "function_call" && text("arguments") && text("call_id") && text("name") => {
            Some("call")
        }
        _ if said == "function_call_output" && text("call_id") => {
            (text("output") || list("output")).then_some("output")
        }
        _ if said == "reasoning" && list("summary") => Some("reasoning"),
        _ => None,
    }
}

fn item(request: &Request<'_>, findings: &mut Findings) {
    for item in view::input(request.body).filter(|item| kind(*item).is_none()) {
        findings.add(item.path(), ITEM);
    }
}

fn part(request: &Request<'_>, findings: &mut Findings) {
    for item in view::input(request.body).filter(|item| kind(*item) == Some("message")) {
        for (at, part) in items(item.value, "content").iter().enumerate() {
            let path = format!("{}.content.{at}", item.path());
            match string(part, "type") {
                "input_text" | "input_image" => {}
                "input_file" => findings.add(path, FILE),
                _ => findings.add(path, PART),
            }
        }
    }
}

fn output(request: &Request<'_>, findings: &mut Findings) {
    for item in view::input(request.body).filter(|item| kind(*item) == Some("output")) {
        for (at, part) in items(item.value, "output").iter().enumerate() {
            if string(part, "type") != "input_text" {
                findings.add(format!("{}.output.{at}", item.path()), OUTPUT);
            }
        }
    }
}

fn reasoning(request: &Request<'_>, findings: &mut Findings) {
    for item in view::input(request.body).filter(|item| kind(*item) == Some("reasoning")) {
        match item.value.field("content").and_then(Value::as_array) {
            None => findings.add(item.path(), NO_LIST),
            Some(content) if content.is_empty() => findings.add(item.path(), EMPTY),
            Some(_) => {}
        }
    }
}

/// Who says nothing of tools leaves the field out: null is no list, either.
fn tools(request: &Request<'_>, findings: &mut Findings) {
    if request.body.get("tools").is_some_and(|tools| !tools.is_array()) {
        findings.add("tools", TOOLS);
    }
}

const NO_INPUT: &str = "'input' is required";
const OTHER_INPUT: &str = "'input' must be a string or array of objects";
const STATE: &str = "llama.cpp does not support 'previous_response_id'.";
const ITEM: &str = "Cannot determine type of 'item'";
const FILE: &str = "'input_file' is not supported by llamacpp at this moment";
const PART: &str = "'type' must be one of 'input_text', 'input_image', or 'input_file'";
const OUTPUT: &str = "Output of tool call should be 'Input text'";
const NO_LIST: &str = "item['content'] is not an array";
const TOOLS: &str = "'tools' must be an array of objects";
const EMPTY: &str = "item['content'] is empty";

macro_rules! rule {
    ($name:literal, $when:literal, $words:literal, $check:expr) => {
        Rule {
            name: $name,
            status: 400,
            when: $when,
            words: $words,
            evidence: Evidence::Documented,
            source: "llama.cpp source",
            check: $check,
        }
    };
}

pub(super) const RULES: [Rule; 7] = [
    rule!(
        "llama-cpp-input",
        "Flavor `llama.cpp`: there is no input, or it is neither text nor a list.",
        "'input' is required\n'input' must be a string or array of objects",
        input
    ),
    rule!(
        "llama-cpp-state",
        "Flavor `llama.cpp`: the conversation goes on from a response.",
        "llama.cpp does not support 'previous_response_id'.",
        state
    ),
    rule!(
        "llama-cpp-item",
        "Flavor `llama.cpp`: an item is of a kind that it does not know, or lacks what its kind has; an assistant's message with parts says its type.",
        "Cannot determine type of 'item'",
        item
    ),
    rule!(
        "llama-cpp-part",
        "Flavor `llama.cpp`: a part of a message is a file, or neither text nor an image.",
        "'input_file' is not supported by llamacpp at this moment\n'type' must be one of 'input_text', 'input_image', or 'input_file'",
        part
    ),
    rule!(
        "llama-cpp-output",
        "Flavor `llama.cpp`: the output of a call holds something other than text.",
        "Output of tool call should be 'Input text'",
        output
    ),
    rule!(
        "llama-cpp-reasoning",
        "Flavor `llama.cpp`: reasoning comes back without its text.",
        "item['content'] is not an array\nitem['content'] is empty",
        reasoning
    ),
    rule!(
        "llama-cpp-tools",
        "Flavor `llama.cpp`: the tools are no list; null is none, either.",
        "'tools' must be an array of objects",
        tools
    ),
];
