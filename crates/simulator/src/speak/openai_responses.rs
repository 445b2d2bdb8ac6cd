//! Replies of the Responses API: a list of items.

use serde_json::{Value, json};

use super::{NOW, Voice};
use crate::hear::Thinking;
use crate::mint;
use crate::turn::{Block, Call, Stop};

pub(super) fn whole(voice: &Voice<'_>) -> Value {
    finished(voice)
}

/// The response when it is over.
pub(super) fn finished(voice: &Voice<'_>) -> Value {
    let cut = voice.turn.stop == Stop::Length;
    let mut reply = response(voice, if cut { "incomplete" } else { "completed" });
    if cut {
        reply["incomplete_details"] = json!({"reason": "max_output_tokens"});
    } else {
        reply["completed_at"] = (NOW + 1).into();
    }
    reply["output"] = items(voice).into();
    reply["usage"] = usage(voice);
    reply
}

/// The response as far as it is known before it begins: mostly the request.
pub(super) fn response(voice: &Voice<'_>, status: &str) -> Value {
    let mut reply = json!({
        "id": id(voice),
        "object": "response",
        "created_at": NOW,
        "status": status,
        "error": null,
        "incomplete_details": null,
        "model": voice.model,
        "output": [],
        "usage": null,
    });
    for (key, otherwise) in ECHOED {
        let otherwise = || serde_json::from_str(otherwise).unwrap_or_default();
        reply[*key] = voice.body.get(*key).cloned().unwrap_or_else(otherwise);
    }
    reply
}

fn id(voice: &Voice<'_>) -> String {
    voice.seed.id("resp_", 0, 48)
}

/// The items of the output, finished.
pub(super) fn items(voice: &Voice<'_>) -> Vec<Value> {
    let mut items: Vec<Value> = Vec::new();
    let cut = voice.turn.stop == Stop::Length;
    let last = voice.turn.blocks.len().saturating_sub(1);
    for (index, block) in voice.turn.blocks.iter().enumerate() {
        let status = if cut && index == last { "incomplete" } else { "completed" };
        let item = match block {
            Block::Thinking(text) => reasoning(voice, index, text, &items),
            Block::Redacted(text) => {
                let mut item = reasoning(voice, index, text, &items);
                item["summary"] = json!([]);
                item
            }
            Block::Text(text) => message(voice, index, text, status),
            Block::Call(call) => called(voice, index, call, status),
        };
        items.push(item);
    }
    items
}

fn reasoning(voice: &Voice<'_>, index: usize, text: &str, before: &[Value]) -> Value {
    let id = voice.seed.id("rs_", index, 48);
    let summary = match voice.heard.thinking {
        Thinking::Shown => json!([{"type": "summary_text", "text": text}]),
        _ => json!([]),
    };
    let encrypted = mint::encrypted(voice, &id, text, before);
    json!({"id": id, "type": "reasoning", "summary": summary, "encrypted_content": encrypted})
}

fn message(voice: &Voice<'_>, index: usize, text: &str, status: &str) -> Value {
    let part = if voice.turn.stop == Stop::Refusal {
        json!({"type": "refusal", "refusal": text})
    } else {
        json!({"type": "output_text", "annotations": [], "logprobs": [], "text": text})
    };
    json!({
        "id": voice.seed.id("msg_", index, 48),
        "type": "message",
        "status": status,
        "content": [part],
        "role": "assistant",
    })
}

fn called(voice: &Voice<'_>, index: usize, call: &Call, status: &str) -> Value {
    let (kind, prefix, text) = if call.custom {
        ("custom_tool_call", "ctc_", "input")
    } else {
        ("function_call", "fc_", "arguments")
    };
    let mut item = json!({
        "id": voice.seed.id(prefix, index, 48),
        "type": kind,
        "status": status,
    });
    item[text] = call.arguments.clone().into();
    let call_id = call.id.clone().unwrap_or_else(|| voice.seed.id("call_", index, 24));
    item["call_id"] = call_id.into();
    item["name"] = call.name.clone().into();
    if let Some(namespace) = &call.namespace {
        item["namespace"] = namespace.clone().into();
    }
    item
}

fn usage(voice: &Voice<'_>) -> Value {
    let usage = voice.turn.usage;
    let (input, output) = (voice.all_input(), voice.all_output());
    json!({
        "input_tokens": input,
        "input_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": 0},
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": usage.thinking},
        "total_tokens": input + output,
    })
}

/// What a response repeats of its request, and what it says where the request is silent.
const ECHOED: &[(&str, &str)] = &[
    ("instructions", "null"),
    ("max_output_tokens", "null"),
    ("metadata", "{}"),
    ("parallel_tool_calls", "true"),
    ("previous_response_id", "null"),
    ("reasoning", r#"{"effort":"medium","summary":null}"#),
    ("service_tier", r#""default""#),
    ("store", "true"),
    ("temperature", "1.0"),
    ("text", r#"{"format":{"type":"text"},"verbosity":"medium"}"#),
    ("tool_choice", r#""auto""#),
    ("tools", "[]"),
    ("top_p", "1.0"),
    ("truncation", r#""disabled""#),
];
