//! Reads a conversation as the API does: blocks, merged messages and the open tool loop.

use serde_json::Value;

use crate::json::{JsonExt as _, array_field, str_field};

/// A block with its position. A message with string content is one text block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'v> {
    pub(super) value: &'v Value,
    block_type: &'v str,
    pub(super) role: &'v str,
    pub(super) message_index: usize,
    pub(super) block_index: usize,
}

/// A block inside a tool result.
#[derive(Clone, Copy, Debug)]
pub(super) struct NestedBlock<'v> {
    pub(super) value: &'v Value,
    result: Block<'v>,
    index: usize,
}

/// Consecutive messages of one role, which the API merges into one.
#[derive(Debug)]
pub(super) struct MergedMessage<'v> {
    pub(super) role: &'v str,
    pub(super) blocks: Vec<Block<'v>>,
    /// Index of the last merged message.
    pub(super) last_message: usize,
}

impl<'v> Block<'v> {
    pub(super) fn block_type(&self) -> &'v str {
        self.block_type
    }

    pub(super) fn str_field(&self, key: &str) -> &'v str {
        str_field(self.value, key)
    }

    /// The text of a text block.
    pub(super) fn text(&self) -> &'v str {
        self.value.as_str().unwrap_or_else(|| self.str_field("text"))
    }

    pub(super) fn is_type(&self, kind: &str) -> bool {
        self.block_type() == kind
    }

    pub(super) fn is_thinking(&self) -> bool {
        matches!(self.block_type, "thinking" | "redacted_thinking")
    }

    /// Whether this is the result of a server tool.
    pub(super) fn is_server_result(&self) -> bool {
        self.block_type().ends_with("_tool_result") && !self.is_type("mcp_tool_result")
    }

    pub(super) fn path(&self) -> String {
        match self.value {
            Value::String(_) => format!("messages.{}.content", self.message_index),
            _ => format!("messages.{}.content.{}", self.message_index, self.block_index),
        }
    }
}

impl<'v> NestedBlock<'v> {
    pub(super) fn block_type(&self) -> &'v str {
        str_field(self.value, "type")
    }

    pub(super) fn path(&self) -> String {
        format!("{}.tool_result.content.{}", self.result.path(), self.index)
    }
}

pub(super) fn is_thinking(block: &Value) -> bool {
    matches!(str_field(block, "type"), "thinking" | "redacted_thinking")
}

pub(super) fn messages(body: &Value) -> &[Value] {
    array_field(body, "messages")
}

/// All blocks of all messages, in order.
pub(super) fn blocks(body: &Value) -> impl Iterator<Item = Block<'_>> {
    let blocks_with_index = |(message, value)| message_blocks(value, message);
    messages(body).iter().enumerate().flat_map(blocks_with_index)
}

/// The blocks of one message; empty for an empty string.
pub(super) fn message_blocks(value: &Value, message: usize) -> impl Iterator<Item = Block<'_>> {
    let role = str_field(value, "role");
    let content = match value.field("content") {
        Some(Value::Array(list)) => list.as_slice(),
        Some(text @ Value::String(string)) if !string.is_empty() => std::slice::from_ref(text),
        _ => &[],
    };
    let block_type_of =
        |value| if Value::is_string(value) { "text" } else { str_field(value, "type") };
    let to_block = move |(index, value)| Block {
        value,
        block_type: block_type_of(value),
        role,
        message_index: message,
        block_index: index,
    };
    content.iter().enumerate().map(to_block)
}

pub(super) fn result_blocks<'v>(result: &Block<'v>) -> impl Iterator<Item = NestedBlock<'v>> {
    let result = *result;
    let content =
        if result.is_type("tool_result") { array_field(result.value, "content") } else { &[] };
    content.iter().enumerate().map(move |(index, value)| NestedBlock { value, result, index })
}

/// The conversation as the API merges it, without system messages.
pub(super) fn merged_messages(body: &Value) -> Vec<MergedMessage<'_>> {
    let mut merged: Vec<MergedMessage<'_>> = Vec::new();
    for (at, message) in messages(body).iter().enumerate() {
        let role = str_field(message, "role");
        if role == "system" {
            continue;
        }
        match merged.last_mut().filter(|run| run.role == role) {
            Some(run) => {
                run.blocks.extend(message_blocks(message, at));
                run.last_message = at;
            }
            None => merged.push(MergedMessage {
                role,
                blocks: message_blocks(message, at).collect(),
                last_message: at,
            }),
        }
    }
    merged
}

/// The messages of the open tool loop: everything after the last user message with more than tool
/// results.
pub(super) fn open_tool_loop<'r, 'v>(runs: &'r [MergedMessage<'v>]) -> &'r [MergedMessage<'v>] {
    let is_closing = |run: &MergedMessage<'_>| {
        run.role == "user" && !run.blocks.iter().all(|block| block.is_type("tool_result"))
    };
    let start = runs.iter().rposition(is_closing).map_or(0, |at| at + 1);
    &runs[start..]
}

pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// A whole number; `1.0` counts.
pub(super) fn as_integer(value: &Value) -> Option<i64> {
    let from_float =
        || value.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as i64);
    value.as_i64().or_else(from_float)
}

/// Quotes names as the API's error messages do.
pub(super) fn quote_each(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("'{name}'")).collect()
}
