//! Rules about roles and empty content.

use serde_json::Value;

use super::profile::profile;
use super::view::{Block, blocks, message_blocks};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, EmptyText, Request};

/// Roles must alternate by default.
fn roles_must_alternate(request: &Request<'_>) -> bool {
    // Titan and Nova take any order.
    let is_checked = !request.model.to_lowercase().contains("amazon.");
    request.switches.alternation.unwrap_or(is_checked)
}

pub(super) fn user_first(request: &Request<'_>, cx: &mut CheckContext) {
    match array_field(request.body, "messages").first() {
        Some(first)
            if str_field(first, "role") != "assistant" || !roles_must_alternate(request) => {}
        Some(_) => cx.reject("messages.0", cx.message()),
        None => cx.reject("messages", cx.message()),
    }
}

pub(super) fn roles_alternate(request: &Request<'_>, cx: &mut CheckContext) {
    if !roles_must_alternate(request) {
        return;
    }
    for (at, pair) in array_field(request.body, "messages").windows(2).enumerate() {
        if let [previous, next] = pair
            && str_field(previous, "role") == str_field(next, "role")
        {
            cx.reject(format!("messages.{}", at + 1), cx.message());
        }
    }
}

pub(super) fn empty_message(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, message) in array_field(request.body, "messages").iter().enumerate() {
        if array_field(message, "content").is_empty() {
            cx.reject_filled(format!("messages.{at}"), &[("n", &at)]);
        }
    }
}

pub(super) fn blank_text(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, message) in array_field(request.body, "messages").iter().enumerate() {
        let blocks: Vec<_> = message_blocks(message, at).collect();
        for block in &blocks {
            let Some(text) = block.member("text").and_then(Value::as_str) else { continue };
            let is_accepted = is_between_reasoning(&blocks, block.block_index)
                && is_accepted_empty_text(request, text);
            if text.trim().is_empty() && !is_accepted {
                cx.reject_filled(block.path(), &[]);
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

pub(super) fn failed_result_empty(request: &Request<'_>, cx: &mut CheckContext) {
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

pub(super) fn reasoning_text(request: &Request<'_>, cx: &mut CheckContext) {
    if !profile(request.model).accepts_redacted_only {
        return;
    }
    for block in blocks(request.body).filter(|block| block.role == "assistant") {
        let reasoning = block.member("reasoningContent");
        if reasoning.is_some_and(|reasoning| reasoning.field("reasoningText").is_some()) {
            cx.reject(block.path(), cx.message());
        }
    }
}
