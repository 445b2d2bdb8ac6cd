//! Reads a request body and detects its dialect.

use bytes::Bytes;
use interlingua::{Dialect, DialectId, find_dialect};
use interlingua_wire::JsonNode;

use crate::{FileLocation, Format, Transcript, TranscriptFile, request_part};

#[derive(Debug)]
pub(crate) struct RequestBody;

impl Format for RequestBody {
    fn name(&self) -> &'static str {
        "request"
    }

    fn title(&self) -> &'static str {
        "a request body"
    }

    fn read(&self, source: &TranscriptFile) -> Option<Transcript> {
        let root = source.single_value().filter(|root| root.is_object())?;
        let dialect = find_dialect(detect_dialect(root, source.dialect_hint())?)?;
        Some(read_body(&RequestBody, dialect, source))
    }

    /// The repaired request keeps unchanged parts byte for byte.
    fn write(&self, _: &TranscriptFile, _: &Transcript, repaired: &Bytes) -> Bytes {
        repaired.clone()
    }
}

/// Reads a file that is the request itself.
pub(crate) fn read_body(
    format: &'static dyn Format,
    dialect: &'static dyn Dialect,
    source: &TranscriptFile,
) -> Transcript {
    let doc = source.lines().first().and_then(|line| line.doc.as_ref().ok());
    let mut parts = doc.map(|doc| request_part::request_parts(dialect, doc)).unwrap_or_default();
    let lines = source.line_numbers(parts.iter().map(|part| part.offset));
    // In a file of one line, line numbers are useless.
    let is_multiline = source.bytes().trim_ascii().contains(&b'\n');
    for (part, line) in parts.iter_mut().zip(lines).filter(|_| is_multiline) {
        let index = part.block.unwrap_or_default();
        part.location = Some(FileLocation { line, record: part.turn, index });
    }
    let model =
        source.single_value().and_then(|root| root.get("model")).and_then(JsonNode::json_string);
    let (body, notes) = (source.bytes().clone(), Vec::new());
    Transcript { format, dialect, body, parts, notes, model, has_placeholder: false }
}

/// Detects the dialect of a body.
fn detect_dialect(root: JsonNode<'_>, hint: Option<DialectId>) -> Option<&'static str> {
    if root.get("contents").is_some_and(JsonNode::is_array) {
        return Some("gemini");
    }
    let Some(messages) = root.get("messages").filter(|messages| messages.is_array()) else {
        let input = root.get("input").is_some_and(|input| input.is_array() || input.is_string());
        return input.then_some("openai-responses");
    };
    let score = |markers: &DialectMarkers| {
        (markers.score(root, messages), hint.is_some_and(|hint| hint.0 == markers.dialect))
    };
    // `max_by_key` returns the last of equals: with `rev` the first row wins.
    let best = DIALECT_MARKERS.iter().rev().max_by_key(|markers| score(markers))?;
    Some(best.dialect)
}

/// Fields and values that only one of the dialects with `messages` uses.
struct DialectMarkers {
    dialect: &'static str,
    /// Fields of the body.
    fields: &'static [&'static str],
    /// Fields of the body that others have too, but less often.
    weak_fields: &'static [&'static str],
    /// Fields of a tool.
    tool_fields: &'static [&'static str],
    roles: &'static [&'static str],
    /// Roles that the first message has.
    first_roles: &'static [&'static str],
    /// Fields of a message.
    message_fields: &'static [&'static str],
    /// Types of blocks.
    block_types: &'static [&'static str],
    /// Fields of a block that are its type.
    block_keys: &'static [&'static str],
    /// How models are called there.
    model_names: &'static [&'static str],
}

impl DialectMarkers {
    fn score(&self, root: JsonNode<'_>, messages: JsonNode<'_>) -> usize {
        let score_any = |node: JsonNode<'_>, keys: &[&str]| {
            usize::from(keys.iter().any(|key| node.get(key).is_some()))
        };
        let model = root.get("model").map(JsonNode::str_or_empty).unwrap_or_default();
        let mut score = self.fields.iter().filter(|key| root.get(key).is_some()).count() * 4;
        score += self.weak_fields.iter().filter(|key| root.get(key).is_some()).count();
        score += usize::from(self.model_names.iter().any(|name| model.contains(name)));
        for tool in root.get("tools").into_iter().flat_map(JsonNode::items).take(1) {
            score += score_any(tool, self.tool_fields) * 8;
        }
        let first =
            messages.items().next().and_then(|first| first.get("role")).map(JsonNode::str_or_empty);
        score += usize::from(first.is_some_and(|role| self.first_roles.contains(&&*role))) * 8;
        for message in messages.items() {
            let role = message.get("role").map(JsonNode::str_or_empty).unwrap_or_default();
            score += usize::from(self.roles.contains(&&*role)) * 8;
            score += score_any(message, self.message_fields) * 8;
            for block in message.get("content").into_iter().flat_map(JsonNode::items) {
                let kind = block.get("type").map(JsonNode::str_or_empty);
                score +=
                    usize::from(kind.is_some_and(|kind| self.block_types.contains(&&*kind))) * 8;
                if block.get("type").is_none() {
                    score += score_any(block, self.block_keys) * 8;
                }
            }
        }
        score
    }
}

/// The first row wins for a body without any marker.
const DIALECT_MARKERS: &[DialectMarkers] = &[
    DialectMarkers {
        dialect: "openai-chat",
        fields: &[
            "frequency_penalty",
            "functions",
            "logit_bias",
            "logprobs",
            "max_completion_tokens",
            "n",
            "parallel_tool_calls",
            "presence_penalty",
            "reasoning_effort",
            "response_format",
            "seed",
            "stop",
            "stream_options",
        ],
        weak_fields: &[],
        tool_fields: &["function"],
        roles: &["tool", "developer", "function"],
        first_roles: &["system"],
        message_fields: &["tool_calls", "tool_call_id", "function_call", "reasoning_content"],
        block_types: &["image_url", "input_audio", "file", "refusal"],
        block_keys: &[],
        model_names: &["gpt", "o3", "o4", "deepseek", "mistral", "qwen", "llama"],
    },
    DialectMarkers {
        dialect: "anthropic",
        fields: &[
            "anthropic_version",
            "context_management",
            "stop_sequences",
            "system",
            "thinking",
        ],
        weak_fields: &["max_tokens"],
        tool_fields: &["input_schema"],
        roles: &[],
        first_roles: &[],
        message_fields: &[],
        block_types: &[
            "document",
            "image",
            "redacted_thinking",
            "server_tool_use",
            "thinking",
            "tool_result",
            "tool_use",
        ],
        block_keys: &[],
        model_names: &["claude"],
    },
    DialectMarkers {
        dialect: "bedrock",
        fields: &[
            "additionalModelRequestFields",
            "guardrailConfig",
            "inferenceConfig",
            "modelId",
            "outputConfig",
            "requestMetadata",
            "serviceTier",
            "toolConfig",
        ],
        weak_fields: &[],
        tool_fields: &[],
        roles: &[],
        first_roles: &[],
        message_fields: &[],
        block_types: &[],
        block_keys: &[
            "cachePoint",
            "citationsContent",
            "document",
            "guardContent",
            "image",
            "reasoningContent",
            "text",
            "toolResult",
            "toolUse",
        ],
        model_names: &[],
    },
];
