//! Renders drafts as Chat Completions bodies.

use serde_json::{Value, json};

use crate::draft::{ConversationDraft, Round, ToolStep, UserInput};

pub(super) fn body(draft: &ConversationDraft) -> Value {
    let tools = super::tools(|name, description| {
        let function =
            json!({"name": name, "description": description, "parameters": super::schema()});
        json!({"type": "function", "function": function})
    });
    let system = draft.system.iter().map(|text| json!({"role": "system", "content": text}));
    let messages = [system.collect()].into_iter().chain(draft.rounds.iter().map(round));
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
        "content": round.user.iter().map(user_part).collect::<Value>(),
    })];
    for step in &round.steps {
        messages.push(assistant(step));
        messages.extend(
            step.calls.iter().map(
                |call| json!({"role": "tool", "tool_call_id": call.id, "content": call.result}),
            ),
        );
    }
    messages.push(json!({"role": "assistant", "content": round.answer}));
    messages
}

fn assistant(step: &ToolStep) -> Value {
    let calls = step.calls.iter().map(|call| {
        let function = json!({"name": call.name, "arguments": call.args});
        json!({"id": call.id, "type": "function", "function": function})
    });
    let mut message = json!({
        "role": "assistant",
        "content": step.text,
        "tool_calls": calls.collect::<Value>(),
    });
    if let Some(thinking) = &step.thinking {
        message["reasoning_content"] = thinking.as_str().into();
    }
    message
}

fn user_part(user_input: &UserInput) -> Value {
    match user_input {
        UserInput::Text(text) => json!({"type": "text", "text": text}),
        UserInput::Image(data) => {
            let url = format!("data:image/png;base64,{data}");
            json!({"type": "image_url", "image_url": {"url": url}})
        }
    }
}
