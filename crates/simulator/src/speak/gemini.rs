//! Replies of the Gemini API: each event of a stream is a reply of its own.

use interlingua_strict::gemini::mint;
use serde_json::{Value, json};

use super::{Frame, Place, Voice, parsed};
use crate::hear::Thinking;
use crate::turn::{Block, Stop};

pub(super) fn whole(voice: &Voice<'_>) -> Value {
    let mut reply = reply(voice, parts(voice));
    finish(voice, &mut reply);
    reply
}

pub(super) fn stream(voice: &Voice<'_>) -> Vec<Frame> {
    let mut replies: Vec<Value> = Vec::new();
    for part in parts(voice) {
        let text = part.get("text").and_then(Value::as_str).map(str::to_owned);
        let Some(text) = text else {
            replies.push(reply(voice, vec![part]));
            continue;
        };
        for piece in voice.pieces(&text) {
            let mut one = part.clone();
            one["text"] = piece.into();
            if let Some(one) = one.as_object_mut() {
                one.shift_remove("thoughtSignature");
            }
            replies.push(reply(voice, vec![one]));
        }
        // The signature of a text comes in a part of its own, after it.
        if let Some(signature) = part.get("thoughtSignature") {
            replies.push(reply(voice, vec![json!({"text": "", "thoughtSignature": signature})]));
        }
    }
    if replies.is_empty() {
        replies.push(reply(voice, Vec::new()));
    }
    if let Some(last) = replies.last_mut() {
        finish(voice, last);
    }
    let last = replies.len() - 1;
    let mut frames: Vec<Frame> = Vec::new();
    for (at, reply) in replies.iter().enumerate() {
        let place = match at {
            at if at == last => Place::Finish,
            0 => Place::Start,
            _ => Place::Content,
        };
        frames.push(match (voice.array, at) {
            (false, _) => Frame::new(format!("data: {reply}\r\n\r\n"), place),
            (true, 0) => Frame::new(format!("[{reply}"), place),
            (true, _) => Frame::new(format!(",\r\n{reply}"), place),
        });
    }
    if voice.array {
        frames.push(Frame::new("]", Place::End));
    }
    frames
}

fn reply(voice: &Voice<'_>, parts: Vec<Value>) -> Value {
    let mut content = json!({"role": "model"});
    if !parts.is_empty() {
        content["parts"] = parts.into();
    }
    json!({
        "candidates": [{"content": content, "index": 0}],
        "usageMetadata": usage(voice),
        "modelVersion": voice.model,
        "responseId": voice.seed.id("", 0, 22),
    })
}

fn finish(voice: &Voice<'_>, reply: &mut Value) {
    let candidate = &mut reply["candidates"][0];
    candidate["finishReason"] = reason(voice).into();
    if voice.turn.stop == Stop::Refusal {
        candidate["content"] = json!({});
    } else if is_malformed(voice) {
        candidate["finishMessage"] = "Malformed function call".into();
    }
}

/// One part is signed.
fn parts(voice: &Voice<'_>) -> Vec<Value> {
    if voice.turn.stop == Stop::Refusal || is_malformed(voice) {
        return Vec::new();
    }
    let mut parts: Vec<Value> = Vec::new();
    for (index, block) in voice.turn.blocks.iter().enumerate() {
        match block {
            Block::Thinking(text) if voice.heard.thinking == Thinking::Shown => {
                parts.push(json!({"text": text, "thought": true}));
            }
            Block::Thinking(_) | Block::Redacted(_) => {}
            Block::Text(text) | Block::Summary(text) => parts.push(json!({"text": text})),
            Block::Call(call) => {
                let id = call.id.clone().unwrap_or_else(|| voice.seed.id("", index + 1, 8));
                let args = parsed(&call.arguments);
                parts.push(json!({"functionCall": {"name": call.name, "args": args, "id": id}}));
            }
        }
    }
    if voice.heard.thinking != Thinking::Off {
        sign(voice, &mut parts);
    }
    parts
}

fn sign(voice: &Voice<'_>, parts: &mut [Value]) {
    let Some(at) = mint::signed_part(voice.model, parts) else { return };
    let signature = mint::sign(voice.key, voice.flavor, voice.model, parts, at);
    parts[at]["thoughtSignature"] = signature.into();
}

/// The API never gives out a call whose arguments are no object.
fn is_malformed(voice: &Voice<'_>) -> bool {
    voice.turn.stop != Stop::Length
        && voice.turn.calls().any(|call| !parsed(&call.arguments).is_object())
}

fn reason(voice: &Voice<'_>) -> &'static str {
    match voice.turn.stop {
        _ if is_malformed(voice) => "MALFORMED_FUNCTION_CALL",
        Stop::End | Stop::Calls | Stop::Sequence => "STOP",
        Stop::Length => "MAX_TOKENS",
        Stop::Refusal => "PROHIBITED_CONTENT",
    }
}

fn usage(voice: &Voice<'_>) -> Value {
    let usage = voice.turn.usage;
    let input = voice.all_input();
    let mut spelled = json!({
        "promptTokenCount": input,
        "candidatesTokenCount": usage.output,
        "totalTokenCount": input + voice.all_output(),
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": input}],
    });
    if usage.cached > 0 {
        spelled["cachedContentTokenCount"] = usage.cached.into();
    }
    if usage.thinking > 0 {
        spelled["thoughtsTokenCount"] = usage.thinking.into();
    }
    spelled
}
