//! Encodes replies of Bedrock Converse; its streams are binary event streams.

use aws_smithy_eventstream::frame::write_message_to;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
use interlingua_strict::bedrock::mint;
use serde_json::{Value, json};

use super::context::{Frame, FrameRole, RenderContext, parse_arguments};
use crate::parse::ThinkingVisibility;
use crate::turn::{Block, StopReason};

pub(super) fn body(cx: &RenderContext<'_>) -> Value {
    json!({
        "output": {"message": {"role": "assistant", "content": content(cx)}},
        "stopReason": stop_reason(cx.turn.stop_reason),
        "usage": usage(cx),
        "metrics": {"latencyMs": 1},
    })
}

pub(super) fn frames(cx: &RenderContext<'_>) -> Vec<Frame> {
    let mut frames =
        vec![event_frame("messageStart", &json!({"role": "assistant"}), FrameRole::Start)];
    for (index, (block, encoded)) in cx.turn.blocks.iter().zip(content(cx)).enumerate() {
        let mut send = |name: &str, event_of: Value| {
            let mut body = json!({"contentBlockIndex": index});
            if let (Some(body), Value::Object(more)) = (body.as_object_mut(), event_of) {
                body.extend(more);
            }
            frames.push(event_frame(name, &body, FrameRole::Content));
        };
        if let Block::Call(call) = block {
            let id = &encoded["toolUse"]["toolUseId"];
            let start = json!({"toolUse": {"toolUseId": id, "name": call.name}});
            send("contentBlockStart", json!({"start": start}));
        }
        for delta in deltas(cx, block, &encoded) {
            send("contentBlockDelta", json!({"delta": delta}));
        }
        send("contentBlockStop", json!({}));
    }
    let stopped = json!({"stopReason": stop_reason(cx.turn.stop_reason)});
    frames.push(event_frame("messageStop", &stopped, FrameRole::Finish));
    let metadata = json!({"usage": usage(cx), "metrics": {"latencyMs": 1}});
    frames.push(event_frame("metadata", &metadata, FrameRole::End));
    frames
}

fn content(cx: &RenderContext<'_>) -> Vec<Value> {
    let mut content: Vec<Value> = Vec::new();
    // Only Claude models sign their reasoning.
    let mut seal_context = mint::seal_context(&cx.request);
    for (index, block) in cx.turn.blocks.iter().enumerate() {
        let encoded = match block {
            Block::Thinking(text) => {
                let shown = if cx.input.thinking == ThinkingVisibility::Hidden { "" } else { text };
                let mut reasoning = json!({"text": shown});
                if let Some(seal_context) = &mut seal_context {
                    reasoning["signature"] = seal_context.sign_thinking(cx.seal_key, shown).into();
                }
                json!({"reasoningContent": {"reasoningText": reasoning}})
            }
            Block::Redacted(_) => {
                let data = seal_context.as_mut().map_or_else(String::new, |seal_context| {
                    seal_context.sign_redacted(cx.seal_key)
                });
                json!({"reasoningContent": {"redactedContent": data}})
            }
            Block::Text(text) | Block::Summary(text) => json!({"text": text}),
            Block::Call(call) => json!({"toolUse": {
                "toolUseId": call.id.clone().unwrap_or_else(|| cx.id_seed.id("tooluse_", index, 22)),
                "name": call.name,
                "input": parse_arguments(&call.arguments),
            }}),
        };
        let sealed = matches!(block, Block::Thinking(_) | Block::Redacted(_));
        if let Some(seal_context) = seal_context.as_mut().filter(|_| !sealed) {
            seal_context.push_block(&mint::anthropic_block(&encoded));
        }
        content.push(encoded);
    }
    content
}

fn deltas(cx: &RenderContext<'_>, block: &Block, encoded: &Value) -> Vec<Value> {
    match block {
        Block::Thinking(_) => {
            let reasoning = &encoded["reasoningContent"]["reasoningText"];
            let text = reasoning["text"].as_str().unwrap_or_default();
            let piece = |piece: &str| json!({"reasoningContent": {"text": piece}});
            let mut deltas: Vec<Value> = cx.split(text).into_iter().map(piece).collect();
            let signature = reasoning.get("signature");
            deltas.extend(signature.map(|s| json!({"reasoningContent": {"signature": s}})));
            deltas
        }
        Block::Redacted(_) => vec![encoded.clone()],
        Block::Text(text) | Block::Summary(text) => {
            cx.split(text).into_iter().map(|piece| json!({"text": piece})).collect()
        }
        Block::Call(call) => {
            let piece = |piece: &str| json!({"toolUse": {"input": piece}});
            cx.split(&call.arguments).into_iter().map(piece).collect()
        }
    }
}

fn event_frame(name: &str, body: &Value, role: FrameRole) -> Frame {
    encode_frame("event", ":event-type", name, body, role)
}

pub(super) fn exception_frame(name: &str, body: &Value) -> Frame {
    encode_frame("exception", ":exception-type", name, body, FrameRole::Content)
}

fn encode_frame(kind: &str, key: &'static str, name: &str, body: &Value, role: FrameRole) -> Frame {
    let header = |key: &'static str, value: &str| {
        Header::new(key, HeaderValue::String(value.to_owned().into()))
    };
    let message = Message::new(body.to_string().into_bytes())
        .add_header(header(key, name))
        .add_header(header(":content-type", "application/json"))
        .add_header(header(":message-type", kind));
    let mut bytes = Vec::new();
    // Encoding fails only for oversized headers.
    let _ = write_message_to(&message, &mut bytes);
    Frame::new(bytes, role)
}

fn stop_reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::End => "end_turn",
        StopReason::ToolCalls => "tool_use",
        StopReason::MaxTokens => "max_tokens",
        StopReason::Refusal => "content_filtered",
        StopReason::StopSequence => "stop_sequence",
    }
}

fn usage(cx: &RenderContext<'_>) -> Value {
    let usage = cx.turn.usage;
    json!({
        "inputTokens": usage.input,
        "outputTokens": cx.total_output_tokens(),
        "totalTokens": cx.total_input_tokens() + cx.total_output_tokens(),
        "cacheReadInputTokens": usage.cached,
        "cacheWriteInputTokens": 0,
    })
}
