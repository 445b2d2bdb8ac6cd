//! Bodies in the Chat Completions format.

use serde_json::{Value, json};

use crate::script::{Round, Said, Script, Work};

pub(super) fn body(script: &Script) -> Value {
    let tools = super::tools(|name, about| {
        let function = json!({"name": name, "description": about, "parameters": super::schema()});
        json!({"type": "function", "function": function})
    });
    let system = script.system.iter().map(|one| json!({"role": "system", "content": one}));
    let messages = [system.collect()].into_iter().chain(script.rounds.iter().map(round));
    json!({
        "model": "m",
        "max_completion_tokens": 1024,
        "tools": tools,
        "messages": super::concat(messages),
    })
}

fn round(round: &Round) -> Vec<Value> {
    let mut messages = vec![json!({
        "role": "user",
        "content": round.user.iter().map(said).collect::<Value>(),
    })];
    for work in &round.work {
        messages.push(assistant(work));
        messages.extend(
            work.calls.iter().map(
                |call| json!({"role": "tool", "tool_call_id": call.id, "content": call.result}),
            ),
        );
    }
    messages.push(json!({"role": "assistant", "content": round.answer}));
    messages
}

fn assistant(work: &Work) -> Value {
    let calls = work.calls.iter().map(|call| {
        let function = json!({"name": call.name, "arguments": call.args});
        json!({"id": call.id, "type": "function", "function": function})
    });
    let mut message = json!({
        "role": "assistant",
        "content": work.text,
        "tool_calls": calls.collect::<Value>(),
    });
    if let Some(thinking) = &work.thinking {
        message["reasoning_content"] = thinking.as_str().into();
    }
    message
}

fn said(said: &Said) -> Value {
    match said {
        Said::Text(text) => json!({"type": "text", "text": text}),
        Said::Image(data) => {
            let url = format!("data:image/png;base64,{data}");
            json!({"type": "image_url", "image_url": {"url": url}})
        }
    }
}
