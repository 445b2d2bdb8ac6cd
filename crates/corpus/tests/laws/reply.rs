//! Generated replies, in the model's own terms.

use interlingua::model::{Args, Block, Body, Form, Stop, StopReason, Thinking, ToolCall, Usage};
use interlingua::{Json, Reply, Text};
use proptest::prelude::*;
use proptest::sample::select;

/// A reply as models give it: perhaps a thought, then texts and calls.
pub(crate) fn reply() -> impl Strategy<Value = Reply> {
    let thinking = prop::option::of(words());
    let blocks = prop::collection::vec(block(), 0..5);
    let counts = (0..9000_u64, prop::option::of(0..500_u64), 1..900_u64);
    let reason = select(&[StopReason::End, StopReason::MaxTokens, StopReason::Refusal]);
    (thinking, blocks, counts, reason).prop_map(|(thinking, blocks, counts, reason)| {
        let mut reply = Reply::new();
        reply.id = Some(Text::word("r_1"));
        reply.model = Some(Text::word("m"));
        let thinking = thinking.map(|text| Body::Thinking(Thinking { text, form: Form::Full }));
        let bodies = thinking.into_iter().chain(blocks);
        reply.turn.blocks = bodies.map(|body| Block::new(body).into()).collect();
        for (index, block) in reply.turn.blocks.iter_mut().enumerate() {
            if let Body::ToolCall(call) = &mut block.edit().body {
                call.id = Text::new(&format!("call_{index}"));
            }
        }
        let (input, cache_read, output) = counts;
        reply.usage =
            Usage { input: Some(input), cache_read, output: Some(output), ..Usage::default() };
        let calls = reply.has_calls();
        reply.stop = Stop::new(if calls { StopReason::ToolUse } else { reason });
        reply
    })
}

fn block() -> impl Strategy<Value = Body> {
    let text = words().prop_map(|text| Body::Text { text, citations: Vec::new() });
    prop_oneof![2 => text, 3 => call()]
}

fn call() -> impl Strategy<Value = Body> {
    let args = select(&[
        "{}",
        r#"{"path":"src/lib.rs"}"#,
        r#"{ "n" : 1.50, "big": 12345678901234567890, "text": "a\nb \"c\" é" }"#,
        r#"{"nested":{"list":[1,-0,1E2,null,true],"":{}}}"#,
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
