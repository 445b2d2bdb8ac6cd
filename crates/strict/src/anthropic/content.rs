//! Empty and blank content.

use serde_json::Value;

use super::roles::{is_directive, prefilled, prefills};
use super::view::{self, Block, is_blank, messages};
use crate::rule::{Fields as _, items, string};
use crate::{EmptyText, Evidence, Findings, Request, Rule};

fn empty_message(request: &Request<'_>, findings: &mut Findings) {
    let all = messages(request.body);
    for (at, message) in all.iter().enumerate() {
        let empty = match message.field("content") {
            Some(Value::Array(list)) => list.is_empty(),
            Some(Value::String(text)) => text.is_empty(),
            _ => false,
        };
        let last = at + 1 == all.len() && string(message, "role") == "assistant";
        if empty && !last && !is_directive(message) {
            let path = format!("messages.{at}");
            let words = format!("{path}: {EMPTY_MESSAGE}");
            findings.add(path, words);
        }
    }
}

fn cached_empty(request: &Request<'_>, findings: &mut Findings) {
    let mut check = |path: &dyn Fn() -> String, value: &Value| {
        let cached = value.field("cache_control").is_some_and(|cache| !cache.is_null());
        if cached && string(value, "type") == "text" && string(value, "text").is_empty() {
            let path = path();
            let words = format!("{path}.text: {CACHED_EMPTY}");
            findings.add(path, words);
        }
    };
    for (at, block) in items(request.body, "system").iter().enumerate() {
        check(&|| format!("system.{at}"), block);
    }
    for block in view::blocks(request.body) {
        check(&|| block.path(), block.value);
        view::inside(&block).for_each(|inner| check(&|| inner.path(), inner.value));
    }
}

fn empty_text(request: &Request<'_>, findings: &mut Findings) {
    for block in texts(request.body).filter(|block| block.words().is_empty()) {
        let kept = request.switches.empty_text == Some(EmptyText::Keep);
        if !(kept && between_thinking(request.body, &block)) {
            findings.add(block.path(), EMPTY);
        }
    }
}

fn blank_text(request: &Request<'_>, findings: &mut Findings) {
    for block in texts(request.body).filter(|block| is_blank(block.words())) {
        let dropped = request.switches.empty_text == Some(EmptyText::Drop);
        let allowed = !dropped && between_thinking(request.body, &block);
        if !allowed && !block.words().is_empty() {
            findings.add(block.path(), BLANK);
        }
    }
}

fn texts(body: &Value) -> impl Iterator<Item = Block<'_>> {
    view::blocks(body).filter(|block| block.is("text"))
}

/// Whether the block stands between two thinking blocks of its message.
fn between_thinking(body: &Value, block: &Block<'_>) -> bool {
    let content = items(&messages(body)[block.message], "content");
    let thinks = |at: usize| content.get(at).is_some_and(view::is_thinking);
    block.role == "assistant"
        && block.index > 0
        && thinks(block.index - 1)
        && thinks(block.index + 1)
}

fn empty_result(request: &Request<'_>, findings: &mut Findings) {
    for block in view::blocks(request.body) {
        for inner in view::inside(&block).filter(|inner| inner.kind() == "text") {
            if inner.value.field("text").is_some_and(|text| text == "") {
                findings.add(inner.path(), EMPTY);
            }
        }
    }
}

fn empty_system(request: &Request<'_>, findings: &mut Findings) {
    for (at, block) in items(request.body, "system").iter().enumerate() {
        if block.field("text").is_some_and(|text| text == "") {
            findings.add(format!("system.{at}"), EMPTY_SYSTEM);
        }
    }
}

fn trailing_space(request: &Request<'_>, findings: &mut Findings) {
    let Some(at) = prefilled(request.body).filter(|_| prefills(request)) else { return };
    let last = view::blocks_of(&messages(request.body)[at], at).last();
    if let Some(block) = last.filter(|block| block.is("text"))
        && block.words().ends_with(char::is_whitespace)
    {
        findings.add(block.path(), TRAILING);
    }
}

fn final_thinking(request: &Request<'_>, findings: &mut Findings) {
    for run in view::runs(request.body).iter().filter(|run| run.role == "assistant") {
        if run.blocks.last().is_some_and(Block::is_thinking) {
            let path = format!("messages.{}", run.last);
            let words = format!("{path}: {FINAL_THINKING}");
            findings.add(path, words);
        }
    }
}

const EMPTY_MESSAGE: &str =
    "all messages must have non-empty content except for the optional final assistant message";
const EMPTY: &str = "messages: text content blocks must be non-empty";
const BLANK: &str = "messages: text content blocks must contain non-whitespace text";
const EMPTY_SYSTEM: &str = "system: text content blocks must be non-empty";
const CACHED_EMPTY: &str = "cache_control cannot be set for empty text blocks";
const TRAILING: &str = "final assistant content cannot end with trailing whitespace";
const FINAL_THINKING: &str = "The final block in an assistant message cannot be `thinking`.";

pub(super) const RULES: [Rule; 8] = [
    Rule {
        name: "cached-empty-text",
        status: 400,
        when: "A cache marker stands on an empty text.",
        words: "{path}.text: cache_control cannot be set for empty text blocks",
        evidence: Evidence::Seen,
        source: "E7; dario#1066, opencode#16750",
        check: cached_empty,
    },
    Rule {
        name: "empty-system-text",
        status: 400,
        when: "A block of the system prompt is empty.",
        words: EMPTY_SYSTEM,
        evidence: Evidence::Inferred,
        source: "E5",
        check: empty_system,
    },
    Rule {
        name: "empty-message",
        status: 400,
        when: "A message other than the assistant's last has no content.",
        words: "messages.{n}: all messages must have non-empty content except for the optional final assistant message",
        evidence: Evidence::Seen,
        source: "E1; claude-code#6774, #3196, #4416",
        check: empty_message,
    },
    Rule {
        name: "empty-text",
        status: 400,
        when: "A text is empty; between signed thinking the switch empty_text decides.",
        words: EMPTY,
        evidence: Evidence::Seen,
        source: "E2; claude-code#59812, #49171",
        check: empty_text,
    },
    Rule {
        name: "empty-result-text",
        status: 400,
        when: "A text inside a tool result is empty; a result without content is accepted.",
        words: EMPTY,
        evidence: Evidence::Seen,
        source: "E8; livekit#1789, hermes#55092, contested by stdapi.ai#226",
        check: empty_result,
    },
    Rule {
        name: "blank-text",
        status: 400,
        when: "A text is blank; between signed thinking the switch empty_text decides.",
        words: BLANK,
        evidence: Evidence::Seen,
        source: "E3; claude-code#23440, #23369, opencode#31259",
        check: blank_text,
    },
    Rule {
        name: "trailing-whitespace",
        status: 400,
        when: "The assistant's words that the model is to continue end in white space.",
        words: TRAILING,
        evidence: Evidence::Quoted,
        source: "E4; public code 55380657968",
        check: trailing_space,
    },
    Rule {
        name: "final-thinking",
        status: 400,
        when: "The assistant's message ends with thinking.",
        words: "messages.{n}: The final block in an assistant message cannot be `thinking`.",
        evidence: Evidence::Seen,
        source: "E9; forgecode#2107",
        check: final_thinking,
    },
];
