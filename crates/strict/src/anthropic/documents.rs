//! Rules about documents and citations.

use serde_json::Value;

use super::headers::is_newest_version;
use super::view;
use crate::json::{array_field, str_field};
use crate::{CheckContext, Evidence, Request, Rule};

fn document_from_assistant(request: &Request<'_>, cx: &mut CheckContext) {
    let blocks = view::blocks(request.body).filter(|_| is_newest_version(request));
    for block in blocks.filter(|block| block.is_type("document") && block.role == "assistant") {
        let message = format!(
            "messages.{}: `document` blocks can only be in `user` messages",
            block.message_index
        );
        cx.reject(block.path(), message);
    }
}

fn citations_from_user(request: &Request<'_>, cx: &mut CheckContext) {
    let blocks = view::blocks(request.body).filter(|_| is_newest_version(request));
    for block in blocks.filter(|block| block.is_type("text") && block.role == "user") {
        if !array_field(block.value, "citations").is_empty() {
            let path = format!("{}.text.citations", block.path());
            let message = format!("{path}: citations can only be set in `assistant` messages");
            cx.reject(path, message);
        }
    }
}

/// Documents and search results, each with whether citations are enabled.
fn citable_blocks(body: &Value) -> Vec<(String, &str, bool)> {
    let mut blocks = Vec::new();
    let mut add = |path: &dyn Fn() -> String, value| {
        let kind = str_field(value, "type");
        if matches!(kind, "document" | "search_result") {
            let is_cited = value.pointer("/citations/enabled") == Some(&Value::Bool(true));
            blocks.push((path(), kind, is_cited));
        }
    };
    for block in view::blocks(body) {
        add(&|| block.path(), block.value);
        view::result_blocks(&block).for_each(|inner| add(&|| inner.path(), inner.value));
    }
    blocks
}

fn some_citations(request: &Request<'_>, cx: &mut CheckContext) {
    let sources = citable_blocks(request.body);
    for (path, kind, is_cited) in &sources {
        let first = sources.iter().find(|(_, other, _)| other == kind);
        if first.is_some_and(|(_, _, first)| first != is_cited) {
            cx.reject(path, SOME_CITATIONS_ERROR);
        }
    }
}

fn citations_and_format(request: &Request<'_>, cx: &mut CheckContext) {
    let has_format =
        request.body.pointer("/output_config/format").is_some_and(|value| !value.is_null());
    if has_format && citable_blocks(request.body).iter().any(|(_, _, is_cited)| *is_cited) {
        cx.reject("output_config.format", CITATIONS_AND_FORMAT_ERROR);
    }
}

const SOME_CITATIONS_ERROR: &str = "Citations must be enabled on all documents or on none of them.";
const CITATIONS_AND_FORMAT_ERROR: &str =
    "output_config.format: structured outputs cannot be used together with citations";

pub(super) const RULES: [Rule; 4] = [
    Rule {
        name: "document-from-assistant",
        status: 400,
        condition: "Under API version 2026-10-21, a document is in an assistant message.",
        error_message: "messages.{n}: `document` blocks can only be in `user` messages",
        evidence: Evidence::Inferred,
        source: "H6; migration guide to 2026-10-21",
        check: document_from_assistant,
    },
    Rule {
        name: "citations-from-user",
        status: 400,
        condition: "Under API version 2026-10-21, a user's text block has citations.",
        error_message: "messages.{n}.content.{m}.text.citations: citations can only be set in `assistant` messages",
        evidence: Evidence::Inferred,
        source: "H6; migration guide to 2026-10-21",
        check: citations_from_user,
    },
    Rule {
        name: "some-citations",
        status: 400,
        condition: "Citations are enabled on some documents only.",
        error_message: SOME_CITATIONS_ERROR,
        evidence: Evidence::Inferred,
        source: "H4; documentation of citations",
        check: some_citations,
    },
    Rule {
        name: "citations-and-format",
        status: 400,
        condition: "An output format is requested while citations are enabled.",
        error_message: CITATIONS_AND_FORMAT_ERROR,
        evidence: Evidence::Inferred,
        source: "H4; documentation of structured outputs",
        check: citations_and_format,
    },
];
