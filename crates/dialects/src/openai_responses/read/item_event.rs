//! Parses the fields of item events, and maps event names to item types.

use std::borrow::Cow;

use interlingua_wire::{JsonNode, JsonString};

/// The fields of an event, found in one pass: a reply has thousands of events.
#[derive(Default)]
pub(super) struct ItemEvent<'d> {
    pub(super) kind: Cow<'d, str>,
    item_id: Option<JsonNode<'d>>,
    pub(super) output_index: Option<u64>,
    /// Index of the part of a message, or of a summary.
    pub(super) part_index: Option<u64>,
    pub(super) sequence_number: Option<u64>,
    text: Option<JsonNode<'d>>,
    /// A complete part or annotation.
    pub(super) object: Option<JsonNode<'d>>,
}

impl<'d> ItemEvent<'d> {
    pub(super) fn from_node(root: JsonNode<'d>) -> Self {
        let mut event = Self::default();
        for field in root.fields() {
            match &*field.key() {
                "type" => event.kind = field.value.str_or_empty(),
                "item_id" => event.item_id = Some(field.value),
                "output_index" => event.output_index = field.value.as_u64(),
                "content_index" | "summary_index" => event.part_index = field.value.as_u64(),
                "delta" | "text" | "refusal" | "arguments" | "input" => {
                    event.text = Some(field.value);
                }
                "part" | "annotation" => event.object = Some(field.value),
                "sequence_number" => event.sequence_number = field.value.as_u64(),
                _ => {}
            }
        }
        event
    }

    /// The delta, or the complete text at its end.
    pub(super) fn text(&self) -> JsonString {
        self.text.and_then(JsonNode::json_string).unwrap_or_default()
    }

    pub(super) fn item_id(&self) -> Option<JsonString> {
        self.item_id.and_then(JsonNode::json_string)
    }

    /// Returns whether the event has this id.
    pub(super) fn names_item(&self, id: Option<&JsonString>) -> bool {
        match (self.item_id, id) {
            (Some(item), Some(id)) => item.is_string() && *id == *item.str_or_empty(),
            _ => false,
        }
    }
}

/// The item type of events with this name.
pub(super) fn item_type_of_event(event: &str) -> Option<&'static str> {
    ITEM_EVENTS.iter().find(|(name, _)| *name == event).map(|(_, kind)| *kind)
}

const ITEM_EVENTS: &[(&str, &str)] = &[
    ("response.output_text.delta", "message"),
    ("response.function_call_arguments.delta", "function_call"),
    ("response.reasoning_summary_text.delta", "reasoning"),
    ("response.reasoning_text.delta", "reasoning"),
    ("response.custom_tool_call_input.delta", "custom_tool_call"),
    ("response.refusal.delta", "message"),
    ("response.content_part.added", "message"),
    ("response.content_part.done", "message"),
    ("response.output_text.done", "message"),
    ("response.output_text.annotation.added", "message"),
    ("response.refusal.done", "message"),
    ("response.reasoning_summary_part.added", "reasoning"),
    ("response.reasoning_summary_part.done", "reasoning"),
    ("response.reasoning_summary_text.done", "reasoning"),
    ("response.reasoning_text.done", "reasoning"),
    ("response.function_call_arguments.done", "function_call"),
    ("response.custom_tool_call_input.done", "custom_tool_call"),
];
