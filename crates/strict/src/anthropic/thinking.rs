//! Rules about the position of thinking blocks.

use super::profile::{ThinkingMode, profile, thinking_mode};
use super::roles::prefill_index;
use super::view::{self, Block};
use crate::json::JsonExt as _;
use crate::{CheckContext, Evidence, Request, Rule};

/// With a thinking budget, the open tool loop must begin with thinking.
fn thinking_expected(request: &Request<'_>, cx: &mut CheckContext) {
    if thinking_mode(request) != ThinkingMode::Manual {
        return;
    }
    let runs = view::merged_messages(request.body);
    let open_loop = view::open_tool_loop(&runs);
    let ends_in_results = open_loop.last().is_some_and(|run| run.role == "user");
    let first =
        open_loop.iter().find(|run| run.role == "assistant").and_then(|run| run.blocks.first());
    if let Some(block) = first.filter(|block| ends_in_results && !block.is_thinking()) {
        let path = format!("messages.{}.content.{}.type", block.message_index, block.block_index);
        let message = format!(
            "{path}: Expected `thinking` or `redacted_thinking`, but found `{}`. {THINKING_EXPECTED_ERROR}",
            block.block_type()
        );
        cx.reject(path, message);
    }
}

/// On models with a thinking budget, a message with thinking must begin with it.
fn thinking_first(request: &Request<'_>, cx: &mut CheckContext) {
    if !profile(request.model).manual_thinking {
        return;
    }
    for run in view::merged_messages(request.body).iter().filter(|run| run.role == "assistant") {
        let has_thinking = run.blocks.iter().any(Block::is_thinking);
        if let Some(first) = run.blocks.first().filter(|first| has_thinking && !first.is_thinking())
        {
            let path = first.path();
            let message = format!("{path}: {THINKING_FIRST_ERROR} Found `{}`.", first.block_type());
            cx.reject(path, message);
        }
    }
}

fn thinking_while_off(request: &Request<'_>, cx: &mut CheckContext) {
    let at = prefill_index(request.body).filter(|_| thinking_mode(request) == ThinkingMode::Off);
    for block in view::blocks(request.body).filter(|block| Some(block.message_index) == at) {
        if block.is_thinking() {
            let path = block.path();
            let message = format!(
                "{path}: When thinking is disabled, an `assistant` message in the final position cannot contain `{}`. To use thinking blocks, enable `thinking` in your request.",
                block.block_type()
            );
            cx.reject(path, message);
        }
    }
}

fn empty_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body).filter(|block| block.is_type("thinking")) {
        let is_empty = |key: &str| block.value.field(key).is_some_and(|text| text == "");
        if is_empty("signature") && is_empty("thinking") {
            let path = format!("{}.thinking", block.path());
            let message = format!("{path}: each thinking block must contain thinking");
            cx.reject(path, message);
        }
    }
}

const THINKING_EXPECTED_ERROR: &str = "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking";
const THINKING_FIRST_ERROR: &str = "If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`.";

pub(super) const RULES: [Rule; 4] = [
    Rule {
        name: "empty-thinking",
        status: 400,
        condition: "A thinking block has neither text nor signature; a signed one may be empty.",
        error_message: "messages.{n}.content.{m}.thinking: each thinking block must contain thinking",
        evidence: Evidence::Observed,
        source: "K7; live probe 62022885899",
        check: empty_thinking,
    },
    Rule {
        name: "thinking-first",
        status: 400,
        condition: "On models with a thinking budget, a message has thinking, but does not begin with it.",
        error_message: "messages.{n}.content.{m}: If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`. Found `{type}`.",
        evidence: Evidence::Observed,
        source: "K5; claude-code#20705",
        check: thinking_first,
    },
    Rule {
        name: "thinking-while-off",
        status: 400,
        condition: "Thinking is off, and the final assistant message has thinking.",
        error_message: "messages.{n}.content.{m}: When thinking is disabled, an `assistant` message in the final position cannot contain `{type}`. To use thinking blocks, enable `thinking` in your request.",
        evidence: Evidence::Observed,
        source: "K6; forgecode#1853, #1195",
        check: thinking_while_off,
    },
    Rule {
        name: "thinking-expected",
        status: 400,
        condition: "Thinking has a budget, and the open tool loop does not begin with thinking.",
        error_message: "messages.{n}.content.{m}.type: Expected `thinking` or `redacted_thinking`, but found `{type}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
        evidence: Evidence::Observed,
        source: "K4; opencode#3077, n8n#22550, the last sentence is ours",
        check: thinking_expected,
    },
];
