//! Reads a request: fields in either spelling, contents, parts, calls and responses.

use std::slice;

use serde_json::Value;

use crate::Request;

/// A content of the conversation with its index.
#[derive(Debug)]
pub(super) struct Content<'v> {
    pub(super) index: usize,
    pub(super) role: &'v str,
    pub(super) parts: &'v [Value],
}

impl<'v> Content<'v> {
    pub(super) fn path(&self) -> String {
        format!("contents.{}", self.index)
    }

    pub(super) fn calls(&self) -> impl Iterator<Item = (usize, &'v Value)> {
        self.parts_with("function_call")
    }

    pub(super) fn responses(&self) -> impl Iterator<Item = (usize, &'v Value)> {
        self.parts_with("function_response")
    }

    fn parts_with(&self, kind: &'static str) -> impl Iterator<Item = (usize, &'v Value)> {
        let parts = self.parts.iter().enumerate();
        parts.filter_map(move |(at, part)| field(part, kind).map(|value| (at, value)))
    }
}

/// The generate request; a count request may contain one.
pub(super) fn generate_request<'r>(request: &Request<'r>) -> &'r Value {
    let inner = field(request.body, "generate_content_request");
    inner.filter(|_| request.count_tokens).unwrap_or(request.body)
}

pub(super) fn contents<'r>(request: &Request<'r>) -> Vec<Content<'r>> {
    let to_content = |(index, value)| {
        let role = str_field(value, "role");
        // The default role is user.
        let role = if role.is_empty() { "user" } else { role };
        Content { index, role, parts: repeated_field(value, "parts") }
    };
    repeated_field(generate_request(request), "contents")
        .iter()
        .enumerate()
        .map(to_content)
        .collect()
}

/// A non-null field by its name in snake case, in either spelling.
pub(super) fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let entries = || value.as_object().into_iter().flatten();
    let exact = entries().find(|(key, _)| *key == name);
    let other_spelling = || entries().find(|(key, _)| is_name_of(key, name));
    let (_, found) = exact.or_else(other_spelling)?;
    Some(found).filter(|value| !value.is_null())
}

/// A nested field by its path.
pub(super) fn nested_field<'v>(value: &'v Value, names: &[&str]) -> Option<&'v Value> {
    names.iter().try_fold(value, |value, name| field(value, name))
}

pub(super) fn str_field<'v>(value: &'v Value, name: &str) -> &'v str {
    field(value, name).and_then(Value::as_str).unwrap_or_default()
}

/// A repeated field. A single value may be written without a list.
pub(super) fn repeated_field<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    match field(value, name) {
        Some(Value::Array(list)) => list,
        Some(single) => slice::from_ref(single),
        None => &[],
    }
}

/// Whether the part has any data field.
pub(super) fn holds_data(part: &Value) -> bool {
    PART_DATA_FIELDS.iter().any(|name| field(part, name).is_some())
}

/// Whether a key is the field name, or its camel case spelling such as `functionCall`.
pub(super) fn is_name_of(key: &str, name: &str) -> bool {
    let mut name = name.bytes();
    let is_prefix = key.bytes().all(|letter| {
        (!letter.is_ascii_uppercase() || name.next() == Some(b'_'))
            && name.next() == Some(letter.to_ascii_lowercase())
    });
    is_prefix && name.next().is_none()
}

pub(super) fn is_vertex(flavor: &str) -> bool {
    flavor == "vertex"
}

/// Formats an error message for the flavor.
pub(super) fn flavored_message(flavor: &str, message: &str) -> String {
    if is_vertex(flavor) {
        format!("Unable to submit request because {message}. {DOCS_LINK}")
    } else {
        message.to_owned()
    }
}

pub(super) const DOCS_LINK: &str =
    "Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini";

/// The data fields of a part, of which one may be set.
pub(super) static PART_DATA_FIELDS: &[&str] = &[
    "text",
    "inline_data",
    "file_data",
    "function_call",
    "function_response",
    "executable_code",
    "code_execution_result",
    "tool_call",
    "tool_response",
];
