//! The parts of a request, as the rules look at them.

use serde_json::Value;

use crate::Request;
use crate::rule::{Fields as _, items, string};

/// An item of the input, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'v> {
    pub at: usize,
    pub value: &'v Value,
}

impl<'v> Item<'v> {
    /// What the item is; a message need not say so.
    pub(super) fn kind(self) -> &'v str {
        match self.value.field("type") {
            None => "message",
            Some(kind) => kind.as_str().unwrap_or_default(),
        }
    }

    pub(super) fn is(self, kind: &str) -> bool {
        self.kind() == kind
    }

    pub(super) fn text(self, key: &str) -> &'v str {
        string(self.value, key)
    }

    /// Its id, if it has one.
    pub(super) fn id(self) -> Option<&'v str> {
        Some(self.text("id")).filter(|id| !id.is_empty())
    }

    pub(super) fn path(self) -> String {
        format!("input.{}", self.at)
    }

    /// Whether the model said it, rather than the client.
    pub(super) fn is_models(self) -> bool {
        match self.kind() {
            "message" => self.text("role") == "assistant",
            kind => !CLIENTS.contains(&kind) && !kind.ends_with("_output"),
        }
    }
}

pub(super) fn input(body: &Value) -> impl DoubleEndedIterator<Item = Item<'_>> + ExactSizeIterator {
    items(body, "input").iter().enumerate().map(|(at, value)| Item { at, value })
}

/// Every tool with its path in brackets: those of the request, those that items bring along, and
/// those in a namespace.
pub(super) fn tools(body: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    gather(items(body, "tools"), "tools", &mut found);
    for item in input(body).filter(|item| item.is("additional_tools")) {
        gather(items(item.value, "tools"), &format!("input[{}].tools", item.at), &mut found);
    }
    found
}

fn gather<'v>(tools: &'v [Value], path: &str, found: &mut Vec<(String, &'v Value)>) {
    for (at, tool) in tools.iter().enumerate() {
        let path = format!("{path}[{at}]");
        found.push((path.clone(), tool));
        if string(tool, "type") == "namespace" {
            gather(items(tool, "tools"), &format!("{path}.tools"), found);
        }
    }
}

/// Whether the conversation goes on from one that the server keeps: what is missing here may be
/// there.
pub(super) fn has_state(body: &Value) -> bool {
    ["previous_response_id", "conversation", "prompt"]
        .iter()
        .any(|key| body.field(key).is_some_and(|value| !value.is_null()))
}

/// Whether the request says that the server keeps nothing.
pub(super) fn keeps_nothing(request: &Request<'_>) -> bool {
    request.body.field("store") == Some(&Value::Bool(false))
}

/// The path with dots for one with brackets.
pub(super) fn dotted(path: &str) -> String {
    path.replace('[', ".").replace(']', "")
}

/// What only the client says; whatever ends in `_output` is the client's too.
const CLIENTS: &[&str] =
    &["mcp_approval_response", "additional_tools", "compaction_trigger", "configuration_update"];
