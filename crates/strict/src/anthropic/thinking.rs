//! Rules about the position of thinking blocks.

use super::profile::{ThinkingMode, profile, thinking_mode};
use super::roles::prefill_index;
use super::view::{self, Block};
use crate::json::JsonExt as _;
use crate::{CheckContext, Request};

/// With a thinking budget, the open tool loop must begin with thinking.
pub(super) fn thinking_expected(request: &Request<'_>, cx: &mut CheckContext) {
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
        cx.reject_filled(path, &[("type", &block.block_type())]);
    }
}

/// On models with a thinking budget, a message with thinking must begin with it.
pub(super) fn thinking_first(request: &Request<'_>, cx: &mut CheckContext) {
    if !profile(request.model).manual_thinking {
        return;
    }
    for run in view::merged_messages(request.body).iter().filter(|run| run.role == "assistant") {
        let has_thinking = run.blocks.iter().any(Block::is_thinking);
        if let Some(first) = run.blocks.first().filter(|first| has_thinking && !first.is_thinking())
        {
            let path = first.path();
            cx.reject_filled(path, &[("type", &first.block_type())]);
        }
    }
}

pub(super) fn thinking_while_off(request: &Request<'_>, cx: &mut CheckContext) {
    let at = prefill_index(request.body).filter(|_| thinking_mode(request) == ThinkingMode::Off);
    for block in view::blocks(request.body).filter(|block| Some(block.message_index) == at) {
        if block.is_thinking() {
            let path = block.path();
            cx.reject_filled(path, &[("type", &block.block_type())]);
        }
    }
}

pub(super) fn empty_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body).filter(|block| block.is_type("thinking")) {
        let is_empty = |key: &str| block.value.field(key).is_some_and(|text| text == "");
        if is_empty("signature") && is_empty("thinking") {
            let path = format!("{}.thinking", block.path());
            cx.reject_filled(path, &[]);
        }
    }
}
