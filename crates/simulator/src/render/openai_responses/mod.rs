//! Encodes replies of the Responses API as a list of items.

pub(super) mod stream;

use interlingua_strict::openai_responses::Minter;
use serde_json::{Value, json};

use super::context::{FIXED_UNIX_TIME, RenderContext};
use crate::parse::ThinkingVisibility;
use crate::turn::{Block, Call, StopReason};

pub(super) fn body(cx: &RenderContext<'_>) -> Value {
    completed_response(cx)
}

pub(super) fn stored_items(cx: &RenderContext<'_>) -> (String, Vec<Value>) {
    (response_id(cx), output_items(cx))
}

/// The complete response.
pub(super) fn completed_response(cx: &RenderContext<'_>) -> Value {
    let cut = cx.turn.stop_reason == StopReason::MaxTokens;
    let mut reply = response_object(cx, if cut { "incomplete" } else { "completed" });
    if cut {
        reply["incomplete_details"] = json!({"reason": "max_output_tokens"});
    } else {
        reply["completed_at"] = (FIXED_UNIX_TIME + 1).into();
    }
    reply["output"] = output_items(cx).into();
    reply["usage"] = usage(cx);
    reply
}

/// The response object before its output: mostly echoed fields of the request.
pub(super) fn response_object(cx: &RenderContext<'_>, status: &str) -> Value {
    let mut reply = json!({
        "id": response_id(cx),
        "object": "response",
        "created_at": FIXED_UNIX_TIME,
        "status": status,
        "error": null,
        "incomplete_details": null,
        "model": cx.model,
        "output": [],
        "usage": null,
    });
    for (key, default) in ECHOED_FIELDS {
        let default = || serde_json::from_str(default).unwrap_or_default();
        reply[*key] = cx.body.get(*key).cloned().unwrap_or_else(default);
    }
    reply
}

fn response_id(cx: &RenderContext<'_>) -> String {
    cx.id_seed.id("resp_", 0, 48)
}

/// The complete output items.
pub(super) fn output_items(cx: &RenderContext<'_>) -> Vec<Value> {
    let cut = cx.turn.stop_reason == StopReason::MaxTokens;
    let last = cx.turn.blocks.len().saturating_sub(1);
    let item = |(index, block): (usize, &Block)| {
        let status = if cut && index == last { "incomplete" } else { "completed" };
        match block {
            Block::Thinking(text) if cx.flavor == "llama.cpp" => {
                plain_reasoning_item(cx, index, text)
            }
            Block::Thinking(text) => {
                let shown = cx.input.thinking == ThinkingVisibility::Shown;
                reasoning_item(cx, index, if shown { text } else { "" })
            }
            Block::Redacted(_) => reasoning_item(cx, index, ""),
            Block::Text(text) => message_item(cx, index, text, status),
            Block::Summary(_) => compaction_item(cx, index),
            Block::Call(call) => call_item(cx, index, call, status),
        }
    };
    cx.turn.blocks.iter().enumerate().map(item).collect()
}

/// The id of a reasoning item and the id of the item after it are tied.
fn item_id(cx: &RenderContext<'_>, prefix: &str, index: usize) -> String {
    let seed = |index: usize| cx.id_seed.id("item", index, 22);
    let is_reasoning = |index: usize| {
        let block = cx.turn.blocks.get(index);
        matches!(block, Some(Block::Thinking(_) | Block::Redacted(_)))
    };
    let tied_index = if is_reasoning(index) {
        Some(index + 1).filter(|next| *next < cx.turn.blocks.len())
    } else {
        index.checked_sub(1).filter(|before| is_reasoning(*before))
    };
    minter(cx).mint_id(prefix, &seed(index), tied_index.map(seed).as_deref())
}

fn minter<'v>(cx: &RenderContext<'v>) -> Minter<'v> {
    Minter { key: cx.seal_key, provider: cx.flavor, model: cx.model }
}

fn reasoning_item(cx: &RenderContext<'_>, index: usize, text: &str) -> Value {
    let summary = match text {
        "" => json!([]),
        text => json!([{"type": "summary_text", "text": text}]),
    };
    let id = item_id(cx, "rs", index);
    let mut item = json!({"id": id, "type": "reasoning", "summary": summary});
    item["encrypted_content"] = minter(cx).seal_reasoning(&item).into();
    item
}

/// Reasoning as plain text, as llama.cpp sends it.
fn plain_reasoning_item(cx: &RenderContext<'_>, index: usize, text: &str) -> Value {
    let content = json!([{"type": "reasoning_text", "text": text}]);
    json!({
        "id": item_id(cx, "rs", index), "type": "reasoning", "summary": [],
        "content": content, "encrypted_content": "", "status": "completed",
    })
}

/// A sealed summary.
fn compaction_item(cx: &RenderContext<'_>, index: usize) -> Value {
    let mut item = json!({"id": item_id(cx, "cmp", index), "type": "compaction"});
    item["encrypted_content"] = minter(cx).seal_compaction(&item).into();
    item
}

fn message_item(cx: &RenderContext<'_>, index: usize, text: &str, status: &str) -> Value {
    let part = if cx.turn.stop_reason == StopReason::Refusal {
        json!({"type": "refusal", "refusal": text})
    } else {
        json!({"type": "output_text", "annotations": [], "logprobs": [], "text": text})
    };
    json!({
        "id": item_id(cx, "msg", index),
        "type": "message",
        "status": status,
        "content": [part],
        "role": "assistant",
    })
}

fn call_item(cx: &RenderContext<'_>, index: usize, call: &Call, status: &str) -> Value {
    let (kind, prefix, text) = if call.is_custom {
        ("custom_tool_call", "ctc", "input")
    } else {
        ("function_call", "fc", "arguments")
    };
    let mut item = json!({
        "id": item_id(cx, prefix, index),
        "type": kind,
        "status": status,
    });
    item[text] = call.arguments.clone().into();
    let call_id = call.id.clone().unwrap_or_else(|| cx.id_seed.id("call_", index, 24));
    item["call_id"] = call_id.into();
    item["name"] = call.name.clone().into();
    if let Some(namespace) = &call.namespace {
        item["namespace"] = namespace.clone().into();
    }
    item
}

fn usage(cx: &RenderContext<'_>) -> Value {
    let usage = cx.turn.usage;
    let (input, output) = (cx.total_input_tokens(), cx.total_output_tokens());
    json!({
        "input_tokens": input,
        "input_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": 0},
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": usage.thinking},
        "total_tokens": input + output,
    })
}

/// Request fields that a response echoes, with their defaults as JSON.
const ECHOED_FIELDS: &[(&str, &str)] = &[
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
