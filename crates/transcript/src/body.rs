//! A request body, in any dialect.

use bytes::Bytes;
use interlingua::wire::Node;
use interlingua::{Dialect, DialectId, find};

use crate::{Format, Origin, Source, Transcript, unit};

#[derive(Debug)]
pub(crate) struct Body;

impl Format for Body {
    fn name(&self) -> &'static str {
        "request"
    }

    fn title(&self) -> &'static str {
        "a request body"
    }

    fn read(&self, source: &Source) -> Option<Transcript> {
        let root = source.whole().filter(|root| root.is_object())?;
        let dialect = find(spoken(root, source.hint())?)?;
        Some(of_body(&Body, dialect, source))
    }

    /// What was not changed is in the repaired request as it was written.
    fn write(&self, _: &Source, _: &Transcript, repaired: &Bytes) -> Bytes {
        repaired.clone()
    }
}

/// A file that is the request itself.
pub(crate) fn of_body(
    format: &'static dyn Format,
    dialect: &'static dyn Dialect,
    source: &Source,
) -> Transcript {
    let doc = source.lines().first().and_then(|line| line.doc.as_ref().ok());
    let mut units = doc.map(|doc| unit::units(dialect, doc)).unwrap_or_default();
    let lines = source.lines_of(units.iter().map(|unit| unit.at));
    // In a file of one line, the line tells nothing.
    let told = source.bytes().trim_ascii().contains(&b'\n');
    for (unit, line) in units.iter_mut().zip(lines).filter(|_| told) {
        let slot = unit.block.unwrap_or_default();
        unit.origin = Some(Origin { line, record: unit.turn, slot });
    }
    let model = source.whole().and_then(|root| root.get("model")).and_then(Node::text);
    let (body, notes) = (source.bytes().clone(), Vec::new());
    Transcript { format, dialect, body, units, notes, model, stands_in: false }
}

/// The name of the dialect that a body speaks.
fn spoken(root: Node<'_>, hint: Option<DialectId>) -> Option<&'static str> {
    if root.get("contents").is_some_and(Node::is_array) {
        return Some("gemini");
    }
    let Some(messages) = root.get("messages").filter(|messages| messages.is_array()) else {
        let input = root.get("input").is_some_and(|input| input.is_array() || input.is_string());
        return input.then_some("openai-responses");
    };
    let score = |marks: &Marks| {
        (marks.score(root, messages), hint.is_some_and(|hint| hint.0 == marks.dialect))
    };
    // The first of equals is meant.
    let best = MARKS.iter().rev().max_by_key(|marks| score(marks))?;
    Some(best.dialect)
}

/// What only one of the dialects that list `messages` writes.
struct Marks {
    dialect: &'static str,
    /// Fields of the body.
    fields: &'static [&'static str],
    /// Fields of the body that others have too, but less often.
    perhaps: &'static [&'static str],
    /// Fields of a tool.
    tool: &'static [&'static str],
    roles: &'static [&'static str],
    /// Roles that the first message has.
    first: &'static [&'static str],
    /// Fields of a message.
    message: &'static [&'static str],
    /// Types of blocks.
    types: &'static [&'static str],
    /// Fields of a block that are its type.
    keys: &'static [&'static str],
    /// How models are called there.
    models: &'static [&'static str],
}

impl Marks {
    fn score(&self, root: Node<'_>, messages: Node<'_>) -> usize {
        let has = |node: Node<'_>, keys: &[&str]| {
            usize::from(keys.iter().any(|key| node.get(key).is_some()))
        };
        let model = root.get("model").map(Node::word).unwrap_or_default();
        let mut score = self.fields.iter().filter(|key| root.get(key).is_some()).count() * 4;
        score += self.perhaps.iter().filter(|key| root.get(key).is_some()).count();
        score += usize::from(self.models.iter().any(|name| model.contains(name)));
        for tool in root.get("tools").into_iter().flat_map(Node::items).take(1) {
            score += has(tool, self.tool) * 8;
        }
        let first = messages.items().next().and_then(|first| first.get("role")).map(Node::word);
        score += usize::from(first.is_some_and(|role| self.first.contains(&&*role))) * 8;
        for message in messages.items() {
            let role = message.get("role").map(Node::word).unwrap_or_default();
            score += usize::from(self.roles.contains(&&*role)) * 8;
            score += has(message, self.message) * 8;
            for block in message.get("content").into_iter().flat_map(Node::items) {
                let kind = block.get("type").map(Node::word);
                score += usize::from(kind.is_some_and(|kind| self.types.contains(&&*kind))) * 8;
                if block.get("type").is_none() {
                    score += has(block, self.keys) * 8;
                }
            }
        }
        score
    }
}

/// Of a body that has no mark at all, the first is meant.
const MARKS: &[Marks] = &[
    Marks {
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
        perhaps: &[],
        tool: &["function"],
        roles: &["tool", "developer", "function"],
        first: &["system"],
        message: &["tool_calls", "tool_call_id", "function_call", "reasoning_content"],
        types: &["image_url", "input_audio", "file", "refusal"],
        keys: &[],
        models: &["gpt", "o3", "o4", "deepseek", "mistral", "qwen", "llama"],
    },
    Marks {
        dialect: "anthropic",
        fields: &[
            "anthropic_version",
            "context_management",
            "stop_sequences",
            "system",
            "thinking",
        ],
        perhaps: &["max_tokens"],
        tool: &["input_schema"],
        roles: &[],
        first: &[],
        message: &[],
        types: &[
            "document",
            "image",
            "redacted_thinking",
            "server_tool_use",
            "thinking",
            "tool_result",
            "tool_use",
        ],
        keys: &[],
        models: &["claude"],
    },
    Marks {
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
        perhaps: &[],
        tool: &[],
        roles: &[],
        first: &[],
        message: &[],
        types: &[],
        keys: &[
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
        models: &[],
    },
];
