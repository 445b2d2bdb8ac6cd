//! Bodies in the Messages format.

use serde_json::{Value, json};

use crate::script::{Call, Round, Said, Script, Work};

pub(super) fn body(script: &Script) -> Value {
    let tools = super::tools(
        |name, about| json!({"name": name, "description": about, "input_schema": super::schema()}),
    );
    let mut body = json!({
        "model": "m",
        "max_tokens": 1024,
        "tools": tools,
        "messages": super::concat(script.rounds.iter().map(round)),
    });
    if !script.system.is_empty() {
        body["system"] = script.system.iter().map(|one| text(one)).collect();
    }
    body
}

fn round(round: &Round) -> Vec<Value> {
    let mut messages = vec![json!({
        "role": "user",
        "content": round.user.iter().map(said).collect::<Value>(),
    })];
    for work in &round.work {
        messages.push(json!({"role": "assistant", "content": assistant(work)}));
        let results: Value = work.calls.iter().map(result).collect();
        messages.push(json!({"role": "user", "content": results}));
    }
    messages.push(json!({"role": "assistant", "content": round.answer}));
    messages
}

fn assistant(work: &Work) -> Value {
    let thinking = work.thinking.iter().map(
        |thinking| json!({"type": "thinking", "thinking": thinking, "signature": "c2lnbmF0dXJl"}),
    );
    let calls = work.calls.iter().map(|call| {
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": super::args(call)})
    });
    thinking.chain(work.text.iter().map(|one| text(one))).chain(calls).collect()
}

fn result(call: &Call) -> Value {
    let mut content = vec![text(&call.result)];
    content.extend(call.image.as_ref().map(|data| image(data)));
    let mut result = json!({"type": "tool_result", "tool_use_id": call.id, "content": content});
    if call.is_error {
        result["is_error"] = true.into();
    }
    result
}

fn said(said: &Said) -> Value {
    match said {
        Said::Text(one) => text(one),
        Said::Image(data) => image(data),
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn image(data: &str) -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}})
}
