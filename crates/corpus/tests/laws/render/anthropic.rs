//! Renders drafts as Messages API bodies.

use serde_json::{Value, json};

use crate::draft::{Call, ConversationDraft, Round, ToolStep, UserInput};

pub(super) fn body(draft: &ConversationDraft) -> Value {
    let tools = super::tools(
        |name, description| json!({"name": name, "description": description, "input_schema": super::schema()}),
    );
    let mut body = json!({
        "model": "m",
        "max_tokens": 1024,
        "tools": tools,
        "messages": super::concat(draft.rounds.iter().map(round)),
    });
    if !draft.system.is_empty() {
        body["system"] = draft.system.iter().map(|system_text| text_block(system_text)).collect();
    }
    body
}

fn round(round: &Round) -> Vec<Value> {
    let mut messages = vec![json!({
        "role": "user",
        "content": round.user.iter().map(user_block).collect::<Value>(),
    })];
    for step in &round.steps {
        messages.push(json!({"role": "assistant", "content": assistant(step)}));
        let results: Value = step.calls.iter().map(result).collect();
        messages.push(json!({"role": "user", "content": results}));
    }
    messages.push(json!({"role": "assistant", "content": round.answer}));
    messages
}

fn assistant(step: &ToolStep) -> Value {
    let thinking = step.thinking.iter().map(
        |thinking| json!({"type": "thinking", "thinking": thinking, "signature": "c2lnbmF0dXJl"}),
    );
    let calls = step.calls.iter().map(|call| {
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": super::args(call)})
    });
    thinking.chain(step.text.iter().map(|step_text| text_block(step_text))).chain(calls).collect()
}

fn result(call: &Call) -> Value {
    let mut content = vec![text_block(&call.result)];
    content.extend(call.image.as_ref().map(|data| image_block(data)));
    let mut result = json!({"type": "tool_result", "tool_use_id": call.id, "content": content});
    if call.is_error {
        result["is_error"] = true.into();
    }
    result
}

fn user_block(user_input: &UserInput) -> Value {
    match user_input {
        UserInput::Text(one) => text_block(one),
        UserInput::Image(data) => image_block(data),
    }
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn image_block(data: &str) -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}})
}
