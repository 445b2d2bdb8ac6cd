//! How the judge looks at a conversation: its messages, blocks, runs of one speaker and open loop.

use serde_json::Value;

use crate::rule::{Fields as _, items, string};

/// A block and where it stands. A message that is a string is one block of text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'v> {
    pub(super) value: &'v Value,
    kind: &'v str,
    pub(super) role: &'v str,
    pub(super) message: usize,
    pub(super) index: usize,
}

/// A block inside a tool result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inner<'v> {
    pub(super) value: &'v Value,
    result: Block<'v>,
    index: usize,
}

/// Messages of one speaker in a row, which the API takes for one.
#[derive(Debug)]
pub(super) struct Run<'v> {
    pub(super) role: &'v str,
    pub(super) blocks: Vec<Block<'v>>,
    /// The last message of the run.
    pub(super) last: usize,
}

impl<'v> Block<'v> {
    pub(super) fn kind(&self) -> &'v str {
        self.kind
    }

    pub(super) fn text(&self, key: &str) -> &'v str {
        string(self.value, key)
    }

    /// The words of a text block.
    pub(super) fn words(&self) -> &'v str {
        self.value.as_str().unwrap_or_else(|| self.text("text"))
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        self.kind() == kind
    }

    pub(super) fn is_thinking(&self) -> bool {
        matches!(self.kind, "thinking" | "redacted_thinking")
    }

    /// What a server tool answered.
    pub(super) fn is_server_result(&self) -> bool {
        self.kind().ends_with("_tool_result") && !self.is("mcp_tool_result")
    }

    pub(super) fn path(&self) -> String {
        match self.value {
            Value::String(_) => format!("messages.{}.content", self.message),
            _ => format!("messages.{}.content.{}", self.message, self.index),
        }
    }
}

impl<'v> Inner<'v> {
    pub(super) fn kind(&self) -> &'v str {
        string(self.value, "type")
    }

    pub(super) fn path(&self) -> String {
        format!("{}.tool_result.content.{}", self.result.path(), self.index)
    }
}

pub(super) fn is_thinking(block: &Value) -> bool {
    matches!(string(block, "type"), "thinking" | "redacted_thinking")
}

pub(super) fn messages(body: &Value) -> &[Value] {
    items(body, "messages")
}

/// Every block of every message, in order.
pub(super) fn blocks(body: &Value) -> impl Iterator<Item = Block<'_>> {
    let of = |(message, value)| blocks_of(value, message);
    messages(body).iter().enumerate().flat_map(of)
}

/// The blocks of one message; none of an empty string.
pub(super) fn blocks_of(value: &Value, message: usize) -> impl Iterator<Item = Block<'_>> {
    let role = string(value, "role");
    let content = match value.field("content") {
        Some(Value::Array(list)) => list.as_slice(),
        Some(text @ Value::String(words)) if !words.is_empty() => std::slice::from_ref(text),
        _ => &[],
    };
    let kind = |value| if Value::is_string(value) { "text" } else { string(value, "type") };
    let block = move |(index, value)| Block { value, kind: kind(value), role, message, index };
    content.iter().enumerate().map(block)
}

/// The blocks inside a tool result.
pub(super) fn inside<'v>(result: &Block<'v>) -> impl Iterator<Item = Inner<'v>> {
    let result = *result;
    let content = if result.is("tool_result") { items(result.value, "content") } else { &[] };
    content.iter().enumerate().map(move |(index, value)| Inner { value, result, index })
}

/// The conversation as the API merges it. Instructions between the turns belong to none.
pub(super) fn runs(body: &Value) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    for (at, message) in messages(body).iter().enumerate() {
        let role = string(message, "role");
        if role == "system" {
            continue;
        }
        match runs.last_mut().filter(|run| run.role == role) {
            Some(run) => {
                run.blocks.extend(blocks_of(message, at));
                run.last = at;
            }
            None => runs.push(Run { role, blocks: blocks_of(message, at).collect(), last: at }),
        }
    }
    runs
}

/// The runs of the open tool loop: everything since the user last said more than tool results.
pub(super) fn open_loop<'r, 'v>(runs: &'r [Run<'v>]) -> &'r [Run<'v>] {
    let closes = |run: &Run<'_>| {
        run.role == "user" && !run.blocks.iter().all(|block| block.is("tool_result"))
    };
    let from = runs.iter().rposition(closes).map_or(0, |at| at + 1);
    &runs[from..]
}

/// Whether the text is empty or blank.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// A whole number, however it is spelled.
pub(super) fn whole(value: &Value) -> Option<i64> {
    let spelled =
        || value.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as i64);
    value.as_i64().or_else(spelled)
}

/// Names in quotes, as the API lists what it expects.
pub(super) fn quoted(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("'{name}'")).collect()
}
