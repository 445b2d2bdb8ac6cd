//! Replies of the Responses API: a list of items.

use interlingua_strict::openai_responses::Mint;
use serde_json::{Value, json};

use super::{NOW, Voice};
use crate::hear::Thinking;
use crate::turn::{Block, Call, Stop};

pub(super) fn whole(voice: &Voice<'_>) -> Value {
    finished(voice)
}

pub(super) fn kept(voice: &Voice<'_>) -> (String, Vec<Value>) {
    (id(voice), items(voice))
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
    let cut = voice.turn.stop == Stop::Length;
    let last = voice.turn.blocks.len().saturating_sub(1);
    let item = |(index, block): (usize, &Block)| {
        let status = if cut && index == last { "incomplete" } else { "completed" };
        match block {
            Block::Thinking(text) if voice.flavor == "llama.cpp" => open(voice, index, text),
            Block::Thinking(text) => {
                let shown = voice.heard.thinking == Thinking::Shown;
                reasoning(voice, index, if shown { text } else { "" })
            }
            Block::Redacted(_) => reasoning(voice, index, ""),
            Block::Text(text) => message(voice, index, text, status),
            Block::Summary(_) => summary(voice, index),
            Block::Call(call) => called(voice, index, call, status),
        }
    };
    voice.turn.blocks.iter().enumerate().map(item).collect()
}

/// Ids tie a reasoning item to the one after it.
fn item_id(voice: &Voice<'_>, prefix: &str, index: usize) -> String {
    let seed = |index: usize| voice.seed.id("item", index, 22);
    let is_reasoning = |index: usize| {
        let block = voice.turn.blocks.get(index);
        matches!(block, Some(Block::Thinking(_) | Block::Redacted(_)))
    };
    let tied = if is_reasoning(index) {
        Some(index + 1).filter(|next| *next < voice.turn.blocks.len())
    } else {
        index.checked_sub(1).filter(|before| is_reasoning(*before))
    };
    mint(voice).id(prefix, &seed(index), tied.map(seed).as_deref())
}

fn mint<'v>(voice: &Voice<'v>) -> Mint<'v> {
    Mint { key: voice.key, provider: voice.flavor, model: voice.model }
}

fn reasoning(voice: &Voice<'_>, index: usize, text: &str) -> Value {
    let summary = match text {
        "" => json!([]),
        text => json!([{"type": "summary_text", "text": text}]),
    };
    let id = item_id(voice, "rs", index);
    let mut item = json!({"id": id, "type": "reasoning", "summary": summary});
    item["encrypted_content"] = mint(voice).reasoning(&item).into();
    item
}

/// Reasoning in the open, as a model says it that has no secrets.
fn open(voice: &Voice<'_>, index: usize, text: &str) -> Value {
    let content = json!([{"type": "reasoning_text", "text": text}]);
    json!({
        "id": item_id(voice, "rs", index), "type": "reasoning", "summary": [],
        "content": content, "encrypted_content": "", "status": "completed",
    })
}

/// A summary that only the provider can read.
fn summary(voice: &Voice<'_>, index: usize) -> Value {
    let mut item = json!({"id": item_id(voice, "cmp", index), "type": "compaction"});
    item["encrypted_content"] = mint(voice).compaction(&item).into();
    item
}

fn message(voice: &Voice<'_>, index: usize, text: &str, status: &str) -> Value {
    let part = if voice.turn.stop == Stop::Refusal {
        json!({"type": "refusal", "refusal": text})
    } else {
        json!({"type": "output_text", "annotations": [], "logprobs": [], "text": text})
    };
    json!({
        "id": item_id(voice, "msg", index),
        "type": "message",
        "status": status,
        "content": [part],
        "role": "assistant",
    })
}

fn called(voice: &Voice<'_>, index: usize, call: &Call, status: &str) -> Value {
    let (kind, prefix, text) = if call.custom {
        ("custom_tool_call", "ctc", "input")
    } else {
        ("function_call", "fc", "arguments")
    };
    let mut item = json!({
        "id": item_id(voice, prefix, index),
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
