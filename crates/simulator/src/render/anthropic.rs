//! Encodes replies and streams of the Messages API.

use interlingua_strict::anthropic::compaction;
use interlingua_strict::anthropic::mint::SealContext;
use serde_json::{Value, json};

use super::context::{Frame, FrameRole, RenderContext, parse_arguments};
use crate::parse::ThinkingVisibility;
use crate::turn::{Block, StopReason, Turn};

pub(super) fn body(cx: &RenderContext<'_>) -> Value {
    let mut message = message(cx, &content(cx));
    message["stop_reason"] = stop_reason(cx.turn).into();
    message["stop_sequence"] = cx.turn.stop_sequence.clone().into();
    message["stop_details"] = stop_details(cx.turn.stop_reason);
    message["usage"] = usage(cx, cx.total_output_tokens());
    message
}

pub(super) fn stored_messages(cx: &RenderContext<'_>) -> (String, Vec<Value>) {
    (message_id(cx), vec![json!({"role": "assistant", "content": content(cx)})])
}

fn message_id(cx: &RenderContext<'_>) -> String {
    cx.id_seed.id("msg_01", 0, 22)
}

pub(super) fn frames(cx: &RenderContext<'_>) -> Vec<Frame> {
    let mut start = message(cx, &[]);
    start["usage"] = usage(cx, 1);
    let mut frames = vec![
        Frame::named_event(&json!({"type": "message_start", "message": start}), FrameRole::Start),
        Frame::named_event(&json!({"type": "ping"}), FrameRole::Start),
    ];
    for (index, (block, encoded)) in cx.turn.blocks.iter().zip(content(cx)).enumerate() {
        let (opening, deltas) = block_start_and_deltas(cx, block, encoded);
        let mut event = |event: Value| frames.push(Frame::named_event(&event, FrameRole::Content));
        event(json!({"type": "content_block_start", "index": index, "content_block": opening}));
        for delta in deltas {
            event(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        event(json!({"type": "content_block_stop", "index": index}));
    }
    let turn = cx.turn;
    let delta = json!({
        "stop_reason": stop_reason(turn), "stop_sequence": turn.stop_sequence, "stop_details": stop_details(turn.stop_reason),
    });
    let last = json!({"type": "message_delta", "delta": delta, "usage": usage(cx, cx.total_output_tokens())});
    frames.push(Frame::named_event(&last, FrameRole::Finish));
    frames.push(Frame::named_event(&json!({"type": "message_stop"}), FrameRole::End));
    frames
}

fn message(cx: &RenderContext<'_>, content: &[Value]) -> Value {
    json!({
        "id": message_id(cx),
        "type": "message",
        "role": "assistant",
        "model": cx.model,
        "content": content,
        "stop_reason": null,
        "stop_sequence": null,
        "stop_details": null,
    })
}

/// Encodes the blocks; each seal covers the blocks before it.
fn content(cx: &RenderContext<'_>) -> Vec<Value> {
    let mut content: Vec<Value> = Vec::new();
    let mut seal_context = SealContext::for_reply(&cx.request);
    for (index, block) in cx.turn.blocks.iter().enumerate() {
        let encoded = match block {
            Block::Thinking(text) => {
                let shown = if cx.input.thinking == ThinkingVisibility::Hidden { "" } else { text };
                let signature = seal_context.sign_thinking(cx.seal_key, shown);
                json!({"type": "thinking", "thinking": shown, "signature": signature})
            }
            Block::Redacted(_) => {
                let data = seal_context.sign_redacted(cx.seal_key);
                json!({"type": "redacted_thinking", "data": data})
            }
            Block::Text(text) => json!({"type": "text", "text": text}),
            Block::Summary(text) => {
                let signature = compaction::sign_summary(cx.seal_key, text, None);
                json!({"type": "compaction", "content": text, "signature": signature})
            }
            Block::Call(call) => json!({
                "type": "tool_use",
                "id": call.id.clone().unwrap_or_else(|| {
                    seal_context.call_id(cx.seal_key, &cx.id_seed.id("", index, 22))
                }),
                "name": call.name,
                "input": parse_arguments(&call.arguments),
            }),
        };
        if !matches!(block, Block::Thinking(_) | Block::Redacted(_)) {
            seal_context.push_block(&encoded);
        }
        content.push(encoded);
    }
    content
}

/// The opening of a block, and the deltas that fill it.
fn block_start_and_deltas(
    cx: &RenderContext<'_>,
    block: &Block,
    mut encoded: Value,
) -> (Value, Vec<Value>) {
    let take = |encoded: &mut Value, key: &str, empty: Value| {
        std::mem::replace(&mut encoded[key], empty).as_str().map(str::to_owned).unwrap_or_default()
    };
    match block {
        Block::Thinking(_) => {
            let text = take(&mut encoded, "thinking", "".into());
            let signature = take(&mut encoded, "signature", "".into());
            let piece = |piece: &str| json!({"type": "thinking_delta", "thinking": piece});
            let mut deltas: Vec<Value> = cx.split(&text).into_iter().map(piece).collect();
            deltas.push(json!({"type": "signature_delta", "signature": signature}));
            (encoded, deltas)
        }
        Block::Redacted(_) => (encoded, Vec::new()),
        Block::Summary(text) => {
            encoded["content"] = Value::Null;
            (encoded, vec![json!({"type": "compaction_delta", "content": text})])
        }
        Block::Text(text) => {
            encoded["text"] = "".into();
            let piece = |piece: &str| json!({"type": "text_delta", "text": piece});
            (encoded, cx.split(text).into_iter().map(piece).collect())
        }
        Block::Call(call) => {
            encoded["input"] = json!({});
            let piece = |piece: &str| json!({"type": "input_json_delta", "partial_json": piece});
            let mut deltas = vec![piece("")];
            deltas.extend(cx.split(&call.arguments).into_iter().map(piece));
            (encoded, deltas)
        }
    }
}

fn stop_reason(turn: &Turn) -> &'static str {
    match turn.stop_reason {
        StopReason::End if matches!(turn.blocks.as_slice(), [Block::Summary(_)]) => "compaction",
        StopReason::End => "end_turn",
        StopReason::ToolCalls => "tool_use",
        StopReason::MaxTokens => "max_tokens",
        StopReason::Refusal => "refusal",
        StopReason::StopSequence => "stop_sequence",
    }
}

fn stop_details(stop: StopReason) -> Value {
    match stop {
        StopReason::Refusal => json!({"type": "refusal", "category": null, "explanation": null}),
        _ => Value::Null,
    }
}

/// The input tokens exclude the cached ones.
fn usage(cx: &RenderContext<'_>, output: u64) -> Value {
    let usage = cx.turn.usage;
    json!({
        "input_tokens": usage.input,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": output,
        "output_tokens_details": {"thinking_tokens": usage.thinking},
        "service_tier": "standard",
    })
}
