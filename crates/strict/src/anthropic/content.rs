//! Rules about empty and blank content.

use serde_json::Value;

use super::roles::{allows_prefill, is_directive, prefill_index};
use super::view::{self, Block, is_blank, messages};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, EmptyText, Evidence, Request, Rule};

fn empty_message(request: &Request<'_>, cx: &mut CheckContext) {
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
            let error_message = format!("{path}: {EMPTY_MESSAGE_ERROR}");
            cx.reject(path, error_message);
        }
    }
}

fn cached_empty_text(request: &Request<'_>, cx: &mut CheckContext) {
    let mut check = |path: &dyn Fn() -> String, value: &Value| {
        let is_cached = value.field("cache_control").is_some_and(|cache| !cache.is_null());
        if is_cached && str_field(value, "type") == "text" && str_field(value, "text").is_empty() {
            let path = path();
            let message = format!("{path}.text: {CACHED_EMPTY_TEXT_ERROR}");
            cx.reject(path, message);
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

fn empty_text(request: &Request<'_>, cx: &mut CheckContext) {
    for block in text_blocks(request.body).filter(|block| block.text().is_empty()) {
        let keeps_empty = request.switches.empty_text == Some(EmptyText::Keep);
        if !(keeps_empty && is_between_thinking(request.body, &block)) {
            cx.reject(block.path(), EMPTY_TEXT_ERROR);
        }
    }
}

fn blank_text(request: &Request<'_>, cx: &mut CheckContext) {
    for block in text_blocks(request.body).filter(|block| is_blank(block.text())) {
        let drops_blank = request.switches.empty_text == Some(EmptyText::Drop);
        let is_allowed = !drops_blank && is_between_thinking(request.body, &block);
        if !is_allowed && !block.text().is_empty() {
            cx.reject(block.path(), BLANK_TEXT_ERROR);
        }
    }
}

fn text_blocks(body: &Value) -> impl Iterator<Item = Block<'_>> {
    view::blocks(body).filter(|block| block.is_type("text"))
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

fn empty_result_text(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body) {
        for inner in view::result_blocks(&block).filter(|inner| inner.block_type() == "text") {
            if inner.value.field("text").is_some_and(|text| text == "") {
                cx.reject(inner.path(), EMPTY_TEXT_ERROR);
            }
        }
    }
}

fn empty_system_text(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, block) in array_field(request.body, "system").iter().enumerate() {
        if block.field("text").is_some_and(|text| text == "") {
            cx.reject(format!("system.{at}"), EMPTY_SYSTEM_TEXT_ERROR);
        }
    }
}

fn trailing_whitespace(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(at) = prefill_index(request.body).filter(|_| allows_prefill(request)) else { return };
    let last = view::message_blocks(&messages(request.body)[at], at).last();
    if let Some(block) = last.filter(|block| block.is_type("text"))
        && block.text().ends_with(char::is_whitespace)
    {
        cx.reject(block.path(), TRAILING_WHITESPACE_ERROR);
    }
}

fn final_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    for run in view::merged_messages(request.body).iter().filter(|run| run.role == "assistant") {
        if run.blocks.last().is_some_and(Block::is_thinking) {
            let path = format!("messages.{}", run.last_message);
            let message = format!("{path}: {FINAL_THINKING_ERROR}");
            cx.reject(path, message);
        }
    }
}

const EMPTY_MESSAGE_ERROR: &str =
    "all messages must have non-empty content except for the optional final assistant message";
const EMPTY_TEXT_ERROR: &str = "messages: text content blocks must be non-empty";
const BLANK_TEXT_ERROR: &str = "messages: text content blocks must contain non-whitespace text";
const EMPTY_SYSTEM_TEXT_ERROR: &str = "system: text content blocks must be non-empty";
const CACHED_EMPTY_TEXT_ERROR: &str = "cache_control cannot be set for empty text blocks";
const TRAILING_WHITESPACE_ERROR: &str =
    "final assistant content cannot end with trailing whitespace";
const FINAL_THINKING_ERROR: &str = "The final block in an assistant message cannot be `thinking`.";

pub(super) const RULES: [Rule; 8] = [
    Rule {
        name: "cached-empty-text",
        status: 400,
        condition: "A cache breakpoint is set on an empty text block.",
        error_message: "{path}.text: cache_control cannot be set for empty text blocks",
        evidence: Evidence::Observed,
        source: "E7; dario#1066, opencode#16750",
        check: cached_empty_text,
    },
    Rule {
        name: "empty-system-text",
        status: 400,
        condition: "A text block of the system prompt is empty.",
        error_message: EMPTY_SYSTEM_TEXT_ERROR,
        evidence: Evidence::Inferred,
        source: "E5",
        check: empty_system_text,
    },
    Rule {
        name: "empty-message",
        status: 400,
        condition: "A message other than a final assistant message has no content.",
        error_message: "messages.{n}: all messages must have non-empty content except for the optional final assistant message",
        evidence: Evidence::Observed,
        source: "E1; claude-code#6774, #3196, #4416",
        check: empty_message,
    },
    Rule {
        name: "empty-text",
        status: 400,
        condition: "A text block is empty; between signed thinking blocks the switch empty_text decides.",
        error_message: EMPTY_TEXT_ERROR,
        evidence: Evidence::Observed,
        source: "E2; claude-code#59812, #49171",
        check: empty_text,
    },
    Rule {
        name: "empty-result-text",
        status: 400,
        condition: "A text block inside a tool result is empty; a result without content is accepted.",
        error_message: EMPTY_TEXT_ERROR,
        evidence: Evidence::Observed,
        source: "E8; livekit#1789, hermes#55092, contested by stdapi.ai#226",
        check: empty_result_text,
    },
    Rule {
        name: "blank-text",
        status: 400,
        condition: "A text block has only whitespace; between signed thinking blocks the switch empty_text decides.",
        error_message: BLANK_TEXT_ERROR,
        evidence: Evidence::Observed,
        source: "E3; claude-code#23440, #23369, opencode#31259",
        check: blank_text,
    },
    Rule {
        name: "trailing-whitespace",
        status: 400,
        condition: "The final assistant message ends with whitespace, and the model is to continue it.",
        error_message: TRAILING_WHITESPACE_ERROR,
        evidence: Evidence::Quoted,
        source: "E4; public code 55380657968",
        check: trailing_whitespace,
    },
    Rule {
        name: "final-thinking",
        status: 400,
        condition: "An assistant message ends with thinking.",
        error_message: "messages.{n}: The final block in an assistant message cannot be `thinking`.",
        evidence: Evidence::Observed,
        source: "E9; forgecode#2107",
        check: final_thinking,
    },
];
