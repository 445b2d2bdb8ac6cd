//! Reads the items and tools of a request for the rules.

use serde_json::Value;

use crate::Request;
use crate::json::{JsonExt as _, array_field, str_field};

/// An item of the input with its index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'v> {
    pub index: usize,
    pub value: &'v Value,
}

impl<'v> Item<'v> {
    /// The item's type; messages may omit it.
    pub(super) fn item_type(self) -> &'v str {
        match self.value.field("type") {
            None => "message",
            Some(kind) => kind.as_str().unwrap_or_default(),
        }
    }

    pub(super) fn is_type(self, kind: &str) -> bool {
        self.item_type() == kind
    }

    pub(super) fn str_field(self, key: &str) -> &'v str {
        str_field(self.value, key)
    }

    /// The item's id, if it is not empty.
    pub(super) fn id(self) -> Option<&'v str> {
        Some(self.str_field("id")).filter(|id| !id.is_empty())
    }

    pub(super) fn path(self) -> String {
        format!("input.{}", self.index)
    }

    /// Whether the model made the item, not the client.
    pub(super) fn is_from_model(self) -> bool {
        match self.item_type() {
            "message" => self.str_field("role") == "assistant",
            kind => !CLIENT_ITEM_TYPES.contains(&kind) && !kind.ends_with("_output"),
        }
    }
}

pub(super) fn input(body: &Value) -> impl DoubleEndedIterator<Item = Item<'_>> + ExactSizeIterator {
    array_field(body, "input").iter().enumerate().map(|(at, value)| Item { index: at, value })
}

/// All tools with their paths in brackets: those of the request, of items, and inside
/// namespaces.
pub(super) fn all_tools(body: &Value) -> Vec<(String, &Value)> {
    let mut tools = Vec::new();
    collect_tools(array_field(body, "tools"), "tools", &mut tools);
    for item in input(body).filter(|item| item.is_type("additional_tools")) {
        collect_tools(
            array_field(item.value, "tools"),
            &format!("input[{}].tools", item.index),
            &mut tools,
        );
    }
    tools
}

fn collect_tools<'v>(tools: &'v [Value], path: &str, collected: &mut Vec<(String, &'v Value)>) {
    for (at, tool) in tools.iter().enumerate() {
        let path = format!("{path}[{at}]");
        collected.push((path.clone(), tool));
        if str_field(tool, "type") == "namespace" {
            collect_tools(array_field(tool, "tools"), &format!("{path}.tools"), collected);
        }
    }
}

/// Whether the request continues a stored conversation, which may contain whatever is missing in
/// the request.
pub(super) fn has_server_state(body: &Value) -> bool {
    ["previous_response_id", "conversation", "prompt"]
        .iter()
        .any(|key| body.field(key).is_some_and(|value| !value.is_null()))
}

/// Whether the request disables storing.
pub(super) fn is_store_disabled(request: &Request<'_>) -> bool {
    request.body.field("store") == Some(&Value::Bool(false))
}

/// Converts a path with brackets to one with dots.
pub(super) fn dotted_path(path: &str) -> String {
    path.replace('[', ".").replace(']', "")
}

/// Types of client items, in addition to those that end with `_output`.
const CLIENT_ITEM_TYPES: &[&str] =
    &["mcp_approval_response", "additional_tools", "compaction_trigger", "configuration_update"];
