//! Rules of llama.cpp's server, which converts requests to Chat Completions and only rejects what
//! it cannot convert.

use serde_json::Value;

use super::view::{self, Item};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Request, Rule};

pub(super) const FLAVOR: &str = "llama.cpp";

/// Whether a rule belongs to this flavor.
pub(super) fn has_rule(rule: &Rule) -> bool {
    rule.name.starts_with("llama-cpp-")
}

pub(super) fn llama_cpp_input(request: &Request<'_>, cx: &mut CheckContext) {
    match request.body.field("input") {
        None => cx.reject("input", cx.case("missing-input")),
        Some(Value::String(_) | Value::Array(_)) => {}
        Some(_) => cx.reject("input", cx.case("invalid-input")),
    }
}

pub(super) fn llama_cpp_state(request: &Request<'_>, cx: &mut CheckContext) {
    if !str_field(request.body, "previous_response_id").is_empty() {
        cx.reject("previous_response_id", cx.message());
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

pub(super) fn llama_cpp_item(request: &Request<'_>, cx: &mut CheckContext) {
    for item in view::input(request.body).filter(|item| item_kind(*item).is_none()) {
        cx.reject(item.path(), cx.message());
    }
}

pub(super) fn llama_cpp_part(request: &Request<'_>, cx: &mut CheckContext) {
    for item in view::input(request.body).filter(|item| item_kind(*item) == Some("message")) {
        for (at, part) in array_field(item.value, "content").iter().enumerate() {
            let path = format!("{}.content.{at}", item.path());
            match str_field(part, "type") {
                "input_text" | "input_image" => {}
                "input_file" => cx.reject(path, cx.case("file-part")),
                _ => cx.reject(path, cx.case("unknown-part")),
            }
        }
    }
}

pub(super) fn llama_cpp_output(request: &Request<'_>, cx: &mut CheckContext) {
    for item in view::input(request.body).filter(|item| item_kind(*item) == Some("output")) {
        for (at, part) in array_field(item.value, "output").iter().enumerate() {
            if str_field(part, "type") != "input_text" {
                cx.reject(format!("{}.output.{at}", item.path()), cx.message());
            }
        }
    }
}

pub(super) fn llama_cpp_reasoning(request: &Request<'_>, cx: &mut CheckContext) {
    for item in view::input(request.body).filter(|item| item_kind(*item) == Some("reasoning")) {
        match item.value.field("content").and_then(Value::as_array) {
            None => cx.reject(item.path(), cx.case("reasoning-not-array")),
            Some(content) if content.is_empty() => {
                cx.reject(item.path(), cx.case("reasoning-empty"));
            }
            Some(_) => {}
        }
    }
}

/// A missing field is accepted, null is not.
pub(super) fn llama_cpp_tools(request: &Request<'_>, cx: &mut CheckContext) {
    if request.body.get("tools").is_some_and(|tools| !tools.is_array()) {
        cx.reject("tools", cx.message());
    }
}
