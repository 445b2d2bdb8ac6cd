//! Rules about tool calls and their outputs.

use std::collections::BTreeMap;

use super::view::{self, Item};
use crate::{CheckContext, Request};

/// A call type and the types of its outputs.
struct CallOutputTypes {
    call_type: &'static str,
    /// The second type, if any, is sent by some of `OpenAI`'s own clients.
    output_types: &'static [&'static str],
}

impl CallOutputTypes {
    fn for_call(item: Item<'_>) -> Option<&'static Self> {
        let pair = CALL_OUTPUT_TYPES.iter().find(|pair| item.is_type(pair.call_type))?;
        // The server runs its own searches.
        let is_server_side =
            item.is_type("tool_search_call") && item.str_field("execution") != "client";
        (!is_server_side).then_some(pair)
    }

    fn is_output(item: Item<'_>) -> bool {
        CALL_OUTPUT_TYPES.iter().any(|pair| pair.output_types.contains(&item.item_type()))
    }

    fn accepts_output(&self, output: Item<'_>) -> bool {
        self.output_types.contains(&output.item_type())
    }
}

/// The id that call and output share. The output of a local shell may have it as `id`.
fn call_id(item: Item<'_>) -> &str {
    match item.str_field("call_id") {
        "" if item.is_type("local_shell_call_output") => item.str_field("id"),
        id => id,
    }
}

pub(super) fn output_without_call(request: &Request<'_>, cx: &mut CheckContext) {
    if view::has_server_state(request.body) {
        return;
    }
    let mut calls: BTreeMap<&str, Vec<&CallOutputTypes>> = BTreeMap::new();
    for item in view::input(request.body) {
        if item.is_type("item_reference") {
            // The reference may be to the call.
            return;
        }
        if let Some(pair) = CallOutputTypes::for_call(item) {
            calls.entry(call_id(item)).or_default().push(pair);
        }
        let id = call_id(item);
        // The output of a server-side search is the model's item.
        let is_server_side =
            item.is_type("tool_search_output") && item.str_field("execution") != "client";
        if !CallOutputTypes::is_output(item) || is_server_side || id.is_empty() {
            continue;
        }
        let has_call =
            calls.get(id).is_some_and(|calls| calls.iter().any(|pair| pair.accepts_output(item)));
        if !has_call {
            let output = item.item_type().replace('_', " ");
            let message = format!("No tool call found for {output} with call_id {id}.");
            cx.reject_with(item.path(), message, Some("input"), None);
        }
    }
}

/// Calls that still lack their output.
#[derive(Default)]
struct PendingCalls<'v> {
    /// `None` for those that have theirs.
    calls: Vec<Option<(Item<'v>, &'static CallOutputTypes)>>,
    by_id: BTreeMap<&'v str, Vec<usize>>,
}

impl<'v> PendingCalls<'v> {
    fn push(&mut self, call: Item<'v>, pair: &'static CallOutputTypes) {
        self.by_id.entry(call_id(call)).or_default().push(self.calls.len());
        self.calls.push(Some((call, pair)));
    }

    fn remove_answered_by(&mut self, output: Item<'_>) {
        let Some(same_id) = self.by_id.get_mut(call_id(output)) else { return };
        same_id.retain(|index| {
            let call = &mut self.calls[*index];
            if call.is_some_and(|(_, pair)| pair.accepts_output(output)) {
                *call = None;
            }
            call.is_some()
        });
    }

    fn move_to(&mut self, unanswered: &mut Vec<Item<'v>>) {
        self.by_id.clear();
        unanswered.extend(self.calls.drain(..).flatten().map(|(call, _)| call));
    }
}

pub(super) fn call_without_output(request: &Request<'_>, cx: &mut CheckContext) {
    let mut pending = PendingCalls::default();
    // Whether a client's item came after the model's last one.
    let mut after_client_item = false;
    let mut unanswered = Vec::new();
    for item in view::input(request.body) {
        if item.is_from_model() {
            if after_client_item {
                pending.move_to(&mut unanswered);
            }
            after_client_item = false;
        } else {
            after_client_item = true;
        }
        if CallOutputTypes::is_output(item) {
            pending.remove_answered_by(item);
        }
        if let Some(pair) = CallOutputTypes::for_call(item) {
            pending.push(item, pair);
        }
    }
    pending.move_to(&mut unanswered);
    for call in unanswered {
        let (kind, id) = (call.item_type().replace('_', " "), call_id(call));
        let message = format!("No tool output found for {kind} {id}.");
        cx.reject_with(call.path(), message, Some("input"), None);
    }
}

const CALL_OUTPUT_TYPES: &[CallOutputTypes] = &[
    CallOutputTypes { call_type: "function_call", output_types: &["function_call_output"] },
    CallOutputTypes { call_type: "custom_tool_call", output_types: &["custom_tool_call_output"] },
    CallOutputTypes {
        call_type: "local_shell_call",
        output_types: &["local_shell_call_output", "function_call_output"],
    },
    CallOutputTypes { call_type: "shell_call", output_types: &["shell_call_output"] },
    CallOutputTypes { call_type: "apply_patch_call", output_types: &["apply_patch_call_output"] },
    CallOutputTypes { call_type: "computer_call", output_types: &["computer_call_output"] },
    CallOutputTypes { call_type: "tool_search_call", output_types: &["tool_search_output"] },
];
