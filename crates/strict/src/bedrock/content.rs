//! Rules about roles and empty content.

use serde_json::Value;

use super::profile::profile;
use super::view::{Block, blocks, message_blocks};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, EmptyText, Evidence, Request, Rule};

/// Roles must alternate by default.
fn roles_must_alternate(request: &Request<'_>) -> bool {
    request.switches.alternation != Some(false)
}

fn user_first(request: &Request<'_>, cx: &mut CheckContext) {
    match array_field(request.body, "messages").first() {
        Some(first)
            if str_field(first, "role") != "assistant" || !roles_must_alternate(request) => {}
        Some(_) => cx.reject("messages.0", USER_FIRST_ERROR),
        None => cx.reject("messages", USER_FIRST_ERROR),
    }
}

fn roles_alternate(request: &Request<'_>, cx: &mut CheckContext) {
    if !roles_must_alternate(request) {
        return;
    }
    for (at, pair) in array_field(request.body, "messages").windows(2).enumerate() {
        if let [previous, next] = pair
            && str_field(previous, "role") == str_field(next, "role")
        {
            cx.reject(format!("messages.{}", at + 1), ROLES_ALTERNATE_ERROR);
        }
    }
}

fn empty_message(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, message) in array_field(request.body, "messages").iter().enumerate() {
        if array_field(message, "content").is_empty() {
            let error_message = format!(
                "The content field in the Message object at messages.{at} is empty. Add a ContentBlock object to the content field and try again."
            );
            cx.reject(format!("messages.{at}"), error_message);
        }
    }
}

fn blank_text(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, message) in array_field(request.body, "messages").iter().enumerate() {
        let blocks: Vec<_> = message_blocks(message, at).collect();
        for block in &blocks {
            let Some(text) = block.member("text").and_then(Value::as_str) else { continue };
            let is_accepted = is_between_reasoning(&blocks, block.block_index)
                && is_accepted_empty_text(request, text);
            if text.trim().is_empty() && !is_accepted {
                let error_message = format!(
                    "The text field in the ContentBlock object at {} is blank. Add text to the text field, and try again.",
                    block.path()
                );
                cx.reject(block.path(), error_message);
            }
        }
    }
}

fn is_between_reasoning(blocks: &[Block<'_>], at: usize) -> bool {
    let is_reasoning = |at: Option<usize>| {
        at.and_then(|at| blocks.get(at)).is_some_and(|block| block.is_type("reasoningContent"))
    };
    is_reasoning(at.checked_sub(1)) && is_reasoning(Some(at + 1))
}

/// Whether this is the accepted form of an empty text between reasoning blocks.
fn is_accepted_empty_text(request: &Request<'_>, text: &str) -> bool {
    match request.switches.empty_text.unwrap_or(EmptyText::Space) {
        EmptyText::Keep => true,
        EmptyText::Space => !text.is_empty(),
        EmptyText::Drop => false,
    }
}

fn failed_result_empty(request: &Request<'_>, cx: &mut CheckContext) {
    for block in blocks(request.body) {
        let Some(result) = block.member("toolResult") else { continue };
        if str_field(result, "status") == "error" && array_field(result, "content").is_empty() {
            let message = format!(
                "The content field at {}.toolResult cannot be empty when status value is error.",
                block.path()
            );
            cx.reject(format!("{}.toolResult", block.path()), message);
        }
    }
}

fn reasoning_text(request: &Request<'_>, cx: &mut CheckContext) {
    if !profile(request.model).accepts_redacted_only {
        return;
    }
    for block in blocks(request.body).filter(|block| block.role == "assistant") {
        let reasoning = block.member("reasoningContent");
        if reasoning.is_some_and(|reasoning| reasoning.field("reasoningText").is_some()) {
            cx.reject(block.path(), REASONING_TEXT_ERROR);
        }
    }
}

const USER_FIRST_ERROR: &str = "A conversation must start with a user message. Try again with a conversation that starts with a user message.";
const ROLES_ALTERNATE_ERROR: &str = "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.";
const REASONING_TEXT_ERROR: &str = "This model doesn't support the reasoningContent.reasoningText.text field for assistant messages. Remove reasoningContent.reasoningText.text and try again.";

pub(super) const RULES: [Rule; 6] = [
    Rule {
        name: "user-first",
        status: 400,
        condition: "There are no messages, or the first is not the user's (switch alternation).",
        error_message: USER_FIRST_ERROR,
        evidence: Evidence::Observed,
        source: "B6; public code 36791629279",
        check: user_first,
    },
    Rule {
        name: "roles-alternate",
        status: 400,
        condition: "Two consecutive messages have the same role (switch alternation).",
        error_message: ROLES_ALTERNATE_ERROR,
        evidence: Evidence::Observed,
        source: "B7; verifiers#1522, genkit aws#664, public code 47047678324, 3605024985",
        check: roles_alternate,
    },
    Rule {
        name: "empty-message",
        status: 400,
        condition: "A message has no content.",
        error_message: "The content field in the Message object at messages.{n} is empty. Add a ContentBlock object to the content field and try again.",
        evidence: Evidence::Observed,
        source: "B5; pi#3443, opencode#15371",
        check: empty_message,
    },
    Rule {
        name: "blank-text",
        status: 400,
        condition: "A text is empty or has only whitespace; between reasoning blocks the switch empty_text decides.",
        error_message: "The text field in the ContentBlock object at messages.{n}.content.{m} is blank. Add text to the text field, and try again.",
        evidence: Evidence::Observed,
        source: "B4; pi#4975, bedrock-engineer#8",
        check: blank_text,
    },
    Rule {
        name: "failed-result-empty",
        status: 400,
        condition: "A result with status error has no content.",
        error_message: "The content field at messages.{n}.content.{m}.toolResult cannot be empty when status value is error.",
        evidence: Evidence::Observed,
        source: "B8; aws-samples agentcore#15",
        check: failed_result_empty,
    },
    Rule {
        name: "reasoning-text",
        status: 400,
        condition: "Reasoning text is sent to a model that only accepts redacted reasoning.",
        error_message: REASONING_TEXT_ERROR,
        evidence: Evidence::Observed,
        source: "B13; inspect_ai#5217, the list of models is ours",
        check: reasoning_text,
    },
];
