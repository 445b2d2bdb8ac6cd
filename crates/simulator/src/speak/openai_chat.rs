//! Replies of Chat Completions. How reasoning is shown is up to the flavor.

use serde_json::{Map, Value, json};

use super::openai_chat_flavor::{self as flavor, Shown};
use super::{Frame, NOW, Place, Voice};
use crate::hear::Thinking;
use crate::turn::{Block, Call, Stop};

pub(super) fn whole(voice: &Voice<'_>) -> Value {
    let text = text(voice);
    let refused = voice.turn.stop == Stop::Refusal;
    let content = if text.is_empty() && voice.turn.calls().next().is_some() {
        Value::Null
    } else {
        text.into()
    };
    let mut message = json!({"role": "assistant", "content": content});
    if flavor::is_inventor(voice) {
        message["refusal"] = Value::Null;
        message["annotations"] = json!([]);
        if refused {
            message["refusal"] = std::mem::take(&mut message["content"]);
        }
    }
    if let Some(thoughts) = thoughts(voice) {
        flavor::show(voice, &thoughts, &mut message);
    }
    let calls = calls(voice);
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let mut reply = envelope(voice, "chat.completion");
    let choice = json!({
        "index": 0, "message": message, "logprobs": null, "finish_reason": stop(voice),
    });
    reply["choices"] = json!([choice]);
    reply["usage"] = usage(voice);
    reply
}

pub(super) fn stream(voice: &Voice<'_>) -> Vec<Frame> {
    let mut frames = Vec::new();
    if flavor::is_relay(voice) {
        frames.push(Frame::new(": OPENROUTER PROCESSING\n\n", Place::Start));
    }
    let opening = json!({"role": "assistant", "content": ""});
    frames.push(chunk(voice, &opening, &Value::Null, Place::Start));
    let mut send = |delta: Value| frames.push(chunk(voice, &delta, &Value::Null, Place::Content));
    if let Some(thoughts) = thoughts(voice) {
        flavor::deltas(voice, &thoughts).into_iter().for_each(&mut send);
    }
    let refused = voice.turn.stop == Stop::Refusal && flavor::is_inventor(voice);
    let key = if refused { "refusal" } else { "content" };
    for piece in voice.pieces(&text(voice)) {
        send(Map::from_iter([(key.to_owned(), piece.into())]).into());
    }
    if flavor::gives_calls_whole(voice) {
        for call in calls(voice) {
            send(json!({"tool_calls": [call]}));
        }
    } else {
        call_deltas(voice).into_iter().for_each(&mut send);
    }
    frames.push(chunk(voice, &json!({}), &stop(voice).into(), Place::Finish));
    if wants_usage(voice) {
        let mut last = envelope(voice, "chat.completion.chunk");
        last["choices"] = json!([]);
        last["usage"] = usage(voice);
        flavor::extend_usage_chunk(voice, &mut last);
        frames.push(Frame::data(&last, Place::Finish));
    }
    frames.push(Frame::new("data: [DONE]\n\n", Place::End));
    frames
}

fn calls(voice: &Voice<'_>) -> Vec<Value> {
    let calls = voice.turn.calls().enumerate();
    let mut calls: Vec<Value> = calls.map(|(at, said)| call(voice, at, said)).collect();
    flavor::sign(voice, &mut calls);
    calls
}

/// The calls in pieces: what they are, and then their arguments.
fn call_deltas(voice: &Voice<'_>) -> Vec<Value> {
    let mut deltas = Vec::new();
    for (at, said) in voice.turn.calls().enumerate() {
        let mut opening = call(voice, at, said);
        let (kind, text) =
            if said.custom { ("custom", "input") } else { ("function", "arguments") };
        opening["index"] = at.into();
        opening[kind][text] = "".into();
        deltas.push(json!({"tool_calls": [opening]}));
        for piece in voice.pieces(&said.arguments) {
            let inner = Map::from_iter([(text.to_owned(), piece.into())]);
            let mut part = json!({"index": at});
            part[kind] = inner.into();
            deltas.push(json!({"tool_calls": [part]}));
        }
    }
    deltas
}

fn chunk(voice: &Voice<'_>, delta: &Value, stop: &Value, place: Place) -> Frame {
    let mut chunk = envelope(voice, "chat.completion.chunk");
    let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": stop});
    chunk["choices"] = json!([choice]);
    if asks_for_usage(voice) {
        chunk["usage"] = Value::Null;
    }
    Frame::data(&chunk, place)
}

fn envelope(voice: &Voice<'_>, object: &str) -> Value {
    let mut reply = json!({
        "id": voice.seed.id(flavor::id_prefix(voice), 0, 29),
        "object": object,
        "created": NOW,
        "model": voice.model,
    });
    if flavor::is_inventor(voice) {
        reply["service_tier"] = "default".into();
        reply["system_fingerprint"] = voice.seed.id("fp_", 0, 10).into();
    }
    if flavor::is_relay(voice) {
        reply["provider"] = "Simulated".into();
    }
    reply
}

fn call(voice: &Voice<'_>, at: usize, call: &Call) -> Value {
    let id = call.id.clone().unwrap_or_else(|| flavor::call_id(voice, at, &call.name));
    if call.custom {
        let custom = json!({"name": call.name, "input": call.arguments});
        return json!({"id": id, "type": "custom", "custom": custom});
    }
    let function = json!({"name": call.name, "arguments": call.arguments});
    json!({"id": id, "type": "function", "function": function})
}

/// All thoughts, in one: this API knows no order of blocks.
fn thoughts(voice: &Voice<'_>) -> Option<String> {
    if voice.heard.thinking == Thinking::Hidden || flavor::shown(voice) == Shown::Never {
        return None;
    }
    let thoughts: Vec<&str> = voice
        .turn
        .blocks
        .iter()
        .filter_map(|block| if let Block::Thinking(text) = block { Some(&**text) } else { None })
        .collect();
    (!thoughts.is_empty()).then(|| thoughts.join("\n\n"))
}

fn text(voice: &Voice<'_>) -> String {
    let texts = voice.turn.blocks.iter().filter_map(|block| match block {
        Block::Text(text) | Block::Summary(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn stop(voice: &Voice<'_>) -> &'static str {
    match voice.turn.stop {
        Stop::End | Stop::Sequence => "stop",
        Stop::Calls => "tool_calls",
        Stop::Length => "length",
        // The inventor says it in the message; others filter.
        Stop::Refusal if flavor::is_inventor(voice) => "stop",
        Stop::Refusal => "content_filter",
    }
}

fn asks_for_usage(voice: &Voice<'_>) -> bool {
    voice.body.pointer("/stream_options/include_usage") == Some(&Value::Bool(true))
}

fn wants_usage(voice: &Voice<'_>) -> bool {
    asks_for_usage(voice) || flavor::always_counts(voice)
}

fn usage(voice: &Voice<'_>) -> Value {
    let usage = voice.turn.usage;
    let (input, output) = (voice.all_input(), voice.all_output());
    json!({
        "prompt_tokens": input,
        "completion_tokens": output,
        "total_tokens": input + output,
        "prompt_tokens_details": {"cached_tokens": usage.cached, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": usage.thinking,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    })
}
