//! Encodes streams of the Responses API: every item is added, filled and done, in order.

use serde_json::{Value, json};

use super::{completed_response, output_items, response_object};
use crate::render::context::{FIXED_UNIX_TIME, Frame, FrameRole, RenderContext};
use crate::turn::StopReason;

pub(crate) fn frames(cx: &RenderContext<'_>) -> Vec<Frame> {
    let mut events = EventSequence::default();
    for kind in ["response.created", "response.in_progress"] {
        let event = json!({"type": kind, "response": response_object(cx, "in_progress")});
        events.push(event, FrameRole::Start);
    }
    for (index, item) in output_items(cx).into_iter().enumerate() {
        let mut opening = item.clone();
        clear_item(&mut opening);
        let added =
            json!({"type": "response.output_item.added", "output_index": index, "item": opening});
        events.push(added, FrameRole::Content);
        push_item_deltas(cx, &mut events, index, &item);
        let done =
            json!({"type": "response.output_item.done", "output_index": index, "item": item});
        events.push(done, FrameRole::Content);
    }
    let cut = cx.turn.stop_reason == StopReason::MaxTokens;
    let kind = if cut { "response.incomplete" } else { "response.completed" };
    events.push(json!({"type": kind, "response": completed_response(cx)}), FrameRole::End);
    events.frames
}

/// The last event of a failed stream.
pub(crate) fn failed_event(id: &str, model: &str, code: &str, message: &str) -> Value {
    json!({"type": "response.failed", "sequence_number": 0, "response": {
        "id": id,
        "object": "response",
        "created_at": FIXED_UNIX_TIME,
        "status": "failed",
        "error": {"code": code, "message": message},
        "incomplete_details": null,
        "model": model,
        "output": [],
        "usage": null,
        "parallel_tool_calls": true,
        "tool_choice": "auto",
        "tools": [],
    }})
}

#[derive(Default)]
struct EventSequence {
    frames: Vec<Frame>,
}

impl EventSequence {
    fn push(&mut self, mut event: Value, role: FrameRole) {
        event["sequence_number"] = self.frames.len().into();
        self.frames.push(Frame::named_event(&event, role));
    }

    /// Adds an event about an item, with the item's id and index.
    fn push_item_event(&mut self, item: &Value, output: usize, kind: &str, mut event: Value) {
        event["type"] = kind.into();
        event["item_id"] = item["id"].clone();
        event["output_index"] = output.into();
        self.push(event, FrameRole::Content);
    }
}

/// Empties the content of an item, for its `added` event.
fn clear_item(item: &mut Value) {
    let kind = item["type"].as_str().unwrap_or_default().to_owned();
    match kind.as_str() {
        "message" => item["content"] = json!([]),
        "reasoning" if item.get("content").is_some() => item["content"] = json!([]),
        "reasoning" => item["summary"] = json!([]),
        "compaction" => {}
        "function_call" => item["arguments"] = "".into(),
        _ => item["input"] = "".into(),
    }
    if item.get("status").is_some() {
        item["status"] = "in_progress".into();
    }
}

fn push_item_deltas(
    cx: &RenderContext<'_>,
    events: &mut EventSequence,
    output: usize,
    item: &Value,
) {
    let kind = item["type"].as_str().unwrap_or_default();
    match kind {
        "message" => push_message_deltas(cx, events, output, item),
        "compaction" => {}
        "reasoning" => {
            for (at, part) in item["summary"].as_array().into_iter().flatten().enumerate() {
                push_summary_deltas(cx, events, output, item, at, part);
            }
            let text = item.pointer("/content/0/text").and_then(Value::as_str);
            for piece in cx.split(text.unwrap_or_default()) {
                let delta = json!({"content_index": 0, "delta": piece});
                events.push_item_event(item, output, "response.reasoning_text.delta", delta);
            }
        }
        _ => {
            let (stem, key) = match kind {
                "function_call" => ("response.function_call_arguments", "arguments"),
                _ => ("response.custom_tool_call_input", "input"),
            };
            let text = item[key].as_str().unwrap_or_default();
            for piece in cx.split(text) {
                events.push_item_event(
                    item,
                    output,
                    &format!("{stem}.delta"),
                    json!({"delta": piece}),
                );
            }
            let mut done = json!({});
            done[key] = text.into();
            if key == "arguments" {
                done["name"] = item["name"].clone();
            }
            events.push_item_event(item, output, &format!("{stem}.done"), done);
        }
    }
}

fn push_message_deltas(
    cx: &RenderContext<'_>,
    events: &mut EventSequence,
    output: usize,
    item: &Value,
) {
    let part = &item["content"][0];
    let refused = part["type"] == "refusal";
    let (key, stem) =
        if refused { ("refusal", "response.refusal") } else { ("text", "response.output_text") };
    let text = part[key].as_str().unwrap_or_default();
    let mut opening = part.clone();
    opening[key] = "".into();
    let with_index = |fields: Value| {
        let mut event = json!({"content_index": 0});
        if let (Some(event), Value::Object(fields)) = (event.as_object_mut(), fields) {
            event.extend(fields);
        }
        event
    };
    events.push_item_event(
        item,
        output,
        "response.content_part.added",
        with_index(json!({"part": opening})),
    );
    for piece in cx.split(text) {
        let mut delta = json!({"delta": piece});
        if !refused {
            delta["logprobs"] = json!([]);
        }
        events.push_item_event(item, output, &format!("{stem}.delta"), with_index(delta));
    }
    let mut done = json!({});
    done[key] = text.into();
    if !refused {
        done["logprobs"] = json!([]);
    }
    events.push_item_event(item, output, &format!("{stem}.done"), with_index(done));
    events.push_item_event(
        item,
        output,
        "response.content_part.done",
        with_index(json!({"part": part})),
    );
}

fn push_summary_deltas(
    cx: &RenderContext<'_>,
    events: &mut EventSequence,
    output: usize,
    item: &Value,
    at: usize,
    part: &Value,
) {
    let mut push_event = |kind: &str, key: &str, value: Value| {
        let mut event = json!({"summary_index": at});
        event[key] = value;
        events.push_item_event(item, output, kind, event);
    };
    let text = part["text"].as_str().unwrap_or_default();
    let opening = json!({"type": "summary_text", "text": ""});
    push_event("response.reasoning_summary_part.added", "part", opening);
    for piece in cx.split(text) {
        push_event("response.reasoning_summary_text.delta", "delta", piece.into());
    }
    push_event("response.reasoning_summary_text.done", "text", text.into());
    push_event("response.reasoning_summary_part.done", "part", part.clone());
}
