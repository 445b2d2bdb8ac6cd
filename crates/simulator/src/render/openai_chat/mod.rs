//! Encodes replies of Chat Completions; the flavor decides where reasoning is.

mod flavor;

use serde_json::{Map, Value, json};

use self::flavor::ReasoningPlacement;
use super::context::{FIXED_UNIX_TIME, Frame, FrameRole, RenderContext};
use crate::parse::ThinkingVisibility;
use crate::turn::{Block, Call, StopReason};

pub(super) fn body(cx: &RenderContext<'_>) -> Value {
    let text = text(cx);
    let refused = cx.turn.stop_reason == StopReason::Refusal;
    let content =
        if text.is_empty() && cx.turn.calls().next().is_some() { Value::Null } else { text.into() };
    let mut message = json!({"role": "assistant", "content": content});
    if flavor::provider(cx).is_first_party() {
        message["refusal"] = Value::Null;
        message["annotations"] = json!([]);
        if refused {
            message["refusal"] = std::mem::take(&mut message["content"]);
        }
    }
    if let Some(thoughts) = reasoning_text(cx) {
        flavor::add_reasoning(cx, &thoughts, &mut message);
    }
    let calls = tool_calls(cx);
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let mut reply = envelope(cx, "chat.completion");
    let choice = json!({
        "index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(cx),
    });
    reply["choices"] = json!([choice]);
    reply["usage"] = usage(cx);
    reply
}

pub(super) fn frames(cx: &RenderContext<'_>) -> Vec<Frame> {
    let mut frames = Vec::new();
    if flavor::provider(cx).is_router() {
        frames.push(Frame::new(": OPENROUTER PROCESSING\n\n", FrameRole::Start));
    }
    let opening = json!({"role": "assistant", "content": ""});
    frames.push(chunk(cx, &opening, &Value::Null, FrameRole::Start));
    let mut send = |delta: Value| frames.push(chunk(cx, &delta, &Value::Null, FrameRole::Content));
    if let Some(thoughts) = reasoning_text(cx) {
        flavor::reasoning_deltas(cx, &thoughts).into_iter().for_each(&mut send);
    }
    let refused =
        cx.turn.stop_reason == StopReason::Refusal && flavor::provider(cx).is_first_party();
    let key = if refused { "refusal" } else { "content" };
    for piece in cx.split(&text(cx)) {
        send(Map::from_iter([(key.to_owned(), piece.into())]).into());
    }
    if flavor::reply_format(cx).signs_calls {
        for call in tool_calls(cx) {
            send(json!({"tool_calls": [call]}));
        }
    } else {
        call_deltas(cx).into_iter().for_each(&mut send);
    }
    frames.push(chunk(cx, &json!({}), &finish_reason(cx).into(), FrameRole::Finish));
    if sends_usage(cx) {
        let mut last = envelope(cx, "chat.completion.chunk");
        last["choices"] = json!([]);
        last["usage"] = usage(cx);
        flavor::extend_usage_chunk(cx, &mut last);
        frames.push(Frame::data_event(&last, FrameRole::Finish));
    }
    frames.push(Frame::new("data: [DONE]\n\n", FrameRole::End));
    frames
}

fn tool_calls(cx: &RenderContext<'_>) -> Vec<Value> {
    let calls = cx.turn.calls().enumerate();
    let mut calls: Vec<Value> = calls.map(|(at, call)| tool_call(cx, at, call)).collect();
    flavor::sign_calls(cx, &mut calls);
    calls
}

/// The calls as deltas: first id and name, then the arguments.
fn call_deltas(cx: &RenderContext<'_>) -> Vec<Value> {
    let mut deltas = Vec::new();
    for (at, call) in cx.turn.calls().enumerate() {
        let mut opening = tool_call(cx, at, call);
        let (kind, text) =
            if call.is_custom { ("custom", "input") } else { ("function", "arguments") };
        opening["index"] = at.into();
        opening[kind][text] = "".into();
        deltas.push(json!({"tool_calls": [opening]}));
        for piece in cx.split(&call.arguments) {
            let inner = Map::from_iter([(text.to_owned(), piece.into())]);
            let mut part = json!({"index": at});
            part[kind] = inner.into();
            deltas.push(json!({"tool_calls": [part]}));
        }
    }
    deltas
}

fn chunk(cx: &RenderContext<'_>, delta: &Value, stop: &Value, role: FrameRole) -> Frame {
    let mut chunk = envelope(cx, "chat.completion.chunk");
    let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": stop});
    chunk["choices"] = json!([choice]);
    if requests_usage(cx) {
        chunk["usage"] = Value::Null;
    }
    Frame::data_event(&chunk, role)
}

fn envelope(cx: &RenderContext<'_>, object: &str) -> Value {
    let mut reply = json!({
        "id": cx.id_seed.id(&flavor::reply_format(cx).id_prefix, 0, 29),
        "object": object,
        "created": FIXED_UNIX_TIME,
        "model": cx.model,
    });
    if flavor::provider(cx).is_first_party() {
        reply["service_tier"] = "default".into();
        reply["system_fingerprint"] = cx.id_seed.id("fp_", 0, 10).into();
    }
    if flavor::provider(cx).is_router() {
        reply["provider"] = "Simulated".into();
    }
    reply
}

fn tool_call(cx: &RenderContext<'_>, at: usize, call: &Call) -> Value {
    let id = call.id.clone().unwrap_or_else(|| flavor::call_id(cx, at, &call.name));
    if call.is_custom {
        let custom = json!({"name": call.name, "input": call.arguments});
        return json!({"id": id, "type": "custom", "custom": custom});
    }
    let function = json!({"name": call.name, "arguments": call.arguments});
    json!({"id": id, "type": "function", "function": function})
}

/// All reasoning joined, because this API has no order of blocks.
fn reasoning_text(cx: &RenderContext<'_>) -> Option<String> {
    if cx.input.thinking == ThinkingVisibility::Hidden
        || flavor::reasoning_placement(cx) == ReasoningPlacement::Never
    {
        return None;
    }
    let thoughts: Vec<&str> = cx
        .turn
        .blocks
        .iter()
        .filter_map(|block| if let Block::Thinking(text) = block { Some(&**text) } else { None })
        .collect();
    (!thoughts.is_empty()).then(|| thoughts.join("\n\n"))
}

fn text(cx: &RenderContext<'_>) -> String {
    let texts = cx.turn.blocks.iter().filter_map(|block| match block {
        Block::Text(text) | Block::Summary(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn finish_reason(cx: &RenderContext<'_>) -> &'static str {
    match cx.turn.stop_reason {
        StopReason::End | StopReason::StopSequence => "stop",
        StopReason::ToolCalls => "tool_calls",
        StopReason::MaxTokens => "length",
        // OpenAI sends the refusal in the message; other providers filter.
        StopReason::Refusal if flavor::provider(cx).is_first_party() => "stop",
        StopReason::Refusal => "content_filter",
    }
}

fn requests_usage(cx: &RenderContext<'_>) -> bool {
    cx.body.pointer("/stream_options/include_usage") == Some(&Value::Bool(true))
}

fn sends_usage(cx: &RenderContext<'_>) -> bool {
    requests_usage(cx) || flavor::reply_format(cx).always_sends_usage
}

fn usage(cx: &RenderContext<'_>) -> Value {
    let usage = cx.turn.usage;
    let (input, output) = (cx.total_input_tokens(), cx.total_output_tokens());
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
