//! Who speaks, and what is said.

use serde_json::Value;

use super::view::{Block, blocks, blocks_of};
use crate::rule::{items, string};
use crate::{EmptyText, Evidence, Findings, Request, Rule};

/// Roles alternate here unless a switch says otherwise.
fn alternates(request: &Request<'_>) -> bool {
    request.switches.alternation != Some(false)
}

fn user_first(request: &Request<'_>, findings: &mut Findings) {
    let messages = items(request.body, "messages");
    match messages.first() {
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
    let all: Vec<_> = blocks(request.body).collect();
    for (at, block) in all.iter().enumerate() {
        let Some(text) = block.get("text").and_then(Value::as_str) else { continue };
        if text.trim().is_empty() && !is_between(request, &all, at, text) {
            let words = format!(
                "The text field in the ContentBlock object at {} is blank. Add text to the text field, and try again.",
                block.path()
            );
            findings.add(block.path(), words);
        }
    }
}

/// Whether the text is what is accepted between two blocks of reasoning.
fn is_between(request: &Request<'_>, all: &[Block<'_>], at: usize, text: &str) -> bool {
    let accepted = match request.switches.empty_text.unwrap_or(EmptyText::Space) {
        EmptyText::Keep => true,
        EmptyText::Space => !text.is_empty(),
        EmptyText::Drop => false,
    };
    let reasons = |at: Option<usize>| {
        let there = at.and_then(|at| all.get(at));
        there.is_some_and(|block| block.message == all[at_of(all, block)].message && block.is("reasoningContent"))
    };
    let same = |other: Option<usize>| {
        other.and_then(|other| all.get(other)).is_some_and(|other| other.message == all[at].message)
    };
    let (before, after) = (at.checked_sub(1), Some(at + 1));
    accepted && same(before) && same(after) && reasons(before) && reasons(after)
}

fn at_of(all: &[Block<'_>], block: &Block<'_>) -> usize {
    all.iter()
        .position(|other| other.message == block.message && other.index == block.index)
        .unwrap_or_default()
}
