//! Tool calls and their results.

use std::collections::BTreeSet;

use super::tools::is_name;
use super::view::{self, Block, Inner, Run};
use crate::rule::{Fields as _, items, string};
use crate::{Evidence, Findings, Request, Rule};

fn ids(request: &Request<'_>, findings: &mut Findings) {
    for block in view::blocks(request.body) {
        let key = match block.kind() {
            "tool_use" => "id",
            "tool_result" => "tool_use_id",
            _ => continue,
        };
        if !is_name(block.text(key), usize::MAX) {
            let path = format!("{}.{}.{key}", block.path(), block.kind());
            let words = format!("{path}: String should match pattern '^[a-zA-Z0-9_-]+$'");
            findings.add(path, words);
        }
    }
}

fn names(request: &Request<'_>, findings: &mut Findings) {
    for block in view::blocks(request.body).filter(|block| block.is("tool_use")) {
        let path = format!("{}.tool_use.name", block.path());
        let name = block.text("name");
        if !is_name(name, usize::MAX) {
            let words = format!("{path}: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'");
            findings.add(path, words);
        } else if name.len() > 64 {
            let words = format!("{path}: String should have at most 64 characters");
            findings.add(path, words);
        }
    }
}

fn duplicate_ids(request: &Request<'_>, findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    for block in view::blocks(request.body).filter(|block| block.is("tool_use")) {
        if !seen.insert(block.text("id")) {
            let path = block.path();
            let words = format!("{path}: `tool_use` ids must be unique");
            findings.add(path, words);
        }
    }
}

fn no_tools(request: &Request<'_>, findings: &mut Findings) {
    let tool = |block: &Block<'_>| block.is("tool_use") || block.is("tool_result");
    let defined = !items(request.body, "tools").is_empty() || continues(request);
    if let Some(block) = view::blocks(request.body).find(|block| tool(block) && !defined) {
        findings.add(block.path(), NO_TOOLS);
    }
}

/// Whether the server holds the conversation up to here.
fn continues(request: &Request<'_>) -> bool {
    string(&request.body["thread"], "type") == "continue"
}

/// The ids that a user's run answers first of all.
fn answered<'v>(run: Option<&Run<'v>>) -> BTreeSet<&'v str> {
    let results = run.into_iter().flat_map(|run| &run.blocks);
    let leading = results.take_while(|block| block.is("tool_result"));
    leading.map(|block| block.text("tool_use_id")).collect()
}

fn unanswered(request: &Request<'_>, findings: &mut Findings) {
    let runs = view::runs(request.body);
    for (at, run) in runs.iter().enumerate().filter(|(_, run)| run.role == "assistant") {
        let answered = answered(runs.get(at + 1));
        let open =
            |block: &&Block<'_>| block.is("tool_use") && !answered.contains(block.text("id"));
        let open: Vec<_> = run.blocks.iter().filter(open).collect();
        if let Some(first) = open.first() {
            let ids: Vec<_> = open.iter().map(|block| block.text("id")).collect();
            let path = format!("messages.{}", first.message);
            let words = format!(
                "{path}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
                ids.join(", ")
            );
            findings.add(path, words);
        }
    }
}

fn unexpected(request: &Request<'_>, findings: &mut Findings) {
    let runs = view::runs(request.body);
    for (at, run) in runs.iter().enumerate().filter(|(_, run)| run.role == "user") {
        let before = at.checked_sub(1).and_then(|at| runs.get(at));
        if before.is_none() && continues(request) {
            continue;
        }
        let calls: BTreeSet<_> = before
            .into_iter()
            .flat_map(|run| &run.blocks)
            .filter(|block| block.is("tool_use"))
            .map(|block| block.text("id"))
            .collect();
        for block in run.blocks.iter().filter(|block| block.is("tool_result")) {
            let id = block.text("tool_use_id");
            if !calls.contains(id) {
                let path = block.path();
                let words = format!(
                    "{path}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
                );
                findings.add(path, words);
            }
        }
    }
}

fn two_results(request: &Request<'_>, findings: &mut Findings) {
    for run in view::runs(request.body).iter().filter(|run| run.role == "user") {
        let mut seen = BTreeSet::new();
        for block in run.blocks.iter().filter(|block| block.is("tool_result")) {
            let id = block.text("tool_use_id");
            if !seen.insert(id) {
                let path = block.path();
                let words = format!(
                    "{path}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
                );
                findings.add(path, words);
            }
        }
    }
}

fn failed_media(request: &Request<'_>, findings: &mut Findings) {
    for block in view::blocks(request.body).filter(|block| block.is("tool_result")) {
        let failed = block.value.field("is_error").is_some_and(|failed| failed == true);
        if failed && view::inside(&block).any(|inner| inner.kind() != "text") {
            let path = format!("{}.tool_result", block.path());
            let words =
                format!("{path}: all content must be type \"text\" if \"is_error\" is true");
            findings.add(path, words);
        }
    }
}

fn mixed_search(request: &Request<'_>, findings: &mut Findings) {
    for block in view::blocks(request.body).filter(|block| block.is("tool_result")) {
        let found = |inner: Inner<'_>| inner.kind() == "search_result";
        if view::inside(&block).any(found) && !view::inside(&block).all(found) {
            let path = format!("{}.tool_result.content", block.path());
            let words = format!("{path}: {MIXED}");
            findings.add(path, words);
        }
    }
}

const NO_TOOLS: &str =
    "Requests which include `tool_use` or `tool_result` blocks must define tools.";
const MIXED: &str = "`search_result` blocks cannot be mixed with other content types";

pub(super) const RULES: [Rule; 9] = [
    Rule {
        name: "call-id",
        status: 400,
        when: "The id of a call or of its result has other characters, or none.",
        words: "messages.{n}.content.{m}.{type}.{key}: String should match pattern '^[a-zA-Z0-9_-]+$'",
        evidence: Evidence::Quoted,
        source: "T8; public code 54883171295, 59509800032",
        check: ids,
    },
    Rule {
        name: "call-name",
        status: 400,
        when: "The name in a call has other characters, or more than 64.",
        words: "messages.{n}.content.{m}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'\nmessages.{n}.content.{m}.tool_use.name: String should have at most 64 characters",
        evidence: Evidence::Quoted,
        source: "T10; public code 25448618959",
        check: names,
    },
    Rule {
        name: "calls-without-tools",
        status: 400,
        when: "There are calls or results, but no tools.",
        words: NO_TOOLS,
        evidence: Evidence::Quoted,
        source: "T13; public code 71444661387",
        check: no_tools,
    },
    Rule {
        name: "duplicate-call-id",
        status: 400,
        when: "Two calls have one id.",
        words: "messages.{n}.content.{m}: `tool_use` ids must be unique",
        evidence: Evidence::Seen,
        source: "T4; public code 56740091184, 61587953467",
        check: duplicate_ids,
    },
    Rule {
        name: "two-results",
        status: 400,
        when: "One call has two results.",
        words: "messages.{n}.content.{m}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}",
        evidence: Evidence::Seen,
        source: "T3; public code 62468209644, 52816146126",
        check: two_results,
    },
    Rule {
        name: "unanswered-call",
        status: 400,
        when: "The next message does not begin with the results of all calls.",
        words: "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        evidence: Evidence::Documented,
        source: "T1; documentation of tool use, claude-code#5060, #7929",
        check: unanswered,
    },
    Rule {
        name: "unexpected-result",
        status: 400,
        when: "A result answers no call of the message before.",
        words: "messages.{n}.content.{m}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
        evidence: Evidence::Seen,
        source: "T2; claude-code#13460, #18947, CLIProxyAPI#497",
        check: unexpected,
    },
    Rule {
        name: "failed-result-media",
        status: 400,
        when: "A result that failed holds something other than text.",
        words: "messages.{n}.content.{m}.tool_result: all content must be type \"text\" if \"is_error\" is true",
        evidence: Evidence::Quoted,
        source: "T15; public code 56276055690, the path is ours",
        check: failed_media,
    },
    Rule {
        name: "mixed-search-result",
        status: 400,
        when: "A result holds search results beside other blocks.",
        words: "messages.{n}.content.{m}.tool_result.content: `search_result` blocks cannot be mixed with other content types",
        evidence: Evidence::Inferred,
        source: "T19; documentation of search results",
        check: mixed_search,
    },
];
