//! Events that are pieces of an item: what they hold, and of which type of item they are.

use std::borrow::Cow;

use interlingua_wire::{Node, Text};

/// The fields of an event, found in one pass: a reply has thousands of them.
#[derive(Default)]
pub(super) struct Piece<'d> {
    pub(super) kind: Cow<'d, str>,
    item_id: Option<Node<'d>>,
    pub(super) output_index: Option<u64>,
    /// Which part of a message or of a summary.
    pub(super) part: Option<u64>,
    pub(super) number: Option<u64>,
    said: Option<Node<'d>>,
    /// A part or an annotation as a whole.
    pub(super) whole: Option<Node<'d>>,
}

impl<'d> Piece<'d> {
    pub(super) fn of(root: Node<'d>) -> Self {
        let mut piece = Self::default();
        for field in root.fields() {
            match &*field.name() {
                "type" => piece.kind = field.value.word(),
                "item_id" => piece.item_id = Some(field.value),
                "output_index" => piece.output_index = field.value.count(),
                "content_index" | "summary_index" => piece.part = field.value.count(),
                "delta" | "text" | "refusal" | "arguments" | "input" => {
                    piece.said = Some(field.value);
                }
                "part" | "annotation" => piece.whole = Some(field.value),
                "sequence_number" => piece.number = field.value.count(),
                _ => {}
            }
        }
        piece
    }

    /// The text of the piece, or at its end all of it.
    pub(super) fn text(&self) -> Text {
        self.said.and_then(Node::text).unwrap_or_default()
    }

    pub(super) fn id(&self) -> Option<Text> {
        self.item_id.and_then(Node::text)
    }

    /// Whether the piece names this id.
    pub(super) fn is_of(&self, id: Option<&Text>) -> bool {
        match (self.item_id, id) {
            (Some(item), Some(id)) => item.is_string() && *id == *item.word(),
            _ => false,
        }
    }
}

/// The type of the items that events of this name are pieces of.
pub(super) fn kind_of(event: &str) -> Option<&'static str> {
    PIECES.iter().find(|(name, _)| *name == event).map(|(_, kind)| *kind)
}

const PIECES: &[(&str, &str)] = &[
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
