//! A request's messages, as the rules look at them.

use serde_json::Value;

use crate::Request;
use crate::rule::{Fields as _, items, string};

/// One message and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'v> {
    pub index: usize,
    pub value: &'v Value,
    pub role: &'v str,
}

impl<'v> Message<'v> {
    pub(super) fn path(&self) -> String {
        format!("messages.{}", self.index)
    }

    /// The path of a field of the message.
    pub(super) fn at(&self, field: &str) -> String {
        format!("messages.{}.{field}", self.index)
    }

    pub(super) fn is(&self, role: &str) -> bool {
        self.role == role
    }

    pub(super) fn calls(&self) -> &'v [Value] {
        items(self.value, "tool_calls")
    }

    pub(super) fn has_calls(&self) -> bool {
        !self.calls().is_empty() || self.value.field("function_call").is_some_and(Value::is_object)
    }

    /// The content where it is a list.
    pub(super) fn parts(&self) -> &'v [Value] {
        items(self.value, "content")
    }

    pub(super) fn content(&self) -> Option<&'v Value> {
        self.value.field("content")
    }

    /// Whether there is nothing to read in the content.
    pub(super) fn is_empty(&self) -> bool {
        match self.content() {
            Some(Value::String(text)) => text.is_empty(),
            Some(Value::Array(parts)) => parts.is_empty(),
            _ => true,
        }
    }

    pub(super) fn text(&self, field: &str) -> &'v str {
        string(self.value, field)
    }
}

pub(super) fn messages<'v>(request: &Request<'v>) -> Vec<Message<'v>> {
    messages_of(request.body)
}

pub(super) fn messages_of(body: &Value) -> Vec<Message<'_>> {
    let all = items(body, "messages").iter().enumerate();
    all.map(|(index, value)| Message { index, value, role: string(value, "role") }).collect()
}

/// The name of a called tool.
pub(super) fn call_name(call: &Value) -> &str {
    let kind = if call.field("custom").is_some() { "custom" } else { "function" };
    call.get(kind).map_or("", |call| string(call, "name"))
}

/// The tool messages right after the message at `index`.
pub(super) fn answers<'m, 'v>(messages: &'m [Message<'v>], index: usize) -> &'m [Message<'v>] {
    let after = messages.get(index + 1..).unwrap_or_default();
    let run = after.iter().take_while(|message| message.is("tool")).count();
    &after[..run]
}

/// Where the last exchange begins: after the last words of the user.
pub(super) fn open_loop(messages: &[Message<'_>]) -> usize {
    messages.iter().rposition(|message| message.is("user")).map_or(0, |at| at + 1)
}

/// A path as the inventor spells it: `messages[3].content[0].type`.
pub(super) fn bracketed(path: &str) -> String {
    let mut out = String::with_capacity(path.len() + 4);
    for segment in path.split('.') {
        if segment.bytes().all(|byte| byte.is_ascii_digit()) && !segment.is_empty() {
            out.push('[');
            out.push_str(segment);
            out.push(']');
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(segment);
        }
    }
    out
}

/// What kind of value it is, in words.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a decimal",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The keys of an object, in the order in which they were written.
pub(super) fn keys(value: &Value) -> impl Iterator<Item = &String> {
    value.as_object().into_iter().flat_map(|object| object.keys())
}

/// The column at which a parser that reads the body in one line has read the message at `index`.
pub(super) fn column(body: &Value, index: usize) -> usize {
    let mut column = 1;
    for (key, value) in body.as_object().into_iter().flatten() {
        let Some(messages) = value.as_array().filter(|_| key == "messages") else {
            column += key.len() + 4 + value.to_string().len();
            continue;
        };
        column += key.len() + 4;
        let read: usize =
            messages.iter().take(index + 1).map(|one| one.to_string().len() + 1).sum();
        return column + read - 1;
    }
    column
}
