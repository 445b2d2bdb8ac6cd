//! Renders drafts as Converse bodies.

use serde_json::{Value, json};

use crate::draft::{Call, ConversationDraft, Round, ToolStep, UserInput};

pub(super) fn body(draft: &ConversationDraft) -> Value {
    let tools = super::tools(|name, description| {
        let schema = json!({"json": super::schema()});
        json!({"toolSpec": {"name": name, "description": description, "inputSchema": schema}})
    });
    let mut body = json!({
        "messages": super::concat(draft.rounds.iter().map(round)),
        "inferenceConfig": {"maxTokens": 1024},
        "toolConfig": {"tools": tools},
    });
    if !draft.system.is_empty() {
        body["system"] = draft.system.iter().map(|text| json!({"text": text})).collect();
    }
    body
}

fn round(round: &Round) -> Vec<Value> {
    let content: Value = round.user.iter().map(user_block).collect();
    let mut messages = vec![json!({"role": "user", "content": content})];
    for step in &round.steps {
        messages.push(json!({"role": "assistant", "content": assistant(step)}));
        let results: Value = step.calls.iter().map(result).collect();
        messages.push(json!({"role": "user", "content": results}));
    }
    messages.push(json!({"role": "assistant", "content": [{"text": round.answer}]}));
    messages
}

fn assistant(step: &ToolStep) -> Value {
    let thinking = step.thinking.iter().map(|text| {
        let text = json!({"text": text, "signature": "c2lnbmF0dXJl"});
        json!({"reasoningContent": {"reasoningText": text}})
    });
    let text = step.text.iter().map(|text| json!({"text": text}));
    let calls = step.calls.iter().map(|call| {
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

fn user_block(user_input: &UserInput) -> Value {
    match user_input {
        UserInput::Text(text) => json!({"text": text}),
        UserInput::Image(data) => image(data),
    }
}

fn image(data: &str) -> Value {
    json!({"image": {"format": "png", "source": {"bytes": data}}})
}
