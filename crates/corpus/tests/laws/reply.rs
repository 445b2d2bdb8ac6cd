//! Generates replies as model values.

use interlingua::model::{
    Block, BlockContent, Delta, Reasoning, ReasoningForm, Seal, Stop, StopReason, ToolArgs,
    ToolCall, Usage,
};
use interlingua::{JsonString, RawJson, Reply, StreamEvent, unfold};
use proptest::prelude::*;
use proptest::sample::select;

/// A reply and the size of its stream chunks in characters.
#[derive(Clone, Debug)]
pub(crate) struct ChunkedReply {
    pub(crate) reply: Reply,
    chunk_chars: usize,
}

/// A reply with optional reasoning, texts and calls.
pub(crate) fn reply() -> impl Strategy<Value = ChunkedReply> {
    // A refusal is the only block of its reply.
    let refusal = nonempty_text().prop_map(|text| vec![Block::new(BlockContent::Refusal(text))]);
    let blocks_or_refusal = prop_oneof![9 => prop::collection::vec(block(), 0..5), 1 => refusal];
    let blocks = (prop::option::of(thinking()), blocks_or_refusal);
    let stop = prop_oneof![
        3 => Just(StopReason::EndTurn),
        1 => select(&[
            StopReason::StopSequence,
            StopReason::MaxTokens,
            StopReason::ContextFull,
            StopReason::Refusal,
            StopReason::Pause,
            StopReason::Other,
        ]),
    ];
    (blocks, usage(), stop, 1..40_usize).prop_map(
        |((reasoning, blocks), usage, reason, chunk_chars)| {
            let mut reply = Reply::new();
            reply.id = Some(JsonString::from_static("r_1"));
            reply.model = Some(JsonString::from_static("m"));
            for (index, mut block) in reasoning.into_iter().chain(blocks).enumerate() {
                if let BlockContent::ToolCall(call) = &mut block.content {
                    call.id = JsonString::new(&format!("call_{index}"));
                }
                reply.turn.blocks.push(block.into());
            }
            reply.usage = usage;
            reply.stop = Stop::new(match last_args(&reply) {
                None => reason,
                // Truncated arguments mean that the reply hit the limit of output tokens.
                Some(ToolArgs::Malformed(_)) => StopReason::MaxTokens,
                Some(ToolArgs::Json(_) | ToolArgs::Freeform(_)) => StopReason::ToolUse,
            });
            ChunkedReply { reply, chunk_chars }
        },
    )
}

/// The arguments of the last call.
fn last_args(reply: &Reply) -> Option<&ToolArgs> {
    reply.turn.blocks.iter().rev().find_map(|block| match &block.content {
        BlockContent::ToolCall(call) => Some(&call.args),
        _ => None,
    })
}

impl ChunkedReply {
    /// The stream events of the reply, in small chunks.
    pub(crate) fn events(&self) -> Vec<StreamEvent> {
        let split = |event: StreamEvent| match event {
            StreamEvent::Delta { index, delta: Delta::Text(text) } => {
                let chunks = self.chunks(&text);
                chunks
                    .map(|chunk| StreamEvent::Delta { index, delta: Delta::Text(chunk) })
                    .collect()
            }
            StreamEvent::Delta { index, delta: Delta::Args(text) } => {
                let chunks = self.chunks(&text);
                chunks
                    .map(|chunk| StreamEvent::Delta { index, delta: Delta::Args(chunk) })
                    .collect()
            }
            other => vec![other],
        };
        unfold(&self.reply).into_iter().flat_map(split).collect()
    }

    fn chunks(&self, text: &JsonString) -> impl Iterator<Item = JsonString> {
        let chars: Vec<char> = text.unescape().chars().collect();
        let chunks: Vec<_> = chars
            .chunks(self.chunk_chars)
            .map(|chunk| JsonString::new(&chunk.iter().collect::<String>()))
            .collect();
        chunks.into_iter()
    }
}

fn usage() -> impl Strategy<Value = Usage> {
    let count = || prop::option::of(0..900_u64);
    (0..9000_u64, count(), count(), 1..900_u64, count()).prop_map(
        |(input, cache_read, cache_write, output, reasoning)| Usage {
            input: Some(input),
            cache_read,
            cache_write,
            output: Some(output),
            reasoning,
            ..Usage::default()
        },
    )
}

/// Reasoning with a seal, without one, or redacted to its seal.
fn thinking() -> impl Strategy<Value = Block> {
    let issuer = prop::option::of(select(&["anthropic", "openai", "google"]));
    (
        nonempty_text(),
        select(&[
            ReasoningForm::Full,
            ReasoningForm::Full,
            ReasoningForm::Summary,
            ReasoningForm::Redacted,
        ]),
        issuer,
    )
        .prop_map(|(text, form, issuer)| {
            let text = if form == ReasoningForm::Redacted { JsonString::EMPTY } else { text };
            let issuer = issuer.or((form == ReasoningForm::Redacted).then_some("anthropic"));
            let seal = issuer.map(|issuer| {
                Seal::new(JsonString::from_static(issuer), JsonString::from_static("c2VhbA=="))
            });
            Block::new(BlockContent::Reasoning(Reasoning { text, form })).with_seal(seal)
        })
}

fn block() -> impl Strategy<Value = Block> {
    let text = nonempty_text().prop_map(|text| BlockContent::Text { text, citations: Vec::new() });
    prop_oneof![3 => text, 4 => call()].prop_map(Block::new)
}

fn call() -> impl Strategy<Value = BlockContent> {
    let args = select(&[
        "{}",
        r#"{"path":"src/lib.rs"}"#,
        r#"{ "n" : 1.50, "big": 12345678901234567890, "text": "a\nb \"c\" é" }"#,
        r#"{"nested":{"list":[1,-0,1E2,null,true],"":{}}}"#,
        r#"{"cut": "of"#,
        "[1]",
    ]);
    (select(&["read_file", "search"]), args).prop_map(|(name, args)| {
        let args =
            RawJson::parse(args).map_or(ToolArgs::Malformed(JsonString::new(args)), ToolArgs::Json);
        BlockContent::ToolCall(ToolCall {
            id: JsonString::EMPTY,
            name: JsonString::new(name),
            args,
        })
    })
}

/// Never empty: dialects drop empty blocks.
fn nonempty_text() -> impl Strategy<Value = JsonString> {
    let words = select(&[
        "plain words",
        " ",
        "\n\n",
        "\"quoted\" \\ back/slash",
        "<b>&amp;</b>",
        "naïve 日本語 🦀",
        "data: [DONE]\n\n",
        "\u{1}\t\u{2028}",
    ]);
    prop::collection::vec(words, 0..5).prop_map(|words| JsonString::new(&(words.concat() + ".")))
}
