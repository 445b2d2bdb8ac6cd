//! Generates replies as model values, and the events of a stream that sends them in small pieces.

use interlingua::{JsonString, RawJson, Reply, StreamEvent};
use interlingua_model::{
    Block, BlockContent, Delta, Reasoning, ReasoningForm, Seal, Stop, StopReason, ToolArgs,
    ToolCall, Usage, unfold,
};

use crate::rng::Rng;

/// A reply, and the number of characters in each delta of its stream.
#[derive(Clone, Debug)]
pub struct GeneratedReply {
    pub reply: Reply,
    delta_chars: usize,
}

/// Generates a reply: optional reasoning, and texts and calls or a refusal.
pub fn generate_reply(rng: &mut Rng) -> GeneratedReply {
    let mut reply = Reply::new();
    reply.id = Some(JsonString::from_static("r_1"));
    reply.model = Some(JsonString::from_static("m"));
    let reasoning = rng.one_in(2).then(|| reasoning(rng));
    let blocks = if rng.one_in(10) {
        // A refusal is the only block of its reply.
        vec![Block::new(BlockContent::Refusal(text(rng)))]
    } else {
        (0..rng.below(5)).map(|_| block(rng)).collect()
    };
    for (index, mut block) in reasoning.into_iter().chain(blocks).enumerate() {
        if let BlockContent::ToolCall(call) = &mut block.content {
            call.id = JsonString::new(&format!("call_{index}"));
        }
        reply.turn.blocks.push(block.into());
    }
    reply.usage = usage(rng);
    reply.stop = Stop::new(match last_args(&reply) {
        None if rng.one_in(4) => rng.pick(OTHER_STOPS),
        None => StopReason::EndTurn,
        // Truncated arguments mean that the reply hit the limit of output tokens.
        Some(ToolArgs::Malformed(_)) => StopReason::MaxTokens,
        Some(ToolArgs::Json(_) | ToolArgs::Freeform(_)) => StopReason::ToolUse,
    });
    GeneratedReply { reply, delta_chars: rng.in_range(1, 39) }
}

impl GeneratedReply {
    /// The events of the reply's stream, with small deltas.
    pub fn events(&self) -> Vec<StreamEvent> {
        let split = |event: StreamEvent| match event {
            StreamEvent::Delta { index, delta: Delta::Text(text) } => self
                .pieces(&text)
                .map(|text| StreamEvent::Delta { index, delta: Delta::Text(text) })
                .collect(),
            StreamEvent::Delta { index, delta: Delta::Args(args) } => self
                .pieces(&args)
                .map(|args| StreamEvent::Delta { index, delta: Delta::Args(args) })
                .collect(),
            other => vec![other],
        };
        unfold(&self.reply).into_iter().flat_map(split).collect()
    }

    fn pieces(&self, text: &JsonString) -> impl Iterator<Item = JsonString> {
        let chars: Vec<char> = text.unescape().chars().collect();
        let pieces: Vec<_> = chars
            .chunks(self.delta_chars)
            .map(|piece| JsonString::new(&piece.iter().collect::<String>()))
            .collect();
        pieces.into_iter()
    }
}

/// The arguments of the last call.
fn last_args(reply: &Reply) -> Option<&ToolArgs> {
    reply.turn.blocks.iter().rev().find_map(|block| match &block.content {
        BlockContent::ToolCall(call) => Some(&call.args),
        _ => None,
    })
}

fn usage(rng: &mut Rng) -> Usage {
    let mut count = || rng.one_in(2).then(|| rng.below(900) as u64);
    let (cache_read, cache_write, reasoning) = (count(), count(), count());
    Usage {
        input: Some(rng.below(9000) as u64),
        cache_read,
        cache_write,
        output: Some(rng.in_range(1, 899) as u64),
        reasoning,
        ..Usage::default()
    }
}

/// Reasoning with a seal, without one, or redacted to its seal.
fn reasoning(rng: &mut Rng) -> Block {
    let form = rng.pick(&[
        ReasoningForm::Full,
        ReasoningForm::Full,
        ReasoningForm::Summary,
        ReasoningForm::Redacted,
    ]);
    let is_redacted = form == ReasoningForm::Redacted;
    let text = if is_redacted { JsonString::EMPTY } else { text(rng) };
    let seal = (is_redacted || rng.one_in(2)).then(|| {
        let issuer = JsonString::from_static(rng.pick(&["anthropic", "openai", "google"]));
        Seal::new(issuer, JsonString::from_static("c2VhbA=="))
    });
    Block::new(BlockContent::Reasoning(Reasoning { text, form })).with_seal(seal)
}

fn block(rng: &mut Rng) -> Block {
    if rng.below(7) < 3 {
        return Block::text(text(rng));
    }
    let args = rng.pick(ARGS);
    let args =
        RawJson::parse(args).map_or(ToolArgs::Malformed(JsonString::new(args)), ToolArgs::Json);
    let name = JsonString::from_static(rng.pick(&["read_file", "search"]));
    Block::new(BlockContent::ToolCall(ToolCall { id: JsonString::EMPTY, name, args }))
}

/// Never empty: dialects drop empty blocks.
fn text(rng: &mut Rng) -> JsonString {
    let words: String = (0..rng.below(5)).map(|_| rng.pick(WORDS)).collect();
    JsonString::new(&(words + "."))
}

const OTHER_STOPS: &[StopReason] = &[
    StopReason::StopSequence,
    StopReason::MaxTokens,
    StopReason::ContextFull,
    StopReason::Refusal,
    StopReason::Pause,
    StopReason::Other,
];

const ARGS: &[&str] = &[
    "{}",
    r#"{"path":"src/lib.rs"}"#,
    r#"{ "n" : 1.50, "big": 12345678901234567890, "text": "a\nb \"c\" é" }"#,
    r#"{"nested":{"list":[1,-0,1E2,null,true],"":{}}}"#,
    r#"{"cut": "of"#,
    "[1]",
];

const WORDS: &[&str] = &[
    "plain words",
    " ",
    "\n\n",
    "\"quoted\" \\ back/slash",
    "<b>&amp;</b>",
    "naïve 日本語 🦀",
    "data: [DONE]\n\n",
    "\u{1}\t\u{2028}",
];
