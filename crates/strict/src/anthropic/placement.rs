//! Blocks in the messages of the wrong speaker.

use super::blocks::SAID_BY;
use super::view::{self, Block};
use crate::{Evidence, Findings, Request, Rule};

/// Refuses blocks of a kind that the other side said.
fn only(request: &Request<'_>, findings: &mut Findings, kind: &str, role: &str) {
    view::blocks(request.body)
        .filter(|block| block.is(kind))
        .for_each(|block| said_by(&block, findings, role));
}

fn said_by(block: &Block<'_>, findings: &mut Findings, role: &str) {
    if block.role != role && block.role != "system" {
        let (at, kind) = (block.message, block.kind());
        let words = format!("messages.{at}: `{kind}` blocks can only be in `{role}` messages");
        findings.add(block.path(), words);
    }
}

fn thinking(request: &Request<'_>, findings: &mut Findings) {
    for block in view::blocks(request.body) {
        if block.is_thinking() && block.role == "user" {
            let words = format!(
                "messages.{}.content: thinking blocks may only be in `assistant` messages",
                block.message
            );
            findings.add(block.path(), words);
        }
    }
}

fn others(request: &Request<'_>, findings: &mut Findings) {
    for block in view::blocks(request.body) {
        if let Some((role, _)) = SAID_BY.iter().find(|(_, kinds)| kinds.contains(&block.kind())) {
            said_by(&block, findings, role);
        }
    }
}

pub(super) const RULES: [Rule; 4] = [
    Rule {
        name: "result-from-assistant",
        status: 400,
        when: "A tool result stands in the assistant's message.",
        words: "messages.{n}: `tool_result` blocks can only be in `user` messages",
        evidence: Evidence::Seen,
        source: "T5; live probe 58022668595",
        check: |request, findings| only(request, findings, "tool_result", "user"),
    },
    Rule {
        name: "call-from-user",
        status: 400,
        when: "A tool call stands in the user's message.",
        words: "messages.{n}: `tool_use` blocks can only be in `assistant` messages",
        evidence: Evidence::Quoted,
        source: "T6; public code 69018460521",
        check: |request, findings| only(request, findings, "tool_use", "assistant"),
    },
    Rule {
        name: "thinking-from-user",
        status: 400,
        when: "Thinking stands in the user's message.",
        words: "messages.{n}.content: thinking blocks may only be in `assistant` messages",
        evidence: Evidence::Quoted,
        source: "K18; public code 69018460521",
        check: thinking,
    },
    Rule {
        name: "block-from-other-side",
        status: 400,
        when: "A block stands in the message of the side that never says it, such as an image from the assistant.",
        words: "messages.{n}: `{type}` blocks can only be in `{role}` messages",
        evidence: Evidence::Inferred,
        source: "where blocks are accepted, in the form of T5",
        check: others,
    },
];
