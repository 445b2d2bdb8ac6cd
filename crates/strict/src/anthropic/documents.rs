//! Rules about documents and citations.

use serde_json::Value;

use super::headers::is_newest_version;
use super::view;
use crate::json::{array_field, str_field};
use crate::{CheckContext, Request};

pub(super) fn document_from_assistant(request: &Request<'_>, cx: &mut CheckContext) {
    let blocks = view::blocks(request.body).filter(|_| is_newest_version(request));
    for block in blocks.filter(|block| block.is_type("document") && block.role == "assistant") {
        cx.reject_filled(block.path(), &[("n", &block.message_index)]);
    }
}

pub(super) fn citations_from_user(request: &Request<'_>, cx: &mut CheckContext) {
    let blocks = view::blocks(request.body).filter(|_| is_newest_version(request));
    for block in blocks.filter(|block| block.is_type("text") && block.role == "user") {
        if !array_field(block.value, "citations").is_empty() {
            let path = format!("{}.text.citations", block.path());
            cx.reject_filled(path, &[]);
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

pub(super) fn some_citations(request: &Request<'_>, cx: &mut CheckContext) {
    let sources = citable_blocks(request.body);
    for (path, kind, is_cited) in &sources {
        let first = sources.iter().find(|(_, other, _)| other == kind);
        if first.is_some_and(|(_, _, first)| first != is_cited) {
            cx.reject(path, cx.message());
        }
    }
}

pub(super) fn citations_and_format(request: &Request<'_>, cx: &mut CheckContext) {
    let has_format =
        request.body.pointer("/output_config/format").is_some_and(|value| !value.is_null());
    if has_format && citable_blocks(request.body).iter().any(|(_, _, is_cited)| *is_cited) {
        cx.reject("output_config.format", cx.message());
    }
}
