//! Streams of the Responses API: every item is opened, filled and closed, in order.

use serde_json::{Value, json};

use super::openai_responses::{finished, items, response};
use super::{Frame, NOW, Place, Voice};
use crate::turn::Stop;

pub(super) fn stream(voice: &Voice<'_>) -> Vec<Frame> {
    let mut events = Events::default();
    for kind in ["response.created", "response.in_progress"] {
        let event = json!({"type": kind, "response": response(voice, "in_progress")});
        events.send(event, Place::Start);
    }
    for (index, item) in items(voice).into_iter().enumerate() {
        let mut opening = item.clone();
        empty(&mut opening);
        let added =
            json!({"type": "response.output_item.added", "output_index": index, "item": opening});
        events.send(added, Place::Content);
        fill(voice, &mut events, index, &item);
        let done =
            json!({"type": "response.output_item.done", "output_index": index, "item": item});
        events.send(done, Place::Content);
    }
    let cut = voice.turn.stop == Stop::Length;
    let kind = if cut { "response.incomplete" } else { "response.completed" };
    events.send(json!({"type": kind, "response": finished(voice)}), Place::End);
    events.frames
}

/// The event that ends a stream that failed.
pub(super) fn failed(id: &str, model: &str, code: &str, message: &str) -> Value {
    json!({"type": "response.failed", "sequence_number": 0, "response": {
        "id": id,
        "object": "response",
        "created_at": NOW,
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
struct Events {
    frames: Vec<Frame>,
}

impl Events {
    fn send(&mut self, mut event: Value, place: Place) {
        event["sequence_number"] = self.frames.len().into();
        self.frames.push(Frame::named(&event, place));
    }

    /// An event about an item, with the item's place in it.
    fn about(&mut self, item: &Value, output: usize, kind: &str, mut event: Value) {
        event["type"] = kind.into();
        event["item_id"] = item["id"].clone();
        event["output_index"] = output.into();
        self.send(event, Place::Content);
    }
}

/// The item before anything is known but what it is.
fn empty(item: &mut Value) {
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

fn fill(voice: &Voice<'_>, events: &mut Events, output: usize, item: &Value) {
    let kind = item["type"].as_str().unwrap_or_default();
    match kind {
        "message" => message(voice, events, output, item),
        "compaction" => {}
        "reasoning" => {
            for (at, part) in item["summary"].as_array().into_iter().flatten().enumerate() {
                summary(voice, events, output, item, at, part);
            }
            let said = item.pointer("/content/0/text").and_then(Value::as_str);
            for piece in voice.pieces(said.unwrap_or_default()) {
                let delta = json!({"content_index": 0, "delta": piece});
                events.about(item, output, "response.reasoning_text.delta", delta);
            }
        }
        _ => {
            let (stem, key) = match kind {
                "function_call" => ("response.function_call_arguments", "arguments"),
                _ => ("response.custom_tool_call_input", "input"),
            };
            let text = item[key].as_str().unwrap_or_default();
            for piece in voice.pieces(text) {
                events.about(item, output, &format!("{stem}.delta"), json!({"delta": piece}));
            }
            let mut done = json!({});
            done[key] = text.into();
            if key == "arguments" {
                done["name"] = item["name"].clone();
            }
            events.about(item, output, &format!("{stem}.done"), done);
        }
    }
}

fn message(voice: &Voice<'_>, events: &mut Events, output: usize, item: &Value) {
    let part = &item["content"][0];
    let refused = part["type"] == "refusal";
    let (key, stem) =
        if refused { ("refusal", "response.refusal") } else { ("text", "response.output_text") };
    let text = part[key].as_str().unwrap_or_default();
    let mut opening = part.clone();
    opening[key] = "".into();
    let at = |more: Value| {
        let mut event = json!({"content_index": 0});
        if let (Some(event), Value::Object(more)) = (event.as_object_mut(), more) {
            event.extend(more);
        }
        event
    };
    events.about(item, output, "response.content_part.added", at(json!({"part": opening})));
    for piece in voice.pieces(text) {
        let mut delta = json!({"delta": piece});
        if !refused {
            delta["logprobs"] = json!([]);
        }
        events.about(item, output, &format!("{stem}.delta"), at(delta));
    }
    let mut done = json!({});
    done[key] = text.into();
    if !refused {
        done["logprobs"] = json!([]);
    }
    events.about(item, output, &format!("{stem}.done"), at(done));
    events.about(item, output, "response.content_part.done", at(json!({"part": part})));
}

fn summary(
    voice: &Voice<'_>,
    events: &mut Events,
    output: usize,
    item: &Value,
    at: usize,
    part: &Value,
) {
    let mut about = |kind: &str, key: &str, value: Value| {
        let mut event = json!({"summary_index": at});
        event[key] = value;
        events.about(item, output, kind, event);
    };
    let text = part["text"].as_str().unwrap_or_default();
    let opening = json!({"type": "summary_text", "text": ""});
    about("response.reasoning_summary_part.added", "part", opening);
    for piece in voice.pieces(text) {
        about("response.reasoning_summary_text.delta", "delta", piece.into());
    }
    about("response.reasoning_summary_text.done", "text", text.into());
    about("response.reasoning_summary_part.done", "part", part.clone());
}
