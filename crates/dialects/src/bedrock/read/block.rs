//! The open block of a stream: collects its deltas and emits its events.

use interlingua_model::{
    Block, BlockContent, Delta, Ledger, LedgerPath, MediaKind, Reasoning, ReasoningForm, Seal,
    StreamEvent, ToolArgs, ToolCall, derive_id,
};
use interlingua_wire::{Field, JsonNode, JsonString, RawJson};

use crate::bedrock::citation;
use crate::bedrock::decode::{block, fields, media};
use crate::bedrock::id::{ID, ISSUER};
use crate::common::freeform;
use crate::common::name_set::NameSet;

#[derive(Debug)]
pub(super) struct OpenBlock {
    /// Index in the provider's stream.
    pub(super) wire_index: u64,
    /// Index in the emitted events.
    index: u32,
    kind: BlockKind,
}

/// Kind of the open block. Text and arguments are emitted delta by delta; the other kinds are
/// buffered until the block closes.
#[derive(Debug)]
enum BlockKind {
    Text,
    /// A signature may arrive in several deltas but is one seal.
    Thinking {
        signature: Vec<JsonString>,
    },
    RedactedThinking(Vec<JsonString>),
    ToolUse,
    /// A call with free text that was wrapped for the provider.
    FreeformToolUse(Vec<JsonString>),
    Image {
        format: RawJson,
        source: Option<RawJson>,
    },
    /// A call of the provider's own tool.
    ServerToolUse {
        start: RawJson,
        input: Vec<JsonString>,
    },
    ServerToolResult {
        start: RawJson,
        content: Vec<RawJson>,
    },
    /// An unknown kind. Its events are passed on as foreign events.
    Unknown,
}

/// Kind of block that a delta belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeltaKind {
    Text,
    Thinking,
    RedactedThinking,
    ToolInput,
    Image,
    ServerToolResult,
    Unknown,
}

impl OpenBlock {
    /// Opens a block from its start event.
    pub(super) fn from_start_event(
        wire_index: u64,
        index: u32,
        start: JsonNode<'_>,
        freeform: &NameSet,
        events: &mut Vec<StreamEvent>,
    ) -> Self {
        let union_field = start.fields().next();
        let value = union_field.map(|field| field.value);
        let kind = match (union_field.map(Field::key).as_deref(), value) {
            (Some("toolUse"), Some(call)) if !block::is_server_tool_use(call) => {
                let text =
                    |key: &str| call.get(key).and_then(JsonNode::json_string).unwrap_or_default();
                return Self::open_tool_use(
                    wire_index,
                    index,
                    text("toolUseId"),
                    text("name"),
                    freeform,
                    events,
                );
            }
            (Some("toolUse"), Some(call)) => {
                BlockKind::ServerToolUse { start: call.json(), input: Vec::new() }
            }
            (Some("toolResult"), Some(result)) => {
                BlockKind::ServerToolResult { start: result.json(), content: Vec::new() }
            }
            (Some("image"), Some(image)) => {
                let format = image.get("format").map_or(RawJson::NULL, JsonNode::json);
                BlockKind::Image { format, source: None }
            }
            _ => BlockKind::Unknown,
        };
        Self { wire_index, index, kind }
    }

    fn open_tool_use(
        wire_index: u64,
        index: u32,
        id: JsonString,
        name: JsonString,
        freeform: &NameSet,
        events: &mut Vec<StreamEvent>,
    ) -> Self {
        let id = if id.is_empty() { derive_id("call_", &name, index as usize) } else { id };
        let (kind, args) = if freeform.contains(&name) {
            (BlockKind::FreeformToolUse(Vec::new()), ToolArgs::Freeform(JsonString::EMPTY))
        } else {
            (BlockKind::ToolUse, ToolArgs::Malformed(JsonString::EMPTY))
        };
        let body = BlockContent::ToolCall(ToolCall { id, name, args });
        events.push(StreamEvent::BlockStart { index, block: Box::new(Block::new(body)) });
        Self { wire_index, index, kind }
    }

    /// Opens a block from its first delta: text and reasoning have no start event.
    pub(super) fn from_first_delta(
        wire_index: u64,
        index: u32,
        delta_kind: DeltaKind,
        events: &mut Vec<StreamEvent>,
    ) -> Self {
        let (kind, body) = match delta_kind {
            DeltaKind::Text => {
                let body = BlockContent::Text { text: JsonString::EMPTY, citations: Vec::new() };
                (BlockKind::Text, Some(body))
            }
            DeltaKind::Thinking => {
                let body = BlockContent::Reasoning(Reasoning {
                    text: JsonString::EMPTY,
                    form: ReasoningForm::Full,
                });
                (BlockKind::Thinking { signature: Vec::new() }, Some(body))
            }
            DeltaKind::RedactedThinking => (BlockKind::RedactedThinking(Vec::new()), None),
            DeltaKind::ToolInput => {
                return Self::open_tool_use(
                    wire_index,
                    index,
                    JsonString::EMPTY,
                    JsonString::EMPTY,
                    &NameSet::default(),
                    events,
                );
            }
            DeltaKind::Image => (BlockKind::Image { format: RawJson::NULL, source: None }, None),
            DeltaKind::ServerToolResult => {
                let start = RawJson::EMPTY_OBJECT;
                (BlockKind::ServerToolResult { start, content: Vec::new() }, None)
            }
            DeltaKind::Unknown => (BlockKind::Unknown, None),
        };
        if let Some(body) = body {
            events.push(StreamEvent::BlockStart { index, block: Box::new(Block::new(body)) });
        }
        Self { wire_index, index, kind }
    }

    pub(super) fn accepts(&self, delta_kind: DeltaKind) -> bool {
        match &self.kind {
            BlockKind::Text => matches!(delta_kind, DeltaKind::Text | DeltaKind::Unknown),
            BlockKind::Thinking { .. } => {
                matches!(delta_kind, DeltaKind::Thinking | DeltaKind::Unknown)
            }
            BlockKind::RedactedThinking(_) => {
                matches!(delta_kind, DeltaKind::RedactedThinking | DeltaKind::Unknown)
            }
            BlockKind::ToolUse
            | BlockKind::FreeformToolUse(_)
            | BlockKind::ServerToolUse { .. } => {
                matches!(delta_kind, DeltaKind::ToolInput | DeltaKind::Unknown)
            }
            BlockKind::Image { .. } => matches!(delta_kind, DeltaKind::Image | DeltaKind::Unknown),
            BlockKind::ServerToolResult { .. } => {
                matches!(delta_kind, DeltaKind::ServerToolResult | DeltaKind::Unknown)
            }
            BlockKind::Unknown => true,
        }
    }

    /// Returns whether the block gets an index in the reply.
    pub(super) fn has_index(&self) -> bool {
        !matches!(self.kind, BlockKind::Unknown)
    }

    pub(super) fn is_tool_use(&self) -> bool {
        matches!(self.kind, BlockKind::ToolUse | BlockKind::FreeformToolUse(_))
    }

    /// Applies a delta of a kind that the block [accepts](Self::accepts); `event` is the event
    /// around it.
    pub(super) fn apply_delta(
        &mut self,
        delta_kind: DeltaKind,
        delta: JsonNode<'_>,
        event: JsonNode<'_>,
        events: &mut Vec<StreamEvent>,
    ) {
        let index = self.index;
        let mut emit = |delta: Delta| events.push(StreamEvent::Delta { index, delta });
        let input =
            || delta.get("toolUse").and_then(|call| call.get("input")).and_then(tool_input_text);
        let reasoning_field = |key: &str| delta.get("reasoningContent")?.get(key)?.json_string();
        match (&mut self.kind, delta_kind) {
            (BlockKind::Text, DeltaKind::Text) => {
                if let Some(text) = delta.get("text").and_then(JsonNode::json_string) {
                    if !text.is_empty() {
                        emit(Delta::Text(text));
                    }
                } else if let Some(citation) = delta.get("citation") {
                    emit(Delta::Citation(Box::new(citation::decode_citation(citation))));
                }
            }
            (BlockKind::Thinking { signature }, DeltaKind::Thinking) => {
                if let Some(text) = reasoning_field("text").filter(|text| !text.is_empty()) {
                    emit(Delta::Text(text));
                }
                signature.extend(reasoning_field("signature").filter(|text| !text.is_empty()));
            }
            (BlockKind::RedactedThinking(data), DeltaKind::RedactedThinking) => {
                data.extend(reasoning_field("redactedContent"));
            }
            (BlockKind::ToolUse, DeltaKind::ToolInput) => {
                if let Some(text) = input().filter(|text| !text.is_empty()) {
                    emit(Delta::Args(text));
                }
            }
            (
                BlockKind::FreeformToolUse(pieces) | BlockKind::ServerToolUse { input: pieces, .. },
                DeltaKind::ToolInput,
            ) => {
                pieces.extend(input());
            }
            (BlockKind::Image { source, .. }, DeltaKind::Image) => {
                let image = delta.get("image");
                *source = image.and_then(|image| image.get("source")).map(JsonNode::json);
            }
            (BlockKind::ServerToolResult { content, .. }, DeltaKind::ServerToolResult) => {
                let list = delta.get("toolResult");
                content.extend(list.into_iter().flat_map(JsonNode::items).map(JsonNode::json));
            }
            _ => events.push(foreign_event("contentBlockDelta", event)),
        }
    }

    pub(super) fn close(self, ledger: &mut Ledger, events: &mut Vec<StreamEvent>) {
        let index = self.index;
        let mut emit_block = |block: Block| {
            events.push(StreamEvent::BlockStart { index, block: Box::new(block) });
        };
        match self.kind {
            BlockKind::Text | BlockKind::ToolUse => {}
            BlockKind::Unknown => return,
            BlockKind::Thinking { signature } => {
                if !signature.is_empty() {
                    let seal = Seal::new(ISSUER, JsonString::concat(&signature));
                    events.push(StreamEvent::Delta { index, delta: Delta::Seal(Box::new(seal)) });
                }
            }
            BlockKind::RedactedThinking(data) => {
                let body = BlockContent::Reasoning(Reasoning {
                    text: JsonString::EMPTY,
                    form: ReasoningForm::Redacted,
                });
                let seal = Seal::new(ISSUER, JsonString::concat(&data));
                emit_block(Block::new(body).with_seal(Some(seal)));
            }
            BlockKind::FreeformToolUse(pieces) => {
                let args = ToolArgs::from_json_string(&JsonString::concat(&pieces));
                let text = freeform::unwrap_args(&args);
                if !text.is_empty() {
                    events.push(StreamEvent::Delta { index, delta: Delta::Args(text) });
                }
            }
            BlockKind::Image { format, source } => {
                emit_block(image_block(&format, source.as_ref(), ledger));
            }
            BlockKind::ServerToolUse { start, input } => {
                emit_block(server_tool_use_block(&start, &input));
            }
            BlockKind::ServerToolResult { start, content } => {
                emit_block(server_tool_result_block(&start, &content));
            }
        }
        events.push(StreamEvent::BlockEnd { index });
    }
}

/// The kind of a delta, determined by its one key.
pub(super) fn delta_kind(delta: JsonNode<'_>) -> DeltaKind {
    let Some(field) = delta.fields().find(|field| !field.value.is_null()) else {
        return DeltaKind::Unknown;
    };
    match &*field.key() {
        "text" | "citation" => DeltaKind::Text,
        "toolUse" => DeltaKind::ToolInput,
        "image" => DeltaKind::Image,
        "toolResult" => DeltaKind::ServerToolResult,
        "reasoningContent" if field.value.get("redactedContent").is_some() => {
            DeltaKind::RedactedThinking
        }
        "reasoningContent" => DeltaKind::Thinking,
        _ => DeltaKind::Unknown,
    }
}

/// Arguments arrive as pieces of text. Some servers send the complete JSON instead.
fn tool_input_text(node: JsonNode<'_>) -> Option<JsonString> {
    if node.is_null() { None } else { Some(fields::text_or_raw(node)) }
}

fn image_block(format: &RawJson, source: Option<&RawJson>, ledger: &mut Ledger) -> Block {
    let json = RawJson::object(|o| {
        o.json("format", format);
        o.json_opt("source", source);
    });
    let doc = json.to_doc();
    media::decode_media(
        MediaKind::Image,
        doc.root(),
        LedgerPath::REPLY,
        ledger,
        block::decode_blocks,
    )
    .unwrap_or_else(|| {
        let json = RawJson::object(|o| o.json("image", &json));
        Block::new(BlockContent::Foreign {
            dialect: ID,
            kind: JsonString::from_static("image"),
            json,
        })
    })
}

fn server_tool_use_block(start: &RawJson, input: &[JsonString]) -> Block {
    let args = ToolArgs::from_json_string(&JsonString::concat(input));
    let json = RawJson::object(|o| {
        o.object("toolUse", |o| {
            let doc = start.to_doc();
            for field in doc.root().fields() {
                o.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
            match &args {
                ToolArgs::Json(json) => o.json("input", json),
                ToolArgs::Malformed(text) | ToolArgs::Freeform(text) => {
                    o.json_string("input", text);
                }
            }
        });
    });
    Block::new(BlockContent::Foreign {
        dialect: ID,
        kind: JsonString::from_static("toolUse"),
        json,
    })
}

fn server_tool_result_block(start: &RawJson, content: &[RawJson]) -> Block {
    let json = RawJson::object(|o| {
        o.object("toolResult", |o| {
            let doc = start.to_doc();
            for field in doc.root().fields() {
                o.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
            o.array("content", |a| content.iter().for_each(|part| a.item().json(part)));
        });
    });
    Block::new(BlockContent::Foreign {
        dialect: ID,
        kind: JsonString::from_static("toolResult"),
        json,
    })
}

pub(super) fn foreign_event(kind: &str, event: JsonNode<'_>) -> StreamEvent {
    StreamEvent::Foreign { dialect: ID, kind: JsonString::new(kind), json: event.json() }
}
