//! Where thinking stands.

use super::profile::{Thinking, profile, thinking};
use super::roles::prefilled;
use super::view::{self, Block};
use crate::rule::Fields as _;
use crate::{Evidence, Findings, Request, Rule};

/// With a budget, the turn whose tools are still running begins with thinking.
fn begins(request: &Request<'_>, findings: &mut Findings) {
    if thinking(request) != Thinking::Manual {
        return;
    }
    let runs = view::runs(request.body);
    let open = view::open_loop(&runs);
    let ends_in_results = open.last().is_some_and(|run| run.role == "user");
    let first = open.iter().find(|run| run.role == "assistant").and_then(|run| run.blocks.first());
    if let Some(block) = first.filter(|block| ends_in_results && !block.is_thinking()) {
        let path = format!("messages.{}.content.{}.type", block.message, block.index);
        let words = format!(
            "{path}: Expected `thinking` or `redacted_thinking`, but found `{}`. {EXPECTED}",
            block.kind()
        );
        findings.add(path, words);
    }
}

/// On models that think once, thinking is what a message with thinking begins with.
fn comes_first(request: &Request<'_>, findings: &mut Findings) {
    if !profile(request.model).manual {
        return;
    }
    for run in view::runs(request.body).iter().filter(|run| run.role == "assistant") {
        let thinks = run.blocks.iter().any(Block::is_thinking);
        if let Some(first) = run.blocks.first().filter(|first| thinks && !first.is_thinking()) {
            let path = first.path();
            let words = format!("{path}: {FIRST} Found `{}`.", first.kind());
            findings.add(path, words);
        }
    }
}

fn disabled(request: &Request<'_>, findings: &mut Findings) {
    let at = prefilled(request.body).filter(|_| thinking(request) == Thinking::Off);
    for block in view::blocks(request.body).filter(|block| Some(block.message) == at) {
        if block.is_thinking() {
            let path = block.path();
            let words = format!(
                "{path}: When thinking is disabled, an `assistant` message in the final position cannot contain `{}`. To use thinking blocks, enable `thinking` in your request.",
                block.kind()
            );
            findings.add(path, words);
        }
    }
}

fn nothing(request: &Request<'_>, findings: &mut Findings) {
    for block in view::blocks(request.body).filter(|block| block.is("thinking")) {
        let says = |key: &str| block.value.field(key).is_some_and(|text| text == "");
        if says("signature") && says("thinking") {
            let path = format!("{}.thinking", block.path());
            let words = format!("{path}: each thinking block must contain thinking");
            findings.add(path, words);
        }
    }
}

const EXPECTED: &str = "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking";
const FIRST: &str = "If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`.";

pub(super) const RULES: [Rule; 4] = [
    Rule {
        name: "empty-thinking",
        status: 400,
        when: "A thinking block has neither text nor signature; a signed one may be empty.",
        words: "messages.{n}.content.{m}.thinking: each thinking block must contain thinking",
        evidence: Evidence::Seen,
        source: "K7; live probe 62022885899",
        check: nothing,
    },
    Rule {
        name: "thinking-first",
        status: 400,
        when: "On models with a budget of thinking: a message has thinking, but does not begin with it.",
        words: "messages.{n}.content.{m}: If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`. Found `{type}`.",
        evidence: Evidence::Seen,
        source: "K5; claude-code#20705",
        check: comes_first,
    },
    Rule {
        name: "thinking-while-off",
        status: 400,
        when: "Thinking is off, and the assistant's words at the end hold thinking.",
        words: "messages.{n}.content.{m}: When thinking is disabled, an `assistant` message in the final position cannot contain `{type}`. To use thinking blocks, enable `thinking` in your request.",
        evidence: Evidence::Seen,
        source: "K6; forgecode#1853, #1195",
        check: disabled,
    },
    Rule {
        name: "thinking-expected",
        status: 400,
        when: "Thinking has a budget, and the open tool loop does not begin with thinking.",
        words: "messages.{n}.content.{m}.type: Expected `thinking` or `redacted_thinking`, but found `{type}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
        evidence: Evidence::Seen,
        source: "K4; opencode#3077, n8n#22550, the last sentence is ours",
        check: begins,
    },
];
