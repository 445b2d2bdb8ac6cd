//! A streamed reply: thinking, a long text, two calls, about 1,500 events.

use std::fmt::Write as _;

use bytes::Bytes;
use interlingua::{Dialect, ReplyContext, StreamTranslator, find_dialect};
use serde_json::{Value, json};

/// The stream as the Messages API sends it.
pub fn anthropic_stream() -> Bytes {
    let mut out = String::new();
    let mut event = |data: &Value| {
        let name = data["type"].as_str().unwrap_or_default();
        // Writing to memory cannot fail.
        let _ = write!(out, "event: {name}\ndata: {data}\n\n");
    };
    event(
        &json!({"type": "message_start", "message": {"id": "msg_01", "type": "message", "role": "assistant",
        "model": "claude-opus-4-5", "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": 1200, "output_tokens": 1}}}),
    );
    block(
        &mut event,
        0,
        &json!({"type": "thinking", "thinking": "", "signature": ""}),
        300,
        |n| json!({"type": "thinking_delta", "thinking": format!(" considering option {n}")}),
    );
    block(
        &mut event,
        1,
        &json!({"type": "text", "text": ""}),
        1000,
        |n| json!({"type": "text_delta", "text": format!(" word {n}\n")}),
    );
    for index in 2..4 {
        let call = json!({"type": "tool_use", "id": format!("toolu_{index}"), "name": "search", "input": {}});
        let last = 99;
        block(&mut event, index, &call, last + 1, |n| {
            let piece = match n {
                0 => "{\"query\":\"".to_owned(),
                n if n == last => "\"}".to_owned(),
                n => format!("term{n} "),
            };
            json!({"type": "input_json_delta", "partial_json": piece})
        });
    }
    event(
        &json!({"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": null},
        "usage": {"output_tokens": 2400}}),
    );
    event(&json!({"type": "message_stop"}));
    out.into()
}

fn block(
    event: &mut impl FnMut(&Value),
    index: u64,
    start: &Value,
    deltas: u64,
    delta: impl Fn(u64) -> Value,
) {
    event(&json!({"type": "content_block_start", "index": index, "content_block": start}));
    for n in 0..deltas {
        event(&json!({"type": "content_block_delta", "index": index, "delta": delta(n)}));
    }
    event(&json!({"type": "content_block_stop", "index": index}));
}

/// The same stream in another dialect.
pub fn stream_in(dialect: &dyn Dialect) -> Bytes {
    let Some(from) = find_dialect("anthropic") else { return Bytes::new() };
    if dialect.id() == from.id() {
        return anthropic_stream();
    }
    let mut out = Vec::new();
    let mut stream = StreamTranslator::new(from, dialect, &ReplyContext::default());
    stream.push(&anthropic_stream(), &mut out);
    stream.finish(&mut out);
    out.into()
}
