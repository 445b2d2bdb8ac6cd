//! A table of the differences between the flavors of Chat Completions.

use interlingua_strict::openai_chat::{
    CallClaims, DetailClaims, Provider, ReplyFormat, provider_or_vendor,
};
use serde_json::{Value, json};

use crate::render::context::RenderContext;
use crate::turn::Call;

/// The location of reasoning in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReasoningPlacement {
    Never,
    /// A text in this field.
    Field(&'static str),
    /// A text in `reasoning`, and sealed `reasoning_details`.
    ReasoningDetails,
    /// A `thinking` part of the content.
    ContentPart,
}

pub(super) fn provider(cx: &RenderContext<'_>) -> &'static Provider {
    provider_or_vendor(cx.flavor)
}

pub(super) fn reply_format(cx: &RenderContext<'_>) -> &'static ReplyFormat {
    &provider(cx).replies
}

pub(super) fn reasoning_placement(cx: &RenderContext<'_>) -> ReasoningPlacement {
    match reply_format(cx).reasoning.as_deref() {
        None => ReasoningPlacement::Never,
        Some("details") => ReasoningPlacement::ReasoningDetails,
        Some("content-part") => ReasoningPlacement::ContentPart,
        Some(field) => ReasoningPlacement::Field(field),
    }
}

pub(super) fn call_id(cx: &RenderContext<'_>, at: usize, name: &str) -> String {
    let format = reply_format(cx);
    if format.numbered_call_ids {
        return format!("functions.{name}:{}", cx.input.call_count + at);
    }
    cx.id_seed.id(&format.call_id_prefix, at + 1, format.call_id_length)
}

/// Signs the first call, if the flavor signs calls.
pub(super) fn sign_calls(cx: &RenderContext<'_>, calls: &mut [Value]) {
    if !reply_format(cx).signs_calls || calls.is_empty() {
        return;
    }
    let signature = CallClaims::new(cx.model, calls, 0).seal(cx.seal_key);
    calls[0]["extra_content"] = json!({"google": {"thought_signature": signature}});
}

/// Repeats the usage in a field of the provider's own.
pub(super) fn extend_usage_chunk(cx: &RenderContext<'_>, chunk: &mut Value) {
    if let Some(field) = &reply_format(cx).usage_extension {
        let usage = chunk["usage"].clone();
        chunk[field.as_str()] = json!({"id": cx.id_seed.id("req_", 0, 26), "usage": usage});
    }
}

/// Adds the reasoning to a complete message.
pub(super) fn add_reasoning(cx: &RenderContext<'_>, thoughts: &str, message: &mut Value) {
    match reasoning_placement(cx) {
        ReasoningPlacement::Never => {}
        ReasoningPlacement::Field(key) => message[key] = thoughts.into(),
        ReasoningPlacement::ReasoningDetails => {
            message["reasoning"] = thoughts.into();
            message["reasoning_details"] = reasoning_details(cx, thoughts).into();
        }
        ReasoningPlacement::ContentPart => {
            let mut parts = vec![thinking_part(thoughts)];
            match message["content"].take() {
                Value::String(text) if !text.is_empty() => {
                    parts.push(json!({"type": "text", "text": text}));
                }
                _ => {}
            }
            message["content"] = parts.into();
        }
    }
}

/// The reasoning as deltas of a stream.
pub(super) fn reasoning_deltas(cx: &RenderContext<'_>, thoughts: &str) -> Vec<Value> {
    let pieces = cx.split(thoughts);
    match reasoning_placement(cx) {
        ReasoningPlacement::Never => Vec::new(),
        ReasoningPlacement::Field(key) => {
            let field_delta = |piece: &str| {
                let mut delta = json!({});
                delta[key] = piece.into();
                delta
            };
            pieces.into_iter().map(field_delta).collect()
        }
        ReasoningPlacement::ReasoningDetails => detail_deltas(cx, thoughts, &pieces),
        ReasoningPlacement::ContentPart => {
            pieces.into_iter().map(|piece| json!({"content": [thinking_part(piece)]})).collect()
        }
    }
}

fn thinking_part(thoughts: &str) -> Value {
    json!({"type": "thinking", "thinking": [{"type": "text", "text": thoughts}]})
}

/// The entries depend on the vendor of the model. Field order matters: it is the order in which a
/// client assembles an entry from the deltas, and the seal covers the encoded entry.
fn reasoning_details(cx: &RenderContext<'_>, thoughts: &str) -> Vec<Value> {
    let format = reasoning_format(cx);
    let readable = |kind: &str, key: &str| {
        let mut entry = json!({"type": kind, "index": 0});
        entry[key] = thoughts.into();
        entry["format"] = format.into();
        entry
    };
    let encrypted = |id: String| {
        let kind = "reasoning.encrypted";
        json!({"type": kind, "index": 1, "id": id, "format": format, "data": ""})
    };
    let mut details = match format {
        "openai-responses-v1" => {
            let id = cx.id_seed.id("rs_", 0, 48);
            vec![readable("reasoning.summary", "summary"), encrypted(id)]
        }
        "google-gemini-v1" => {
            let call = cx.turn.calls().next();
            let detail_id =
                |call: &Call| call.id.clone().unwrap_or_else(|| call_id(cx, 0, &call.name));
            let id = call.map_or_else(|| cx.id_seed.id("tool_", 0, 24), detail_id);
            vec![readable("reasoning.text", "text"), encrypted(id)]
        }
        _ => vec![readable("reasoning.text", "text")],
    };
    let last = details.len() - 1;
    let before = cx.body.get("messages").and_then(Value::as_array).map_or(0, Vec::len);
    let covers_prefix = cx.request.switches.prefix_binding == Some(true);
    let claims = DetailClaims::new(cx.model, &details, last, cx.body, before, covers_prefix);
    let key = if last == 0 { "signature" } else { "data" };
    details[last][key] = claims.seal(cx.seal_key).into();
    details
}

/// Splits the texts; all other fields are sent once, because clients concatenate the values.
fn detail_deltas(cx: &RenderContext<'_>, thoughts: &str, pieces: &[&str]) -> Vec<Value> {
    let mut deltas = Vec::new();
    for detail in reasoning_details(cx, thoughts) {
        let key = ["text", "summary"].into_iter().find(|key| detail.get(key).is_some());
        let Some(key) = key else {
            deltas.push(json!({"reasoning_details": [detail]}));
            continue;
        };
        for (at, piece) in pieces.iter().enumerate() {
            let mut delta = json!({"type": detail["type"], "index": detail["index"]});
            delta[key] = (*piece).into();
            if at == 0 {
                delta["format"] = detail["format"].clone();
            }
            deltas.push(json!({"reasoning": piece, "reasoning_details": [delta]}));
        }
        if let Some(signature) = detail.get("signature") {
            let mut delta = json!({"type": detail["type"], "index": detail["index"]});
            delta["signature"] = signature.clone();
            deltas.push(json!({"reasoning_details": [delta]}));
        }
    }
    deltas
}

/// The reasoning format of the model behind a relay.
fn reasoning_format(cx: &RenderContext<'_>) -> &'static str {
    let model = cx.model.to_ascii_lowercase();
    let row = REASONING_FORMATS.iter().find(|(part, _)| model.contains(part));
    row.map_or("unknown", |(_, format)| format)
}

const REASONING_FORMATS: &[(&str, &str)] = &[
    ("claude", "anthropic-claude-v1"),
    ("anthropic", "anthropic-claude-v1"),
    ("gemini", "google-gemini-v1"),
    ("google", "google-gemini-v1"),
    ("gpt", "openai-responses-v1"),
    ("openai", "openai-responses-v1"),
];
