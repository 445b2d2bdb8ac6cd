//! Generated replies, in the model's own terms.

use interlingua::model::{
    Args, Block, Body, Delta, Form, Seal, Stop, StopReason, Thinking, ToolCall, Usage,
};
use interlingua::{Event, Json, Reply, Text, unfold};
use proptest::prelude::*;
use proptest::sample::select;

/// A reply and the size of the pieces it is streamed in.
#[derive(Clone, Debug)]
pub(crate) struct Streamed {
    pub(crate) reply: Reply,
    piece: usize,
}

/// A reply as models give it: perhaps a thought, then texts and calls.
pub(crate) fn reply() -> impl Strategy<Value = Streamed> {
    // A model that declines says nothing else.
    let refusal = words().prop_map(|text| vec![Block::new(Body::Refusal(text))]);
    let said = prop_oneof![9 => prop::collection::vec(block(), 0..5), 1 => refusal];
    let blocks = (prop::option::of(thinking()), said);
    let stop = prop_oneof![
        3 => Just(StopReason::End),
        1 => select(&[
            StopReason::Sequence,
            StopReason::MaxTokens,
            StopReason::ContextFull,
            StopReason::Refusal,
            StopReason::Pause,
            StopReason::Other,
        ]),
    ];
    (blocks, usage(), stop, 1..40_usize).prop_map(|((thinking, blocks), usage, reason, piece)| {
        let mut reply = Reply::new();
        reply.id = Some(Text::word("r_1"));
        reply.model = Some(Text::word("m"));
        for (index, mut block) in thinking.into_iter().chain(blocks).enumerate() {
            if let Body::ToolCall(call) = &mut block.body {
                call.id = Text::new(&format!("call_{index}"));
            }
            reply.turn.blocks.push(block.into());
        }
        reply.usage = usage;
        reply.stop = Stop::new(match last_args(&reply) {
            None => reason,
            // A call that was broken off ends a reply for its length.
            Some(Args::Malformed(_)) => StopReason::MaxTokens,
            Some(Args::Json(_) | Args::Freeform(_)) => StopReason::ToolUse,
        });
        Streamed { reply, piece }
    })
}

/// The arguments of the last call.
fn last_args(reply: &Reply) -> Option<&Args> {
    reply.turn.blocks.iter().rev().find_map(|block| match &block.body {
        Body::ToolCall(call) => Some(&call.args),
        _ => None,
    })
}

impl Streamed {
    /// The reply as a provider streams it, in small pieces.
    pub(crate) fn events(&self) -> Vec<Event> {
        let split = |event: Event| match event {
            Event::Delta { index, delta: Delta::Text(text) } => {
                let pieces = self.pieces(&text);
                pieces.map(|piece| Event::Delta { index, delta: Delta::Text(piece) }).collect()
            }
            Event::Delta { index, delta: Delta::Args(text) } => {
                let pieces = self.pieces(&text);
                pieces.map(|piece| Event::Delta { index, delta: Delta::Args(piece) }).collect()
            }
            other => vec![other],
        };
        unfold(&self.reply).into_iter().flat_map(split).collect()
    }

    fn pieces(&self, text: &Text) -> impl Iterator<Item = Text> {
        let letters: Vec<char> = text.contents().chars().collect();
        let pieces: Vec<_> = letters
            .chunks(self.piece)
            .map(|piece| Text::new(&piece.iter().collect::<String>()))
            .collect();
        pieces.into_iter()
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

/// Sealed by somebody, by nobody, or nothing but a seal.
fn thinking() -> impl Strategy<Value = Block> {
    let issuer = prop::option::of(select(&["anthropic", "openai", "google"]));
    (words(), select(&[Form::Full, Form::Full, Form::Summary, Form::Redacted]), issuer).prop_map(
        |(text, form, issuer)| {
            let text = if form == Form::Redacted { Text::EMPTY } else { text };
            let issuer = issuer.or((form == Form::Redacted).then_some("anthropic"));
            let seal = issuer.map(|issuer| Seal::new(Text::word(issuer), Text::word("c2VhbA==")));
            Block::new(Body::Thinking(Thinking { text, form })).sealed(seal)
        },
    )
}

fn block() -> impl Strategy<Value = Block> {
    let text = words().prop_map(|text| Body::Text { text, citations: Vec::new() });
    prop_oneof![3 => text, 4 => call()].prop_map(Block::new)
}

fn call() -> impl Strategy<Value = Body> {
    let args = select(&[
        "{}",
        r#"{"path":"src/lib.rs"}"#,
        r#"{ "n" : 1.50, "big": 12345678901234567890, "text": "a\nb \"c\" é" }"#,
        r#"{"nested":{"list":[1,-0,1E2,null,true],"":{}}}"#,
        r#"{"cut": "of"#,
        "[1]",
    ]);
    (select(&["read_file", "search"]), args).prop_map(|(name, args)| {
        let args = Json::parse(args).map_or(Args::Malformed(Text::new(args)), Args::Json);
        Body::ToolCall(ToolCall { id: Text::EMPTY, name: Text::new(name), args })
    })
}

/// Never empty: an empty block is nothing anybody says.
fn words() -> impl Strategy<Value = Text> {
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
    prop::collection::vec(words, 0..5).prop_map(|words| Text::new(&(words.concat() + ".")))
}
