//! Who speaks, and what is said.

use serde_json::Value;

use super::profile::profile;
use super::view::{Block, blocks, blocks_of};
use crate::rule::{Fields as _, items, string};
use crate::{EmptyText, Evidence, Findings, Request, Rule};

/// Roles alternate here unless a switch says otherwise.
fn alternates(request: &Request<'_>) -> bool {
    request.switches.alternation != Some(false)
}

fn user_first(request: &Request<'_>, findings: &mut Findings) {
    match items(request.body, "messages").first() {
        Some(first) if string(first, "role") != "assistant" || !alternates(request) => {}
        Some(_) => findings.add("messages.0", USER_FIRST),
        None => findings.add("messages", USER_FIRST),
    }
}

fn alternate(request: &Request<'_>, findings: &mut Findings) {
    if !alternates(request) {
        return;
    }
    for (at, pair) in items(request.body, "messages").windows(2).enumerate() {
        if let [before, after] = pair
            && string(before, "role") == string(after, "role")
        {
            findings.add(format!("messages.{}", at + 1), ALTERNATE);
        }
    }
}

fn empty(request: &Request<'_>, findings: &mut Findings) {
    for (at, message) in items(request.body, "messages").iter().enumerate() {
        if items(message, "content").is_empty() {
            let words = format!(
                "The content field in the Message object at messages.{at} is empty. Add a ContentBlock object to the content field and try again."
            );
            findings.add(format!("messages.{at}"), words);
        }
    }
}

fn blank(request: &Request<'_>, findings: &mut Findings) {
    for (at, message) in items(request.body, "messages").iter().enumerate() {
        let blocks: Vec<_> = blocks_of(message, at).collect();
        for block in &blocks {
            let Some(text) = block.field("text").and_then(Value::as_str) else { continue };
            let kept = is_between_reasoning(&blocks, block.index) && is_kept(request, text);
            if text.trim().is_empty() && !kept {
                let words = format!(
                    "The text field in the ContentBlock object at {} is blank. Add text to the text field, and try again.",
                    block.path()
                );
                findings.add(block.path(), words);
            }
        }
    }
}

fn is_between_reasoning(blocks: &[Block<'_>], at: usize) -> bool {
    let reasons = |at: Option<usize>| {
        at.and_then(|at| blocks.get(at)).is_some_and(|block| block.is("reasoningContent"))
    };
    reasons(at.checked_sub(1)) && reasons(Some(at + 1))
}

/// Whether this is what is accepted as the empty text between reasoning.
fn is_kept(request: &Request<'_>, text: &str) -> bool {
    match request.switches.empty_text.unwrap_or(EmptyText::Space) {
        EmptyText::Keep => true,
        EmptyText::Space => !text.is_empty(),
        EmptyText::Drop => false,
    }
}

fn failed_empty(request: &Request<'_>, findings: &mut Findings) {
    for block in blocks(request.body) {
        let Some(result) = block.field("toolResult") else { continue };
        if string(result, "status") == "error" && items(result, "content").is_empty() {
            let words = format!(
                "The content field at {}.toolResult cannot be empty when status value is error.",
                block.path()
            );
            findings.add(format!("{}.toolResult", block.path()), words);
        }
    }
}

fn reasoning_text(request: &Request<'_>, findings: &mut Findings) {
    if !profile(request.model).redacted_only {
        return;
    }
    for block in blocks(request.body).filter(|block| block.role == "assistant") {
        let reasoning = block.field("reasoningContent");
        if reasoning.is_some_and(|reasoning| reasoning.field("reasoningText").is_some()) {
            findings.add(block.path(), REASONING_TEXT);
        }
    }
}

const USER_FIRST: &str = "A conversation must start with a user message. Try again with a conversation that starts with a user message.";
const ALTERNATE: &str = "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.";
const REASONING_TEXT: &str = "This model doesn't support the reasoningContent.reasoningText.text field for assistant messages. Remove reasoningContent.reasoningText.text and try again.";

pub(super) const RULES: [Rule; 6] = [
    Rule {
        name: "user-first",
        status: 400,
        when: "There are no messages, or the first is not the user's (switch alternation).",
        words: USER_FIRST,
        evidence: Evidence::Seen,
        source: "B6; public code 36791629279",
        check: user_first,
    },
    Rule {
        name: "roles-alternate",
        status: 400,
        when: "Two messages in a row have one role (switch alternation).",
        words: ALTERNATE,
        evidence: Evidence::Seen,
        source: "B7; verifiers#1522, genkit aws#664, public code 47047678324, 3605024985",
        check: alternate,
    },
    Rule {
        name: "empty-message",
        status: 400,
        when: "A message has no content.",
        words: "The content field in the Message object at messages.{n} is empty. Add a ContentBlock object to the content field and try again.",
        evidence: Evidence::Seen,
        source: "B5; pi#3443, opencode#15371",
        check: empty,
    },
    Rule {
        name: "blank-text",
        status: 400,
        when: "A text is empty or blank, except as the switch empty_text says between reasoning.",
        words: "The text field in the ContentBlock object at messages.{n}.content.{m} is blank. Add text to the text field, and try again.",
        evidence: Evidence::Seen,
        source: "B4; pi#4975, bedrock-engineer#8",
        check: blank,
    },
    Rule {
        name: "failed-result-empty",
        status: 400,
        when: "A failed result has no content.",
        words: "The content field at messages.{n}.content.{m}.toolResult cannot be empty when status value is error.",
        evidence: Evidence::Seen,
        source: "B8; aws-samples agentcore#15",
        check: failed_empty,
    },
    Rule {
        name: "reasoning-text",
        status: 400,
        when: "Reasoning as text goes back to a model that takes it only redacted.",
        words: REASONING_TEXT,
        evidence: Evidence::Seen,
        source: "B13; inspect_ai#5217, which models those are is ours",
        check: reasoning_text,
    },
];
