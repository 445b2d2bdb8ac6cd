//! A block of a stream: collects its deltas until it ends.

use interlingua_model::{
    Block, BlockContent, Delta, Ledger, LedgerPath, MediaKind, Reasoning, ReasoningForm, Seal,
    ToolArgs, ToolCall, derive_id,
};
use interlingua_wire::{Field, JsonNode, JsonString, RawJson};

use crate::bedrock::citation;
use crate::bedrock::decode::{block, fields, media};
use crate::bedrock::id::{ID, ISSUER};
use crate::common::freeform;
use crate::common::name_set::NameSet;

/// Kind of a block that is not closed. Text and arguments are emitted delta by delta; the other kinds
/// are buffered until the block closes.
#[derive(Debug)]
pub(super) enum BlockState {
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

/// A block with the content that it begins with; `None` if it begins when it is closed.
type BegunBlock = (BlockState, Option<Block>);

/// What a delta adds to its block.
pub(super) enum DeltaEffect {
    Delta(Delta),
    /// It is empty, or kept until the block ends.
    Nothing,
    /// Its kind is unknown.
    Foreign,
}

/// What a block still lacks when it ends.
pub(super) enum BlockEnding {
    Nothing,
    Delta(Delta),
    /// The whole block.
    Block(Box<Block>),
}

impl BlockState {
    /// Reads a start event. `number` is the block's, for a call without an id.
    pub(super) fn from_start_event(
        number: usize,
        start: JsonNode<'_>,
        freeform: &NameSet,
    ) -> BegunBlock {
        let union_field = start.fields().next();
        let value = union_field.map(|field| field.value);
        match (union_field.map(Field::key).as_deref(), value) {
            (Some("toolUse"), Some(call)) if !block::is_server_tool_use(call) => {
                let text =
                    |key: &str| call.get(key).and_then(JsonNode::json_string).unwrap_or_default();
                Self::for_tool_use(number, text("toolUseId"), text("name"), freeform)
            }
            (Some("toolUse"), Some(call)) => {
                (Self::ServerToolUse { start: call.json(), input: Vec::new() }, None)
            }
            (Some("toolResult"), Some(result)) => {
                (Self::ServerToolResult { start: result.json(), content: Vec::new() }, None)
            }
            (Some("image"), Some(image)) => {
                let format = image.get("format").map_or(RawJson::NULL, JsonNode::json);
                (Self::Image { format, source: None }, None)
            }
            _ => (Self::Unknown, None),
        }
    }

    fn for_tool_use(
        number: usize,
        id: JsonString,
        name: JsonString,
        freeform: &NameSet,
    ) -> BegunBlock {
        let id = if id.is_empty() { derive_id("call_", &name, number) } else { id };
        let (state, args) = if freeform.contains(&name) {
            (Self::FreeformToolUse(Vec::new()), ToolArgs::Freeform(JsonString::EMPTY))
        } else {
            (Self::ToolUse, ToolArgs::Malformed(JsonString::EMPTY))
        };
        (state, Some(Block::new(BlockContent::ToolCall(ToolCall { id, name, args }))))
    }

    /// A block that begins with its first delta: text and reasoning have no start event.
    pub(super) fn from_first_delta(number: usize, delta_kind: DeltaKind) -> BegunBlock {
        match delta_kind {
            DeltaKind::Text | DeltaKind::Unknown => {
                (Self::Text, Some(Block::text(JsonString::EMPTY)))
            }
            DeltaKind::Thinking => {
                let (text, form) = (JsonString::EMPTY, ReasoningForm::Full);
                let body = BlockContent::Reasoning(Reasoning { text, form });
                (Self::Thinking { signature: Vec::new() }, Some(Block::new(body)))
            }
            DeltaKind::RedactedThinking => (Self::RedactedThinking(Vec::new()), None),
            DeltaKind::ToolInput => {
                let (id, name) = (JsonString::EMPTY, JsonString::EMPTY);
                Self::for_tool_use(number, id, name, &NameSet::default())
            }
            DeltaKind::Image => (Self::Image { format: RawJson::NULL, source: None }, None),
            DeltaKind::ServerToolResult => {
                let start = RawJson::EMPTY_OBJECT;
                (Self::ServerToolResult { start, content: Vec::new() }, None)
            }
        }
    }

    pub(super) fn accepts(&self, delta_kind: DeltaKind) -> bool {
        let own_kind = match self {
            Self::Text => DeltaKind::Text,
            Self::Thinking { .. } => DeltaKind::Thinking,
            Self::RedactedThinking(_) => DeltaKind::RedactedThinking,
            Self::ToolUse | Self::FreeformToolUse(_) | Self::ServerToolUse { .. } => {
                DeltaKind::ToolInput
            }
            Self::Image { .. } => DeltaKind::Image,
            Self::ServerToolResult { .. } => DeltaKind::ServerToolResult,
            Self::Unknown => return true,
        };
        delta_kind == own_kind || delta_kind == DeltaKind::Unknown
    }

    /// Reads a delta of a kind that the block [accepts](Self::accepts).
    pub(super) fn read_delta(&mut self, delta_kind: DeltaKind, delta: JsonNode<'_>) -> DeltaEffect {
        let input =
            || delta.get("toolUse").and_then(|call| call.get("input")).and_then(tool_input_text);
        let reasoning_field = |key: &str| delta.get("reasoningContent")?.get(key)?.json_string();
        let effect = match (self, delta_kind) {
            (Self::Text, DeltaKind::Text) => {
                match delta.get("text").and_then(JsonNode::json_string) {
                    Some(text) if text.is_empty() => None,
                    Some(text) => Some(Delta::Text(text)),
                    None => delta
                        .get("citation")
                        .map(|node| Delta::Citation(Box::new(citation::decode_citation(node)))),
                }
            }
            (Self::Thinking { signature }, DeltaKind::Thinking) => {
                signature.extend(reasoning_field("signature").filter(|text| !text.is_empty()));
                reasoning_field("text").filter(|text| !text.is_empty()).map(Delta::Text)
            }
            (Self::RedactedThinking(data), DeltaKind::RedactedThinking) => {
                data.extend(reasoning_field("redactedContent"));
                None
            }
            (Self::ToolUse, DeltaKind::ToolInput) => {
                input().filter(|text| !text.is_empty()).map(Delta::Args)
            }
            (
                Self::FreeformToolUse(pieces) | Self::ServerToolUse { input: pieces, .. },
                DeltaKind::ToolInput,
            ) => {
                pieces.extend(input());
                None
            }
            (Self::Image { source, .. }, DeltaKind::Image) => {
                let image = delta.get("image");
                *source = image.and_then(|image| image.get("source")).map(JsonNode::json);
                None
            }
            (Self::ServerToolResult { content, .. }, DeltaKind::ServerToolResult) => {
                let list = delta.get("toolResult");
                content.extend(list.into_iter().flat_map(JsonNode::items).map(JsonNode::json));
                None
            }
            _ => return DeltaEffect::Foreign,
        };
        effect.map_or(DeltaEffect::Nothing, DeltaEffect::Delta)
    }

    pub(super) fn finish(self, ledger: &mut Ledger) -> BlockEnding {
        let block = match self {
            Self::Text | Self::ToolUse | Self::Unknown => return BlockEnding::Nothing,
            Self::Thinking { signature } if signature.is_empty() => return BlockEnding::Nothing,
            Self::Thinking { signature } => {
                let seal = Seal::new(ISSUER, JsonString::concat(&signature));
                return BlockEnding::Delta(Delta::Seal(Box::new(seal)));
            }
            Self::FreeformToolUse(pieces) => {
                let args = ToolArgs::from_json_string(&JsonString::concat(&pieces));
                let text = freeform::unwrap_args(&args);
                return if text.is_empty() {
                    BlockEnding::Nothing
                } else {
                    BlockEnding::Delta(Delta::Args(text))
                };
            }
            Self::RedactedThinking(data) => {
                let (text, form) = (JsonString::EMPTY, ReasoningForm::Redacted);
                let seal = Seal::new(ISSUER, JsonString::concat(&data));
                let body = BlockContent::Reasoning(Reasoning { text, form });
                Block::new(body).with_seal(Some(seal))
            }
            Self::Image { format, source } => image_block(&format, source.as_ref(), ledger),
            Self::ServerToolUse { start, input } => server_tool_use_block(&start, &input),
            Self::ServerToolResult { start, content } => server_tool_result_block(&start, &content),
        };
        BlockEnding::Block(Box::new(block))
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
