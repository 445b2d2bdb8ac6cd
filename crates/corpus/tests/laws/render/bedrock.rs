//! Bodies in the Converse format.

use serde_json::{Value, json};

use crate::script::{Call, Round, Said, Script, Work};

pub(super) fn body(script: &Script) -> Value {
    let tools = super::tools(|name, about| {
        let schema = json!({"json": super::schema()});
        json!({"toolSpec": {"name": name, "description": about, "inputSchema": schema}})
    });
    let mut body = json!({
        "messages": super::concat(script.rounds.iter().map(round)),
        "inferenceConfig": {"maxTokens": 1024},
        "toolConfig": {"tools": tools},
    });
    if !script.system.is_empty() {
        body["system"] = script.system.iter().map(|one| json!({"text": one})).collect();
    }
    body
}

fn round(round: &Round) -> Vec<Value> {
    let said: Value = round.user.iter().map(said).collect();
    let mut messages = vec![json!({"role": "user", "content": said})];
    for work in &round.work {
        messages.push(json!({"role": "assistant", "content": assistant(work)}));
        let results: Value = work.calls.iter().map(result).collect();
        messages.push(json!({"role": "user", "content": results}));
    }
    messages.push(json!({"role": "assistant", "content": [{"text": round.answer}]}));
    messages
}

fn assistant(work: &Work) -> Value {
    let thinking = work.thinking.iter().map(|text| {
        let text = json!({"text": text, "signature": "c2lnbmF0dXJl"});
        json!({"reasoningContent": {"reasoningText": text}})
    });
    let text = work.text.iter().map(|text| json!({"text": text}));
    let calls = work.calls.iter().map(|call| {
        let input = super::args(call);
        json!({"toolUse": {"toolUseId": call.id, "name": call.name, "input": input}})
    });
    thinking.chain(text).chain(calls).collect()
}

fn result(call: &Call) -> Value {
    let mut content = vec![json!({"text": call.result})];
    content.extend(call.image.as_ref().map(|data| image(data)));
    let status = if call.is_error { "error" } else { "success" };
    json!({"toolResult": {"toolUseId": call.id, "content": content, "status": status}})
}

fn said(said: &Said) -> Value {
    match said {
        Said::Text(text) => json!({"text": text}),
        Said::Image(data) => image(data),
    }
}

fn image(data: &str) -> Value {
    json!({"image": {"format": "png", "source": {"bytes": data}}})
}
