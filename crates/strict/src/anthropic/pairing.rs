//! Rules about tool calls and their results.

use std::collections::BTreeSet;

use super::profile::profile;
use super::tools::is_valid_name;
use super::view::{self, Block, MergedMessage, NestedBlock};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Request};

pub(super) fn call_id(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body) {
        let key = match block.block_type() {
            "tool_use" => "id",
            "tool_result" => "tool_use_id",
            _ => continue,
        };
        if !is_valid_name(block.str_field(key), usize::MAX) {
            let path = format!("{}.{}.{key}", block.path(), block.block_type());
            cx.reject_filled(path, &[]);
        }
    }
}

pub(super) fn call_name(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body).filter(|block| block.is_type("tool_use")) {
        let path = format!("{}.tool_use.name", block.path());
        let name = block.str_field("name");
        if !is_valid_name(name, usize::MAX) {
            let message = format!("{path}: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'");
            cx.reject(path, message);
        } else if name.len() > 64 {
            let message = format!("{path}: String should have at most 64 characters");
            cx.reject(path, message);
        }
    }
}

pub(super) fn duplicate_call_id(request: &Request<'_>, cx: &mut CheckContext) {
    let mut seen = BTreeSet::new();
    for block in view::blocks(request.body).filter(|block| block.is_type("tool_use")) {
        if !seen.insert(block.str_field("id")) {
            let path = block.path();
            cx.reject_filled(path, &[]);
        }
    }
}

pub(super) fn calls_without_tools(request: &Request<'_>, cx: &mut CheckContext) {
    let is_tool_block =
        |block: &Block<'_>| block.is_type("tool_use") || block.is_type("tool_result");
    let has_tools = !array_field(request.body, "tools").is_empty()
        || continues_thread(request)
        || !profile(request.model).calls_need_tools;
    if let Some(block) = view::blocks(request.body).find(|block| is_tool_block(block) && !has_tools)
    {
        cx.reject(block.path(), cx.message());
    }
}

/// Whether the server stores the conversation up to this request.
fn continues_thread(request: &Request<'_>) -> bool {
    str_field(&request.body["thread"], "type") == "continue"
}

/// The call ids of the results at the beginning of a user message.
fn leading_result_ids<'v>(run: Option<&MergedMessage<'v>>) -> BTreeSet<&'v str> {
    let results = run.into_iter().flat_map(|run| &run.blocks);
    let leading = results.take_while(|block| block.is_type("tool_result"));
    leading.map(|block| block.str_field("tool_use_id")).collect()
}

pub(super) fn unanswered_call(request: &Request<'_>, cx: &mut CheckContext) {
    let runs = view::merged_messages(request.body);
    for (at, run) in runs.iter().enumerate().filter(|(_, run)| run.role == "assistant") {
        let result_ids = leading_result_ids(runs.get(at + 1));
        let unanswered = |block: &&Block<'_>| {
            block.is_type("tool_use") && !result_ids.contains(block.str_field("id"))
        };
        let unanswered: Vec<_> = run.blocks.iter().filter(unanswered).collect();
        if let Some(first) = unanswered.first() {
            let ids: Vec<_> = unanswered.iter().map(|block| block.str_field("id")).collect();
            let path = format!("messages.{}", first.message_index);
            cx.reject_filled(path, &[("ids", &ids.join(", "))]);
        }
    }
}

pub(super) fn unexpected_result(request: &Request<'_>, cx: &mut CheckContext) {
    let runs = view::merged_messages(request.body);
    for (at, run) in runs.iter().enumerate().filter(|(_, run)| run.role == "user") {
        let previous = at.checked_sub(1).and_then(|at| runs.get(at));
        if previous.is_none() && continues_thread(request) {
            continue;
        }
        let calls: BTreeSet<_> = previous
            .into_iter()
            .flat_map(|run| &run.blocks)
            .filter(|block| block.is_type("tool_use"))
            .map(|block| block.str_field("id"))
            .collect();
        for block in run.blocks.iter().filter(|block| block.is_type("tool_result")) {
            let id = block.str_field("tool_use_id");
            if !calls.contains(id) {
                let path = block.path();
                cx.reject_filled(path, &[("id", &id)]);
            }
        }
    }
}

pub(super) fn two_results(request: &Request<'_>, cx: &mut CheckContext) {
    for run in view::merged_messages(request.body).iter().filter(|run| run.role == "user") {
        let mut seen = BTreeSet::new();
        for block in run.blocks.iter().filter(|block| block.is_type("tool_result")) {
            let id = block.str_field("tool_use_id");
            if !seen.insert(id) {
                let path = block.path();
                cx.reject_filled(path, &[("id", &id)]);
            }
        }
    }
}

pub(super) fn failed_result_media(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body).filter(|block| block.is_type("tool_result")) {
        let is_failed = block.value.field("is_error").is_some_and(|flag| flag == true);
        if is_failed && view::result_blocks(&block).any(|inner| inner.block_type() != "text") {
            let path = format!("{}.tool_result", block.path());
            cx.reject_filled(path, &[]);
        }
    }
}

pub(super) fn mixed_search_result(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body).filter(|block| block.is_type("tool_result")) {
        let is_search_result = |inner: NestedBlock<'_>| inner.block_type() == "search_result";
        if view::result_blocks(&block).any(is_search_result)
            && !view::result_blocks(&block).all(is_search_result)
        {
            let path = format!("{}.tool_result.content", block.path());
            cx.reject_filled(path, &[]);
        }
    }
}
