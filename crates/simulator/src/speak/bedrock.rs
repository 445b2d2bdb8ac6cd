//! Replies of Bedrock Converse; its streams are binary event streams.

use aws_smithy_eventstream::frame::write_message_to;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
use interlingua_strict::bedrock::mint;
use serde_json::{Value, json};

use super::{Frame, Place, Voice, parsed};
use crate::hear::Thinking;
use crate::turn::{Block, Stop};

pub(super) fn whole(voice: &Voice<'_>) -> Value {
    json!({
        "output": {"message": {"role": "assistant", "content": content(voice)}},
        "stopReason": stop(voice.turn.stop),
        "usage": usage(voice),
        "metrics": {"latencyMs": 1},
    })
}

pub(super) fn stream(voice: &Voice<'_>) -> Vec<Frame> {
    let mut frames = vec![event("messageStart", &json!({"role": "assistant"}), Place::Start)];
    for (index, (block, spelled)) in voice.turn.blocks.iter().zip(content(voice)).enumerate() {
        let mut send = |name: &str, event_of: Value| {
            let mut body = json!({"contentBlockIndex": index});
            if let (Some(body), Value::Object(more)) = (body.as_object_mut(), event_of) {
                body.extend(more);
            }
            frames.push(event(name, &body, Place::Content));
        };
        if let Block::Call(call) = block {
            let id = &spelled["toolUse"]["toolUseId"];
            let start = json!({"toolUse": {"toolUseId": id, "name": call.name}});
            send("contentBlockStart", json!({"start": start}));
        }
        for delta in deltas(voice, block, &spelled) {
            send("contentBlockDelta", json!({"delta": delta}));
        }
        send("contentBlockStop", json!({}));
    }
    let stopped = json!({"stopReason": stop(voice.turn.stop)});
    frames.push(event("messageStop", &stopped, Place::Finish));
    let metadata = json!({"usage": usage(voice), "metrics": {"latencyMs": 1}});
    frames.push(event("metadata", &metadata, Place::End));
    frames
}

fn content(voice: &Voice<'_>) -> Vec<Value> {
    let mut content: Vec<Value> = Vec::new();
    // Only one family of models signs.
    let mut trail = mint::trail(&voice.request);
    for (index, block) in voice.turn.blocks.iter().enumerate() {
        let spelled = match block {
            Block::Thinking(text) => {
                let shown = if voice.heard.thinking == Thinking::Hidden { "" } else { text };
                let mut reasoning = json!({"text": shown});
                if let Some(trail) = &mut trail {
                    reasoning["signature"] = trail.think(voice.key, shown).into();
                }
                json!({"reasoningContent": {"reasoningText": reasoning}})
            }
            Block::Redacted(_) => {
                let data = trail.as_mut().map_or_else(String::new, |trail| trail.redact(voice.key));
                json!({"reasoningContent": {"redactedContent": data}})
            }
            Block::Text(text) | Block::Summary(text) => json!({"text": text}),
            Block::Call(call) => json!({"toolUse": {
                "toolUseId": call.id.clone().unwrap_or_else(|| voice.seed.id("tooluse_", index, 22)),
                "name": call.name,
                "input": parsed(&call.arguments),
            }}),
        };
        let sealed = matches!(block, Block::Thinking(_) | Block::Redacted(_));
        if let Some(trail) = trail.as_mut().filter(|_| !sealed) {
            trail.block(&mint::block(&spelled));
        }
        content.push(spelled);
    }
    content
}

fn deltas(voice: &Voice<'_>, block: &Block, spelled: &Value) -> Vec<Value> {
    match block {
        Block::Thinking(_) => {
            let reasoning = &spelled["reasoningContent"]["reasoningText"];
            let text = reasoning["text"].as_str().unwrap_or_default();
            let piece = |piece: &str| json!({"reasoningContent": {"text": piece}});
            let mut deltas: Vec<Value> = voice.pieces(text).into_iter().map(piece).collect();
            let signature = reasoning.get("signature");
            deltas.extend(signature.map(|s| json!({"reasoningContent": {"signature": s}})));
            deltas
        }
        Block::Redacted(_) => vec![spelled.clone()],
        Block::Text(text) | Block::Summary(text) => {
            voice.pieces(text).into_iter().map(|piece| json!({"text": piece})).collect()
        }
        Block::Call(call) => {
            let piece = |piece: &str| json!({"toolUse": {"input": piece}});
            voice.pieces(&call.arguments).into_iter().map(piece).collect()
        }
    }
}

fn event(name: &str, body: &Value, place: Place) -> Frame {
    framed("event", ":event-type", name, body, place)
}

/// An error within a stream.
pub(super) fn exception(name: &str, body: &Value) -> Frame {
    framed("exception", ":exception-type", name, body, Place::Content)
}

fn framed(kind: &str, key: &'static str, name: &str, body: &Value, place: Place) -> Frame {
    let header = |key: &'static str, value: &str| {
        Header::new(key, HeaderValue::String(value.to_owned().into()))
    };
    let message = Message::new(body.to_string().into_bytes())
        .add_header(header(key, name))
        .add_header(header(":content-type", "application/json"))
        .add_header(header(":message-type", kind));
    let mut bytes = Vec::new();
    // It fails only for headers longer than these can be.
    let _ = write_message_to(&message, &mut bytes);
    Frame::new(bytes, place)
}

fn stop(stop: Stop) -> &'static str {
    match stop {
        Stop::End => "end_turn",
        Stop::Calls => "tool_use",
        Stop::Length => "max_tokens",
        Stop::Refusal => "content_filtered",
        Stop::Sequence => "stop_sequence",
    }
}

fn usage(voice: &Voice<'_>) -> Value {
    let usage = voice.turn.usage;
    json!({
        "inputTokens": usage.input,
        "outputTokens": voice.all_output(),
        "totalTokens": voice.all_input() + voice.all_output(),
        "cacheReadInputTokens": usage.cached,
        "cacheWriteInputTokens": 0,
    })
}
