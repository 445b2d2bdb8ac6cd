//! Encodes replies of the Gemini API; each event of a stream is a complete reply object.

use interlingua_strict::gemini::mint;
use serde_json::{Value, json};

use super::context::{Frame, FrameRole, RenderContext, parse_arguments};
use crate::parse::ThinkingVisibility;
use crate::turn::{Block, StopReason};

pub(super) fn body(cx: &RenderContext<'_>) -> Value {
    let mut reply = reply(cx, parts(cx));
    add_finish_reason(cx, &mut reply);
    reply
}

pub(super) fn frames(cx: &RenderContext<'_>) -> Vec<Frame> {
    let mut replies: Vec<Value> = Vec::new();
    for part in parts(cx) {
        let text = part.get("text").and_then(Value::as_str).map(str::to_owned);
        let Some(text) = text else {
            replies.push(reply(cx, vec![part]));
            continue;
        };
        for piece in cx.split(&text) {
            let mut piece_part = part.clone();
            piece_part["text"] = piece.into();
            if let Some(object) = piece_part.as_object_mut() {
                object.shift_remove("thoughtSignature");
            }
            replies.push(reply(cx, vec![piece_part]));
        }
        // The signature of a text follows in a separate part.
        if let Some(signature) = part.get("thoughtSignature") {
            replies.push(reply(cx, vec![json!({"text": "", "thoughtSignature": signature})]));
        }
    }
    if replies.is_empty() {
        replies.push(reply(cx, Vec::new()));
    }
    if let Some(last) = replies.last_mut() {
        add_finish_reason(cx, last);
    }
    let last = replies.len() - 1;
    let mut frames: Vec<Frame> = Vec::new();
    for (at, reply) in replies.iter().enumerate() {
        let role = match at {
            at if at == last => FrameRole::Finish,
            0 => FrameRole::Start,
            _ => FrameRole::Content,
        };
        frames.push(match (cx.as_array, at) {
            (false, _) => Frame::new(format!("data: {reply}\r\n\r\n"), role),
            (true, 0) => Frame::new(format!("[{reply}"), role),
            (true, _) => Frame::new(format!(",\r\n{reply}"), role),
        });
    }
    if cx.as_array {
        frames.push(Frame::new("]", FrameRole::End));
    }
    frames
}

fn reply(cx: &RenderContext<'_>, parts: Vec<Value>) -> Value {
    let mut content = json!({"role": "model"});
    if !parts.is_empty() {
        content["parts"] = parts.into();
    }
    json!({
        "candidates": [{"content": content, "index": 0}],
        "usageMetadata": usage(cx),
        "modelVersion": cx.model,
        "responseId": cx.id_seed.id("", 0, 22),
    })
}

fn add_finish_reason(cx: &RenderContext<'_>, reply: &mut Value) {
    let candidate = &mut reply["candidates"][0];
    candidate["finishReason"] = finish_reason(cx).into();
    if cx.turn.stop_reason == StopReason::Refusal {
        candidate["content"] = json!({});
    } else if has_malformed_call(cx) {
        candidate["finishMessage"] = "Malformed function call".into();
    }
}

/// Encodes the blocks as parts; one part gets a signature.
fn parts(cx: &RenderContext<'_>) -> Vec<Value> {
    if cx.turn.stop_reason == StopReason::Refusal || has_malformed_call(cx) {
        return Vec::new();
    }
    let mut parts: Vec<Value> = Vec::new();
    for (index, block) in cx.turn.blocks.iter().enumerate() {
        match block {
            Block::Thinking(text) if cx.input.thinking == ThinkingVisibility::Shown => {
                parts.push(json!({"text": text, "thought": true}));
            }
            Block::Thinking(_) | Block::Redacted(_) => {}
            Block::Text(text) | Block::Summary(text) => parts.push(json!({"text": text})),
            Block::Call(call) => {
                let id = call.id.clone().unwrap_or_else(|| cx.id_seed.id("", index + 1, 8));
                let args = parse_arguments(&call.arguments);
                parts.push(json!({"functionCall": {"name": call.name, "args": args, "id": id}}));
            }
        }
    }
    if cx.input.thinking != ThinkingVisibility::Off {
        sign_parts(cx, &mut parts);
    }
    parts
}

fn sign_parts(cx: &RenderContext<'_>, parts: &mut [Value]) {
    let Some(at) = mint::signed_part_index(cx.model, parts) else { return };
    let signature = mint::sign_part(cx.seal_key, cx.flavor, cx.model, parts, at);
    parts[at]["thoughtSignature"] = signature.into();
}

/// Gemini reports a call as malformed if its arguments are not an object.
fn has_malformed_call(cx: &RenderContext<'_>) -> bool {
    cx.turn.stop_reason != StopReason::MaxTokens
        && cx.turn.calls().any(|call| !parse_arguments(&call.arguments).is_object())
}

fn finish_reason(cx: &RenderContext<'_>) -> &'static str {
    match cx.turn.stop_reason {
        _ if has_malformed_call(cx) => "MALFORMED_FUNCTION_CALL",
        StopReason::End | StopReason::ToolCalls | StopReason::StopSequence => "STOP",
        StopReason::MaxTokens => "MAX_TOKENS",
        StopReason::Refusal => "PROHIBITED_CONTENT",
    }
}

fn usage(cx: &RenderContext<'_>) -> Value {
    let usage = cx.turn.usage;
    let input = cx.total_input_tokens();
    let mut encoded = json!({
        "promptTokenCount": input,
        "candidatesTokenCount": usage.output,
        "totalTokenCount": input + cx.total_output_tokens(),
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": input}],
    });
    if usage.cached > 0 {
        encoded["cachedContentTokenCount"] = usage.cached.into();
    }
    if usage.thinking > 0 {
        encoded["thoughtsTokenCount"] = usage.thinking.into();
    }
    encoded
}
