//! Reads the messages of a request for the rules.

use serde_json::Value;

use crate::Request;
use crate::json::{JsonExt as _, array_field, str_field};

/// A message with its index.
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
    pub(super) fn field_path(&self, field: &str) -> String {
        format!("messages.{}.{field}", self.index)
    }

    pub(super) fn has_role(&self, role: &str) -> bool {
        self.role == role
    }

    pub(super) fn tool_calls(&self) -> &'v [Value] {
        array_field(self.value, "tool_calls")
    }

    pub(super) fn has_tool_calls(&self) -> bool {
        !self.tool_calls().is_empty()
            || self.value.field("function_call").is_some_and(Value::is_object)
    }

    /// The content parts; empty unless the content is a list.
    pub(super) fn parts(&self) -> &'v [Value] {
        array_field(self.value, "content")
    }

    pub(super) fn content(&self) -> Option<&'v Value> {
        self.value.field("content")
    }

    /// Whether the content is missing, null or empty.
    pub(super) fn has_no_content(&self) -> bool {
        match self.content() {
            Some(Value::String(text)) => text.is_empty(),
            Some(Value::Array(parts)) => parts.is_empty(),
            _ => true,
        }
    }

    pub(super) fn str_field(&self, field: &str) -> &'v str {
        str_field(self.value, field)
    }
}

pub(super) fn messages<'v>(request: &Request<'v>) -> Vec<Message<'v>> {
    messages_of(request.body)
}

pub(super) fn messages_of(body: &Value) -> Vec<Message<'_>> {
    let all = array_field(body, "messages").iter().enumerate();
    all.map(|(index, value)| Message { index, value, role: str_field(value, "role") }).collect()
}

/// The name of the called tool.
pub(super) fn call_name(call: &Value) -> &str {
    let kind = if call.field("custom").is_some() { "custom" } else { "function" };
    call.get(kind).map_or("", |call| str_field(call, "name"))
}

/// The tool messages directly after the message at `index`.
pub(super) fn tool_results_after<'m, 'v>(
    messages: &'m [Message<'v>],
    index: usize,
) -> &'m [Message<'v>] {
    let after = messages.get(index + 1..).unwrap_or_default();
    let count = after.iter().take_while(|message| message.has_role("tool")).count();
    &after[..count]
}

/// The index after the last user message.
pub(super) fn open_loop_start(messages: &[Message<'_>]) -> usize {
    messages.iter().rposition(|message| message.has_role("user")).map_or(0, |at| at + 1)
}

/// A path in `OpenAI`'s spelling: `messages[3].content[0].type`.
pub(super) fn bracket_path(path: &str) -> String {
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

/// The keys of an object, in the order in which they were written.
pub(super) fn object_keys(value: &Value) -> impl Iterator<Item = &String> {
    value.as_object().into_iter().flat_map(|object| object.keys())
}

/// The column after the message at `index`, in a body without line breaks and spaces.
pub(super) fn message_column(body: &Value, index: usize) -> usize {
    let mut column = 1;
    for (key, value) in body.as_object().into_iter().flatten() {
        let Some(messages) = value.as_array().filter(|_| key == "messages") else {
            column += key.len() + 4 + value.to_string().len();
            continue;
        };
        column += key.len() + 4;
        let parsed_bytes: usize =
            messages.iter().take(index + 1).map(|message| message.to_string().len() + 1).sum();
        return column + parsed_bytes - 1;
    }
    column
}
