//! Documents and citations.

use serde_json::Value;

use super::headers::is_new;
use super::view;
use crate::rule::{items, string};
use crate::{Evidence, Findings, Request, Rule};

fn from_assistant(request: &Request<'_>, findings: &mut Findings) {
    let blocks = view::blocks(request.body).filter(|_| is_new(request));
    for block in blocks.filter(|block| block.is("document") && block.role == "assistant") {
        let words =
            format!("messages.{}: `document` blocks can only be in `user` messages", block.message);
        findings.add(block.path(), words);
    }
}

fn from_user(request: &Request<'_>, findings: &mut Findings) {
    let blocks = view::blocks(request.body).filter(|_| is_new(request));
    for block in blocks.filter(|block| block.is("text") && block.role == "user") {
        if !items(block.value, "citations").is_empty() {
            let path = format!("{}.text.citations", block.path());
            let words = format!("{path}: citations can only be set in `assistant` messages");
            findings.add(path, words);
        }
    }
}

/// Documents and search results, each with whether it is to be cited.
fn sources(body: &Value) -> Vec<(String, &str, bool)> {
    let mut found = Vec::new();
    let mut look = |path: &dyn Fn() -> String, value| {
        let kind = string(value, "type");
        if matches!(kind, "document" | "search_result") {
            let cited = value.pointer("/citations/enabled") == Some(&Value::Bool(true));
            found.push((path(), kind, cited));
        }
    };
    for block in view::blocks(body) {
        look(&|| block.path(), block.value);
        view::inside(&block).for_each(|inner| look(&|| inner.path(), inner.value));
    }
    found
}

fn some_cited(request: &Request<'_>, findings: &mut Findings) {
    let sources = sources(request.body);
    for (path, kind, cited) in &sources {
        let first = sources.iter().find(|(_, other, _)| other == kind);
        if first.is_some_and(|(_, _, first)| first != cited) {
            findings.add(path, SOME_CITED);
        }
    }
}

fn cited_format(request: &Request<'_>, findings: &mut Findings) {
    let format = request.body.pointer("/output_config/format").is_some_and(|it| !it.is_null());
    if format && sources(request.body).iter().any(|(_, _, cited)| *cited) {
        findings.add("output_config.format", CITED_FORMAT);
    }
}

const SOME_CITED: &str = "Citations must be enabled on all documents or on none of them.";
const CITED_FORMAT: &str =
    "output_config.format: structured outputs cannot be used together with citations";

pub(super) const RULES: [Rule; 4] = [
    Rule {
        name: "document-from-assistant",
        status: 400,
        when: "Under API version 2026-10-21, a document stands in the assistant's message.",
        words: "messages.{n}: `document` blocks can only be in `user` messages",
        evidence: Evidence::Inferred,
        source: "H6; migration guide to 2026-10-21",
        check: from_assistant,
    },
    Rule {
        name: "citations-from-user",
        status: 400,
        when: "Under API version 2026-10-21, the user's text has citations.",
        words: "messages.{n}.content.{m}.text.citations: citations can only be set in `assistant` messages",
        evidence: Evidence::Inferred,
        source: "H6; migration guide to 2026-10-21",
        check: from_user,
    },
    Rule {
        name: "some-citations",
        status: 400,
        when: "Some documents are to be cited and some are not.",
        words: SOME_CITED,
        evidence: Evidence::Inferred,
        source: "H4; documentation of citations",
        check: some_cited,
    },
    Rule {
        name: "citations-and-format",
        status: 400,
        when: "A format of the output is asked for while documents are to be cited.",
        words: CITED_FORMAT,
        evidence: Evidence::Inferred,
        source: "H4; documentation of structured outputs",
        check: cited_format,
    },
];
