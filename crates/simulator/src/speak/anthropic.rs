//! Replies of the Messages API.

use interlingua_strict::anthropic::compaction;
use interlingua_strict::anthropic::mint::Trail;
use serde_json::{Value, json};

use super::{Frame, Place, Voice, parsed};
use crate::hear::Thinking;
use crate::turn::{Block, Stop, Turn};

pub(super) fn whole(voice: &Voice<'_>) -> Value {
    let mut message = message(voice, &content(voice));
    message["stop_reason"] = stop(voice.turn).into();
    message["stop_sequence"] = voice.turn.sequence.clone().into();
    message["stop_details"] = details(voice.turn.stop);
    message["usage"] = usage(voice, voice.all_output());
    message
}

pub(super) fn kept(voice: &Voice<'_>) -> (String, Vec<Value>) {
    (id(voice), vec![json!({"role": "assistant", "content": content(voice)})])
}

fn id(voice: &Voice<'_>) -> String {
    voice.seed.id("msg_01", 0, 22)
}

pub(super) fn stream(voice: &Voice<'_>) -> Vec<Frame> {
    let mut start = message(voice, &[]);
    start["usage"] = usage(voice, 1);
    let mut frames = vec![
        Frame::named(&json!({"type": "message_start", "message": start}), Place::Start),
        Frame::named(&json!({"type": "ping"}), Place::Start),
    ];
    for (index, (block, spelled)) in voice.turn.blocks.iter().zip(content(voice)).enumerate() {
        let (opening, deltas) = opened(voice, block, spelled);
        let mut event = |event: Value| frames.push(Frame::named(&event, Place::Content));
        event(json!({"type": "content_block_start", "index": index, "content_block": opening}));
        for delta in deltas {
            event(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        event(json!({"type": "content_block_stop", "index": index}));
    }
    let turn = voice.turn;
    let delta = json!({
        "stop_reason": stop(turn), "stop_sequence": turn.sequence, "stop_details": details(turn.stop),
    });
    let last =
        json!({"type": "message_delta", "delta": delta, "usage": usage(voice, voice.all_output())});
    frames.push(Frame::named(&last, Place::Finish));
    frames.push(Frame::named(&json!({"type": "message_stop"}), Place::End));
    frames
}

fn message(voice: &Voice<'_>, content: &[Value]) -> Value {
    json!({
        "id": id(voice),
        "type": "message",
        "role": "assistant",
        "model": voice.model,
        "content": content,
        "stop_reason": null,
        "stop_sequence": null,
        "stop_details": null,
    })
}

/// The blocks; each seal covers those before it.
fn content(voice: &Voice<'_>) -> Vec<Value> {
    let mut content: Vec<Value> = Vec::new();
    let mut trail = Trail::of(&voice.request);
    for (index, block) in voice.turn.blocks.iter().enumerate() {
        let spelled = match block {
            Block::Thinking(text) => {
                let shown = if voice.heard.thinking == Thinking::Hidden { "" } else { text };
                let signature = trail.think(voice.key, shown);
                json!({"type": "thinking", "thinking": shown, "signature": signature})
            }
            Block::Redacted(_) => {
                let data = trail.redact(voice.key);
                json!({"type": "redacted_thinking", "data": data})
            }
            Block::Text(text) => json!({"type": "text", "text": text}),
            Block::Summary(text) => {
                let signature = compaction::sign(voice.key, text, None);
                json!({"type": "compaction", "content": text, "signature": signature})
            }
            Block::Call(call) => json!({
                "type": "tool_use",
                "id": call.id.clone().unwrap_or_else(|| {
                    trail.call_id(voice.key, &voice.seed.id("", index, 22))
                }),
                "name": call.name,
                "input": parsed(&call.arguments),
            }),
        };
        if !matches!(block, Block::Thinking(_) | Block::Redacted(_)) {
            trail.block(&spelled);
        }
        content.push(spelled);
    }
    content
}

/// How a block begins, and the deltas that fill it.
fn opened(voice: &Voice<'_>, block: &Block, mut spelled: Value) -> (Value, Vec<Value>) {
    let take = |spelled: &mut Value, key: &str, empty: Value| {
        std::mem::replace(&mut spelled[key], empty).as_str().map(str::to_owned).unwrap_or_default()
    };
    match block {
        Block::Thinking(_) => {
            let text = take(&mut spelled, "thinking", "".into());
            let signature = take(&mut spelled, "signature", "".into());
            let piece = |piece: &str| json!({"type": "thinking_delta", "thinking": piece});
            let mut deltas: Vec<Value> = voice.pieces(&text).into_iter().map(piece).collect();
            deltas.push(json!({"type": "signature_delta", "signature": signature}));
            (spelled, deltas)
        }
        Block::Redacted(_) => (spelled, Vec::new()),
        Block::Summary(text) => {
            spelled["content"] = Value::Null;
            (spelled, vec![json!({"type": "compaction_delta", "content": text})])
        }
        Block::Text(text) => {
            spelled["text"] = "".into();
            let piece = |piece: &str| json!({"type": "text_delta", "text": piece});
            (spelled, voice.pieces(text).into_iter().map(piece).collect())
        }
        Block::Call(call) => {
            spelled["input"] = json!({});
            let piece = |piece: &str| json!({"type": "input_json_delta", "partial_json": piece});
            let mut deltas = vec![piece("")];
            deltas.extend(voice.pieces(&call.arguments).into_iter().map(piece));
            (spelled, deltas)
        }
    }
}

fn stop(turn: &Turn) -> &'static str {
    match turn.stop {
        Stop::End if matches!(turn.blocks.as_slice(), [Block::Summary(_)]) => "compaction",
        Stop::End => "end_turn",
        Stop::Calls => "tool_use",
        Stop::Length => "max_tokens",
        Stop::Refusal => "refusal",
        Stop::Sequence => "stop_sequence",
    }
}

fn details(stop: Stop) -> Value {
    match stop {
        Stop::Refusal => json!({"type": "refusal", "category": null, "explanation": null}),
        _ => Value::Null,
    }
}

/// The input is what the cache did not hold.
fn usage(voice: &Voice<'_>, output: u64) -> Value {
    let usage = voice.turn.usage;
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
