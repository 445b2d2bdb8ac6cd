//! Rules about tool calls and their results.

use std::collections::BTreeSet;

use super::tools::is_valid_name;
use super::view::{self, Block, MergedMessage, NestedBlock};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Evidence, Request, Rule};

fn call_id(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body) {
        let key = match block.block_type() {
            "tool_use" => "id",
            "tool_result" => "tool_use_id",
            _ => continue,
        };
        if !is_valid_name(block.str_field(key), usize::MAX) {
            let path = format!("{}.{}.{key}", block.path(), block.block_type());
            let message = format!("{path}: String should match pattern '^[a-zA-Z0-9_-]+$'");
            cx.reject(path, message);
        }
    }
}

fn call_name(request: &Request<'_>, cx: &mut CheckContext) {
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

fn duplicate_call_id(request: &Request<'_>, cx: &mut CheckContext) {
    let mut seen = BTreeSet::new();
    for block in view::blocks(request.body).filter(|block| block.is_type("tool_use")) {
        if !seen.insert(block.str_field("id")) {
            let path = block.path();
            let message = format!("{path}: `tool_use` ids must be unique");
            cx.reject(path, message);
        }
    }
}

fn calls_without_tools(request: &Request<'_>, cx: &mut CheckContext) {
    let is_tool_block =
        |block: &Block<'_>| block.is_type("tool_use") || block.is_type("tool_result");
    let has_tools = !array_field(request.body, "tools").is_empty() || continues_thread(request);
    if let Some(block) = view::blocks(request.body).find(|block| is_tool_block(block) && !has_tools)
    {
        cx.reject(block.path(), CALLS_WITHOUT_TOOLS_ERROR);
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

fn unanswered_call(request: &Request<'_>, cx: &mut CheckContext) {
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
            let message = format!(
                "{path}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
                ids.join(", ")
            );
            cx.reject(path, message);
        }
    }
}

fn unexpected_result(request: &Request<'_>, cx: &mut CheckContext) {
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
                let message = format!(
                    "{path}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
                );
                cx.reject(path, message);
            }
        }
    }
}

fn two_results(request: &Request<'_>, cx: &mut CheckContext) {
    for run in view::merged_messages(request.body).iter().filter(|run| run.role == "user") {
        let mut seen = BTreeSet::new();
        for block in run.blocks.iter().filter(|block| block.is_type("tool_result")) {
            let id = block.str_field("tool_use_id");
            if !seen.insert(id) {
                let path = block.path();
                let message = format!(
                    "{path}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
                );
                cx.reject(path, message);
            }
        }
    }
}

fn failed_result_media(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body).filter(|block| block.is_type("tool_result")) {
        let is_failed = block.value.field("is_error").is_some_and(|flag| flag == true);
        if is_failed && view::result_blocks(&block).any(|inner| inner.block_type() != "text") {
            let path = format!("{}.tool_result", block.path());
            let message =
                format!("{path}: all content must be type \"text\" if \"is_error\" is true");
            cx.reject(path, message);
        }
    }
}

fn mixed_search_result(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body).filter(|block| block.is_type("tool_result")) {
        let is_search_result = |inner: NestedBlock<'_>| inner.block_type() == "search_result";
        if view::result_blocks(&block).any(is_search_result)
            && !view::result_blocks(&block).all(is_search_result)
        {
            let path = format!("{}.tool_result.content", block.path());
            let message = format!("{path}: {MIXED_SEARCH_RESULT_ERROR}");
            cx.reject(path, message);
        }
    }
}

const CALLS_WITHOUT_TOOLS_ERROR: &str =
    "Requests which include `tool_use` or `tool_result` blocks must define tools.";
const MIXED_SEARCH_RESULT_ERROR: &str =
    "`search_result` blocks cannot be mixed with other content types";

pub(super) const RULES: [Rule; 9] = [
    Rule {
        name: "call-id",
        status: 400,
        condition: "The id of a call or result has invalid characters, or is empty.",
        error_message: "messages.{n}.content.{m}.{type}.{key}: String should match pattern '^[a-zA-Z0-9_-]+$'",
        evidence: Evidence::Quoted,
        source: "T8; public code 54883171295, 59509800032",
        check: call_id,
    },
    Rule {
        name: "call-name",
        status: 400,
        condition: "The tool name of a call has invalid characters, or more than 64.",
        error_message: "messages.{n}.content.{m}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'\nmessages.{n}.content.{m}.tool_use.name: String should have at most 64 characters",
        evidence: Evidence::Quoted,
        source: "T10; public code 25448618959",
        check: call_name,
    },
    Rule {
        name: "calls-without-tools",
        status: 400,
        condition: "There are tool calls or results, but no tools.",
        error_message: CALLS_WITHOUT_TOOLS_ERROR,
        evidence: Evidence::Quoted,
        source: "T13; public code 71444661387",
        check: calls_without_tools,
    },
    Rule {
        name: "duplicate-call-id",
        status: 400,
        condition: "Two calls have the same id.",
        error_message: "messages.{n}.content.{m}: `tool_use` ids must be unique",
        evidence: Evidence::Observed,
        source: "T4; public code 56740091184, 61587953467",
        check: duplicate_call_id,
    },
    Rule {
        name: "two-results",
        status: 400,
        condition: "A call has two results.",
        error_message: "messages.{n}.content.{m}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}",
        evidence: Evidence::Observed,
        source: "T3; public code 62468209644, 52816146126",
        check: two_results,
    },
    Rule {
        name: "unanswered-call",
        status: 400,
        condition: "The next message does not begin with the results of all calls.",
        error_message: "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        evidence: Evidence::Documented,
        source: "T1; documentation of tool use, claude-code#5060, #7929",
        check: unanswered_call,
    },
    Rule {
        name: "unexpected-result",
        status: 400,
        condition: "A result belongs to no call of the previous message.",
        error_message: "messages.{n}.content.{m}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
        evidence: Evidence::Observed,
        source: "T2; claude-code#13460, #18947, CLIProxyAPI#497",
        check: unexpected_result,
    },
    Rule {
        name: "failed-result-media",
        status: 400,
        condition: "A result with is_error has content other than text.",
        error_message: "messages.{n}.content.{m}.tool_result: all content must be type \"text\" if \"is_error\" is true",
        evidence: Evidence::Quoted,
        source: "T15; public code 56276055690, the path is ours",
        check: failed_result_media,
    },
    Rule {
        name: "mixed-search-result",
        status: 400,
        condition: "A result has search results together with other blocks.",
        error_message: "messages.{n}.content.{m}.tool_result.content: `search_result` blocks cannot be mixed with other content types",
        evidence: Evidence::Inferred,
        source: "T19; documentation of search results",
        check: mixed_search_result,
    },
];
