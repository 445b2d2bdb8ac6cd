//! How the judge looks at a request: fields in either spelling, contents, parts, calls, responses.

use std::slice;

use serde_json::Value;

use super::messages::DATA;
use crate::Request;

/// A content of the conversation.
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
        self.of("function_call")
    }

    pub(super) fn responses(&self) -> impl Iterator<Item = (usize, &'v Value)> {
        self.of("function_response")
    }

    fn of(&self, kind: &'static str) -> impl Iterator<Item = (usize, &'v Value)> {
        let parts = self.parts.iter().enumerate();
        parts.filter_map(move |(at, part)| field(part, kind).map(|value| (at, value)))
    }
}

/// The request for content; a request for a count may hold one.
pub(super) fn body<'r>(request: &Request<'r>) -> &'r Value {
    let inner = field(request.body, "generate_content_request");
    inner.filter(|_| request.counting).unwrap_or(request.body)
}

pub(super) fn contents<'r>(request: &Request<'r>) -> Vec<Content<'r>> {
    let content = |(index, value)| {
        let role = text(value, "role");
        // Who says nothing else is the user.
        let role = if role.is_empty() { "user" } else { role };
        Content { index, role, parts: many(value, "parts") }
    };
    many(body(request), "contents").iter().enumerate().map(content).collect()
}

/// A field that is set, by its name in snake case, in either spelling.
pub(super) fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let entries = || value.as_object().into_iter().flatten();
    let named = entries().find(|(key, _)| *key == name);
    let spelled = || entries().find(|(key, _)| is_spelling(key, name));
    let (_, found) = named.or_else(spelled)?;
    Some(found).filter(|value| !value.is_null())
}

/// A field within a field within …
pub(super) fn within<'v>(value: &'v Value, names: &[&str]) -> Option<&'v Value> {
    names.iter().try_fold(value, |value, name| field(value, name))
}

pub(super) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    field(value, name).and_then(Value::as_str).unwrap_or_default()
}

/// A repeated field. One alone may stand without its list.
pub(super) fn many<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    match field(value, name) {
        Some(Value::Array(list)) => list,
        Some(one) => slice::from_ref(one),
        None => &[],
    }
}

/// Whether the part holds something.
pub(super) fn holds_data(part: &Value) -> bool {
    DATA.iter().any(|name| field(part, name).is_some())
}

/// Whether this is the name or, such as `functionCall`, its other spelling.
pub(super) fn is_spelling(key: &str, name: &str) -> bool {
    let mut name = name.bytes();
    let fits = key.bytes().all(|letter| {
        (!letter.is_ascii_uppercase() || name.next() == Some(b'_'))
            && name.next() == Some(letter.to_ascii_lowercase())
    });
    fits && name.next().is_none()
}

pub(super) fn is_vertex(flavor: &str) -> bool {
    flavor == "vertex"
}

/// The words as the flavor says them.
pub(super) fn said(flavor: &str, words: &str) -> String {
    if is_vertex(flavor) {
        format!("Unable to submit request because {words}. {LEARN}")
    } else {
        words.to_owned()
    }
}

pub(super) const LEARN: &str =
    "Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini";
