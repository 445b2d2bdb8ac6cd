//! Rules about empty and blank content.

use serde_json::Value;

use super::roles::{allows_prefill, is_directive, prefill_index};
use super::view::{self, Block, is_blank, messages};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, EmptyText, Request};

pub(super) fn empty_message(request: &Request<'_>, cx: &mut CheckContext) {
    let all = messages(request.body);
    for (at, message) in all.iter().enumerate() {
        let is_empty = match message.field("content") {
            Some(Value::Array(list)) => list.is_empty(),
            Some(Value::String(text)) => text.is_empty(),
            _ => false,
        };
        let is_final_assistant = at + 1 == all.len() && str_field(message, "role") == "assistant";
        if is_empty && !is_final_assistant && !is_directive(message) {
            let path = format!("messages.{at}");
            cx.reject_filled(path, &[]);
        }
    }
}

pub(super) fn cached_empty_text(request: &Request<'_>, cx: &mut CheckContext) {
    let mut check = |path: &dyn Fn() -> String, value: &Value| {
        let is_cached = value.field("cache_control").is_some_and(|cache| !cache.is_null());
        if is_cached && str_field(value, "type") == "text" && str_field(value, "text").is_empty() {
            let path = path();
            cx.reject_filled(path, &[]);
        }
    };
    for (at, block) in array_field(request.body, "system").iter().enumerate() {
        check(&|| format!("system.{at}"), block);
    }
    for block in view::blocks(request.body) {
        check(&|| block.path(), block.value);
        view::result_blocks(&block).for_each(|inner| check(&|| inner.path(), inner.value));
    }
}

pub(super) fn empty_text(request: &Request<'_>, cx: &mut CheckContext) {
    for block in text_blocks(request.body).filter(|block| block.text().is_empty()) {
        let keeps_empty = request.switches.empty_text == Some(EmptyText::Keep);
        if !(keeps_empty && is_between_thinking(request.body, &block)) {
            cx.reject(block.path(), cx.message());
        }
    }
}

pub(super) fn blank_text(request: &Request<'_>, cx: &mut CheckContext) {
    for block in text_blocks(request.body).filter(|block| is_blank(block.text())) {
        let drops_blank = request.switches.empty_text == Some(EmptyText::Drop);
        let is_allowed = !drops_blank
            && (is_between_thinking(request.body, &block)
                || is_beside_call_or_citation(request.body, &block));
        if !is_allowed && !block.text().is_empty() {
            cx.reject(block.path(), cx.message());
        }
    }
}

fn text_blocks(body: &Value) -> impl Iterator<Item = Block<'_>> {
    view::blocks(body).filter(|block| block.is_type("text"))
}

/// Whether the block is in a reply that calls a tool or cites.
fn is_beside_call_or_citation(body: &Value, block: &Block<'_>) -> bool {
    let content = array_field(&messages(body)[block.message_index], "content");
    let is_call_or_cited = |other: &Value| {
        str_field(other, "type") == "tool_use" || !array_field(other, "citations").is_empty()
    };
    block.role == "assistant" && content.iter().any(is_call_or_cited)
}

/// Whether the block is between two thinking blocks of its message.
fn is_between_thinking(body: &Value, block: &Block<'_>) -> bool {
    let content = array_field(&messages(body)[block.message_index], "content");
    let is_thinking = |at: usize| content.get(at).is_some_and(view::is_thinking);
    block.role == "assistant"
        && block.block_index > 0
        && is_thinking(block.block_index - 1)
        && is_thinking(block.block_index + 1)
}

pub(super) fn empty_result_text(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body) {
        for inner in view::result_blocks(&block).filter(|inner| inner.block_type() == "text") {
            if inner.value.field("text").is_some_and(|text| text == "") {
                cx.reject(inner.path(), cx.message());
            }
        }
    }
}

pub(super) fn empty_system_text(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, block) in array_field(request.body, "system").iter().enumerate() {
        if block.field("text").is_some_and(|text| text == "") {
            cx.reject(format!("system.{at}"), cx.message());
        }
    }
}

pub(super) fn trailing_whitespace(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(at) = prefill_index(request.body).filter(|_| allows_prefill(request)) else { return };
    let last = view::message_blocks(&messages(request.body)[at], at).last();
    if let Some(block) = last.filter(|block| block.is_type("text"))
        && block.text().ends_with(char::is_whitespace)
    {
        cx.reject(block.path(), cx.message());
    }
}

pub(super) fn final_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    for run in view::merged_messages(request.body).iter().filter(|run| run.role == "assistant") {
        if run.blocks.last().is_some_and(Block::is_thinking) {
            let path = format!("messages.{}", run.last_message);
            cx.reject_filled(path, &[]);
        }
    }
}
