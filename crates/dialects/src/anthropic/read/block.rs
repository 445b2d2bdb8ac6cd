//! A block of a stream, and the deltas that are buffered until it ends.

use std::borrow::Cow;
use std::collections::HashMap;

use interlingua_model::{Block, BlockContent, Delta, Reasoning, ReasoningForm, ToolArgs};
use interlingua_wire::{JsonKind, JsonNode, JsonString, RawJson};

use crate::anthropic::decode::block;

/// What the provider calls a block by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct BlockKey {
    pub(super) wire_index: u64,
    /// A text or reasoning that arrived between the arguments of the call with this index.
    pub(super) is_beside_call: bool,
}

/// What is known of a block that is not closed.
#[derive(Debug)]
pub(super) enum BlockState {
    Text,
    Thinking,
    /// The input of the start event, used if no argument delta follows; `None` once one has.
    ToolUse(Option<RawJson>),
    /// Argument deltas of a tool that takes free text.
    FreeformToolUse(Vec<JsonString>),
    /// A block that its start event contains completely.
    Complete,
    /// A block type that only this dialect has, and the deltas of its fields.
    Foreign {
        block: Box<Block>,
        field_deltas: FieldDeltas,
    },
}

/// What a delta adds to its block.
pub(super) enum DeltaEffect {
    Delta(Delta),
    /// It is empty, or kept until the block ends.
    Nothing,
    /// A type of delta that only this dialect has.
    Foreign,
    /// It belongs to a block of another kind.
    Misfit,
}

/// The pieces of each field, in the order of the first ones. A foreign block may have any number of
/// fields: they are found by name.
#[derive(Debug, Default)]
pub(super) struct FieldDeltas {
    fields: Vec<(JsonString, Vec<JsonString>)>,
    positions: HashMap<String, usize>,
}

impl BlockState {
    pub(super) fn for_thinking(thinking: &Reasoning) -> Self {
        if thinking.form == ReasoningForm::Redacted { Self::Complete } else { Self::Thinking }
    }

    pub(super) fn for_tool_use(args: ToolArgs, takes_text: bool) -> Self {
        let input = match args {
            ToolArgs::Json(json) if json.is_object() => json,
            ToolArgs::Json(_) | ToolArgs::Malformed(_) | ToolArgs::Freeform(_) => {
                RawJson::EMPTY_OBJECT
            }
        };
        match takes_text {
            true if input == RawJson::EMPTY_OBJECT => Self::FreeformToolUse(Vec::new()),
            true => Self::FreeformToolUse(vec![JsonString::new(input.as_str())]),
            false => Self::ToolUse(Some(input)),
        }
    }

    pub(super) fn is_tool_use(&self) -> bool {
        matches!(self, Self::ToolUse(_) | Self::FreeformToolUse(_))
    }

    /// Returns whether the delta has text that belongs to a block of another kind.
    pub(super) fn is_misplaced_text(&self, kind: &str, delta: JsonNode<'_>) -> bool {
        let key = match (self, kind) {
            (Self::Text | Self::ToolUse(_) | Self::FreeformToolUse(_), "thinking_delta") => {
                "thinking"
            }
            (Self::Thinking | Self::ToolUse(_) | Self::FreeformToolUse(_), "text_delta") => "text",
            _ => return false,
        };
        delta.get(key).and_then(JsonNode::json_string).is_some_and(|text| !text.is_empty())
    }

    pub(super) fn for_foreign(block: Block) -> Self {
        Self::Foreign { block: Box::new(block), field_deltas: FieldDeltas::default() }
    }

    pub(super) fn read_delta(&mut self, kind: &str, delta: JsonNode<'_>) -> DeltaEffect {
        let text = |key| {
            delta
                .get(key)
                .and_then(JsonNode::json_string)
                .filter(|text: &JsonString| !text.is_empty())
        };
        let effect = match (self, kind) {
            (Self::Foreign { field_deltas: parts, .. }, _) => {
                parts.push(delta);
                None
            }
            (Self::Text, "text_delta") => text("text").map(Delta::Text),
            (Self::Text, "citations_delta") => delta
                .get("citation")
                .map(|citation| Delta::Citation(Box::new(block::decode_citation(citation)))),
            (Self::Thinking, "thinking_delta") => text("thinking").map(Delta::Text),
            (Self::Thinking, "signature_delta") => {
                text("signature").and_then(block::seal_from_signature).map(Delta::Seal)
            }
            (Self::ToolUse(input), "input_json_delta") => {
                let args = text("partial_json");
                if args.is_some() {
                    *input = None;
                }
                args.map(Delta::Args)
            }
            (Self::FreeformToolUse(pieces), "input_json_delta") => {
                pieces.extend(text("partial_json"));
                None
            }
            (_, unknown) if !KNOWN_DELTA_TYPES.contains(&unknown) => return DeltaEffect::Foreign,
            (
                Self::Text
                | Self::Thinking
                | Self::ToolUse(_)
                | Self::FreeformToolUse(_)
                | Self::Complete,
                _,
            ) => return DeltaEffect::Misfit,
        };
        effect.map_or(DeltaEffect::Nothing, DeltaEffect::Delta)
    }
}

impl FieldDeltas {
    /// Appends each string of a delta under its field name; `partial_json` belongs to `input`.
    fn push(&mut self, delta: JsonNode<'_>) {
        for field in delta.fields() {
            let Some(piece) = field.value.json_string().filter(|_| !field.key_is("type")) else {
                continue;
            };
            let name = field.key();
            let name = if name == "partial_json" { "input".into() } else { name };
            let at = self.positions.get(&*name).copied().unwrap_or_else(|| {
                self.positions.insert(name.clone().into_owned(), self.fields.len());
                self.fields.push((JsonString::new(&name), Vec::new()));
                self.fields.len() - 1
            });
            let pieces = &mut self.fields[at].1;
            // Opaque values are sent complete each time, so the last one replaces the earlier.
            if name == "signature" || name == "encrypted_content" {
                pieces.clear();
            }
            pieces.push(piece);
        }
    }

    /// Returns the block with its deltas merged into its fields.
    pub(super) fn merge_into(mut self, mut block: Block) -> Block {
        let BlockContent::Foreign { json, .. } = &mut block.content else { return block };
        if self.fields.is_empty() {
            return block;
        }
        let doc = json.to_doc();
        *json = RawJson::object(|o| {
            for field in doc.root().fields() {
                let key = field.key_json_string();
                let at = self.positions.get(&*field.key());
                let pieces = at.map(|at| std::mem::take(&mut self.fields[*at].1));
                let pieces = pieces.filter(|pieces| !pieces.is_empty());
                let value = pieces.map_or_else(
                    || field.value.json(),
                    |pieces| join_field_deltas(field.value, &key, &pieces),
                );
                o.key_json_string(&key).json(&value);
            }
            for (key, pieces) in self.fields.iter().filter(|(_, pieces)| !pieces.is_empty()) {
                let text = JsonString::concat(pieces);
                o.key_json_string(key).json(&RawJson::string(&text));
            }
        });
        block
    }
}

fn join_field_deltas(start: JsonNode<'_>, key: &JsonString, pieces: &[JsonString]) -> RawJson {
    let text = JsonString::concat(pieces);
    match start.kind() {
        JsonKind::String if *key != "signature" && *key != "encrypted_content" => {
            let start = start.json_string().unwrap_or_default();
            RawJson::string(&JsonString::concat([&start, &text]))
        }
        JsonKind::Object => {
            RawJson::parse(text.unescape().into_owned()).unwrap_or_else(|_| RawJson::string(&text))
        }
        JsonKind::Null | JsonKind::Bool | JsonKind::Number | JsonKind::String | JsonKind::Array => {
            RawJson::string(&text)
        }
    }
}

/// A `content_block_start`, `_delta` or `_stop` event.
pub(super) struct BlockEvent<'d> {
    pub(super) event_type: &'d str,
    pub(super) root: JsonNode<'d>,
    /// The index that the provider sent.
    pub(super) index: Option<u64>,
    pub(super) block: Option<JsonNode<'d>>,
    pub(super) delta: Option<JsonNode<'d>>,
    pub(super) delta_type: Cow<'d, str>,
}

impl<'d> BlockEvent<'d> {
    pub(super) fn from_node(event_type: &'d str, root: JsonNode<'d>) -> Self {
        let [index, delta, block] = root.get_many(["index", "delta", "content_block"]);
        let delta_type = delta
            .and_then(|delta| delta.get("type"))
            .map(JsonNode::str_or_empty)
            .unwrap_or_default();
        Self { event_type, root, index: index.and_then(JsonNode::as_u64), block, delta, delta_type }
    }
}

/// The delta types that are decoded.
const KNOWN_DELTA_TYPES: &[&str] =
    &["text_delta", "citations_delta", "thinking_delta", "signature_delta", "input_json_delta"];
