//! The baseline for streams: parse each event into a `Value`, convert the tree, write it.

use bytes::Bytes;
use interlingua_wire::{Frame, FrameReader, Framing, frame};
use serde_json::{Value, json};

/// Converts the tree of one event and appends the result.
pub type Convert = fn(Value, &mut Vec<u8>);

/// Parses, writes and frames each event again: the minimum work of a relay through a tree. Both
/// sides use the same frame reader and writer.
pub fn relay_through_value(framing: Framing, stream: &Bytes, chunk: usize, out: &mut Vec<u8>) {
    each_event(framing, stream, chunk, |event| {
        let Some(data) = event.data else { return };
        let value = serde_json::from_str::<Value>(&data);
        let data = value.map_or_else(|_| data.to_string(), |value| value.to_string());
        frame::write(framing, event.event.as_deref(), &data, out);
    });
}

/// Parses and converts each server-sent event.
pub fn convert_through_value(stream: &Bytes, chunk: usize, convert: Convert, out: &mut Vec<u8>) {
    each_event(Framing::Sse, stream, chunk, |event| {
        if let Some(Ok(value)) = event.data.map(|data| serde_json::from_str(&data)) {
            convert(value, out);
        }
    });
}

fn each_event(framing: Framing, stream: &Bytes, chunk: usize, mut handle: impl FnMut(Frame)) {
    let mut framer = FrameReader::new(framing, usize::MAX);
    for start in (0..stream.len()).step_by(chunk) {
        framer.push(&stream.slice(start..stream.len().min(start + chunk)));
        while let Ok(Some(event)) = framer.next() {
            handle(event);
        }
    }
}

/// Converts a Messages event to a Chat chunk; events that occur once in a stream are dropped.
pub fn anthropic_event_to_chat(mut event: Value, out: &mut Vec<u8>) {
    let mut piece = event["delta"].take();
    let delta = match piece["type"].as_str() {
        Some("text_delta") => json!({"content": piece["text"].take()}),
        Some("thinking_delta") => json!({"reasoning_content": piece["thinking"].take()}),
        Some("input_json_delta") => json!({"tool_calls": [{"index": event["index"].take(),
            "function": {"arguments": piece["partial_json"].take()}}]}),
        _ => return,
    };
    let chunk = json!({"id": "msg_01", "object": "chat.completion.chunk", "created": 0,
        "model": "claude-opus-4-5",
        "choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    frame::write(Framing::Sse, None, &chunk.to_string(), out);
}

/// Converts a Chat chunk to a Messages event; chunks that occur once in a stream are dropped.
pub fn chat_event_to_anthropic(mut chunk: Value, out: &mut Vec<u8>) {
    let delta = chunk.pointer_mut("/choices/0/delta");
    let mut piece = delta.map(Value::take).unwrap_or_default();
    let (index, delta) = if piece["content"].is_string() {
        (1, json!({"type": "text_delta", "text": piece["content"].take()}))
    } else if piece["reasoning_content"].is_string() {
        (0, json!({"type": "thinking_delta", "thinking": piece["reasoning_content"].take()}))
    } else if piece["tool_calls"].is_array() {
        let arguments = piece.pointer_mut("/tool_calls/0/function/arguments").map(Value::take);
        (2, json!({"type": "input_json_delta", "partial_json": arguments}))
    } else {
        return;
    };
    let event = json!({"type": "content_block_delta", "index": index, "delta": delta});
    frame::write(Framing::Sse, Some("content_block_delta"), &event.to_string(), out);
}
