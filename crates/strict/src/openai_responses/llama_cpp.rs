//! Rules of llama.cpp's server, which converts requests to Chat Completions and only rejects what
//! it cannot convert.

use serde_json::Value;

use super::view::{self, Item};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Evidence, Request, Rule};

pub(super) const FLAVOR: &str = "llama.cpp";

/// Whether a rule belongs to this flavor.
pub(super) fn has_rule(rule: &Rule) -> bool {
    rule.name.starts_with("llama-cpp-")
}

fn llama_cpp_input(request: &Request<'_>, cx: &mut CheckContext) {
    match request.body.field("input") {
        None => cx.reject("input", MISSING_INPUT_ERROR),
        Some(Value::String(_) | Value::Array(_)) => {}
        Some(_) => cx.reject("input", INVALID_INPUT_ERROR),
    }
}

fn llama_cpp_state(request: &Request<'_>, cx: &mut CheckContext) {
    if !str_field(request.body, "previous_response_id").is_empty() {
        cx.reject("previous_response_id", LLAMA_CPP_STATE_ERROR);
    }
}

/// The kind of an item, by the server's own tests.
fn item_kind(item: Item<'_>) -> Option<&'static str> {
    let is_text = |key| item.value.field(key).is_some_and(Value::is_string);
    let is_list = |key| item.value.field(key).is_some_and(Value::is_array);
    let item_type = str_field(item.value, "type");
    match str_field(item.value, "role") {
        "user" | "system" | "developer" if is_text("content") || is_list("content") => {
            Some("message")
        }
        "assistant" if is_text("content") || (is_list("content") && item_type == "message") => {
            Some("answer")
        }
        _ if item_type == "function_call"
            && is_text("arguments")
            && is_text("call_id")
            && is_text("name") =>
        {
            Some("call")
        }
        _ if item_type == "function_call_output" && is_text("call_id") => {
            (is_text("output") || is_list("output")).then_some("output")
        }
        _ if item_type == "reasoning" && is_list("summary") => Some("reasoning"),
        _ => None,
    }
}

fn llama_cpp_item(request: &Request<'_>, cx: &mut CheckContext) {
    for item in view::input(request.body).filter(|item| item_kind(*item).is_none()) {
        cx.reject(item.path(), LLAMA_CPP_ITEM_ERROR);
    }
}

fn llama_cpp_part(request: &Request<'_>, cx: &mut CheckContext) {
    for item in view::input(request.body).filter(|item| item_kind(*item) == Some("message")) {
        for (at, part) in array_field(item.value, "content").iter().enumerate() {
            let path = format!("{}.content.{at}", item.path());
            match str_field(part, "type") {
                "input_text" | "input_image" => {}
                "input_file" => cx.reject(path, FILE_PART_ERROR),
                _ => cx.reject(path, UNKNOWN_PART_ERROR),
            }
        }
    }
}

fn llama_cpp_output(request: &Request<'_>, cx: &mut CheckContext) {
    for item in view::input(request.body).filter(|item| item_kind(*item) == Some("output")) {
        for (at, part) in array_field(item.value, "output").iter().enumerate() {
            if str_field(part, "type") != "input_text" {
                cx.reject(format!("{}.output.{at}", item.path()), LLAMA_CPP_OUTPUT_ERROR);
            }
        }
    }
}

fn llama_cpp_reasoning(request: &Request<'_>, cx: &mut CheckContext) {
    for item in view::input(request.body).filter(|item| item_kind(*item) == Some("reasoning")) {
        match item.value.field("content").and_then(Value::as_array) {
            None => cx.reject(item.path(), REASONING_NOT_ARRAY_ERROR),
            Some(content) if content.is_empty() => cx.reject(item.path(), REASONING_EMPTY_ERROR),
            Some(_) => {}
        }
    }
}

/// A missing field is accepted, null is not.
fn llama_cpp_tools(request: &Request<'_>, cx: &mut CheckContext) {
    if request.body.get("tools").is_some_and(|tools| !tools.is_array()) {
        cx.reject("tools", LLAMA_CPP_TOOLS_ERROR);
    }
}

const MISSING_INPUT_ERROR: &str = "'input' is required";
const INVALID_INPUT_ERROR: &str = "'input' must be a string or array of objects";
const LLAMA_CPP_STATE_ERROR: &str = "llama.cpp does not support 'previous_response_id'.";
const LLAMA_CPP_ITEM_ERROR: &str = "Cannot determine type of 'item'";
const FILE_PART_ERROR: &str = "'input_file' is not supported by llamacpp at this moment";
const UNKNOWN_PART_ERROR: &str =
    "'type' must be one of 'input_text', 'input_image', or 'input_file'";
const LLAMA_CPP_OUTPUT_ERROR: &str = "Output of tool call should be 'Input text'";
const REASONING_NOT_ARRAY_ERROR: &str = "item['content'] is not an array";
const LLAMA_CPP_TOOLS_ERROR: &str = "'tools' must be an array of objects";
const REASONING_EMPTY_ERROR: &str = "item['content'] is empty";

macro_rules! llama_cpp_rule {
    ($name:literal, $condition:literal, $error_message:literal, $check:expr) => {
        Rule {
            name: $name,
            status: 400,
            condition: $condition,
            error_message: $error_message,
            evidence: Evidence::Documented,
            source: "llama.cpp source",
            check: $check,
        }
    };
}

pub(super) const RULES: [Rule; 7] = [
    llama_cpp_rule!(
        "llama-cpp-input",
        "Flavor `llama.cpp`: there is no input, or it is neither text nor a list.",
        "'input' is required\n'input' must be a string or array of objects",
        llama_cpp_input
    ),
    llama_cpp_rule!(
        "llama-cpp-state",
        "Flavor `llama.cpp`: the request has a previous_response_id.",
        "llama.cpp does not support 'previous_response_id'.",
        llama_cpp_state
    ),
    llama_cpp_rule!(
        "llama-cpp-item",
        "Flavor `llama.cpp`: an item has an unknown type, or a required field is missing; an assistant message with parts needs its type.",
        "Cannot determine type of 'item'",
        llama_cpp_item
    ),
    llama_cpp_rule!(
        "llama-cpp-part",
        "Flavor `llama.cpp`: a part of a message is a file, or neither text nor an image.",
        "'input_file' is not supported by llamacpp at this moment\n'type' must be one of 'input_text', 'input_image', or 'input_file'",
        llama_cpp_part
    ),
    llama_cpp_rule!(
        "llama-cpp-output",
        "Flavor `llama.cpp`: the output of a call has other parts than text.",
        "Output of tool call should be 'Input text'",
        llama_cpp_output
    ),
    llama_cpp_rule!(
        "llama-cpp-reasoning",
        "Flavor `llama.cpp`: a reasoning item has no text.",
        "item['content'] is not an array\nitem['content'] is empty",
        llama_cpp_reasoning
    ),
    llama_cpp_rule!(
        "llama-cpp-tools",
        "Flavor `llama.cpp`: the tools are not a list; null is rejected, too.",
        "'tools' must be an array of objects",
        llama_cpp_tools
    ),
];
