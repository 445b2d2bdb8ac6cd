//! Renders drafts as Responses API bodies.

use serde_json::{Value, json};

use crate::draft::{Call, ConversationDraft, Round, ToolStep, UserInput};

pub(super) fn body(draft: &ConversationDraft) -> Value {
    let tools = super::tools(|name, description| {
        let parameters = super::schema();
        json!({"type": "function", "name": name, "description": description, "parameters": parameters})
    });
    let mut system = draft.system.iter();
    let mut body = json!({"model": "m", "max_output_tokens": 1024, "store": false, "tools": tools});
    if let Some(instructions) = system.next() {
        body["instructions"] = instructions.as_str().into();
    }
    let developer = system
        .map(|text| json!({"type": "message", "role": "developer", "content": [input_text(text)]}));
    let items = [developer.collect()].into_iter().chain(draft.rounds.iter().map(round));
    body["input"] = super::concat(items);
    body
}

fn round(round: &Round) -> Vec<Value> {
    let content: Value = round.user.iter().map(user_part).collect();
    let mut items = vec![json!({"type": "message", "role": "user", "content": content})];
    for step in &round.steps {
        items.extend(assistant(step));
        items.extend(step.calls.iter().map(result));
    }
    items.push(message(&round.answer));
    items
}

fn assistant(step: &ToolStep) -> Vec<Value> {
    let mut items = Vec::new();
    if let (Some(thinking), Some(call)) = (&step.thinking, step.calls.first()) {
        items.push(json!({
            "type": "reasoning",
            "id": format!("rs_{}", call.id),
            "summary": [{"type": "summary_text", "text": thinking}],
            "encrypted_content": "c2VhbGVk",
        }));
    }
    items.extend(step.text.iter().map(|text| message(text)));
    items.extend(step.calls.iter().map(|call| {
        let Call { id, name, args, .. } = call;
        json!({"type": "function_call", "call_id": id, "name": name, "arguments": args})
    }));
    items
}

fn result(call: &Call) -> Value {
    let output = match &call.image {
        None => Value::from(call.result.as_str()),
        Some(data) => json!([input_text(&call.result), image(data)]),
    };
    json!({"type": "function_call_output", "call_id": call.id, "output": output})
}

fn message(text: &str) -> Value {
    let text = json!({"type": "output_text", "text": text, "annotations": []});
    json!({"type": "message", "role": "assistant", "content": [text]})
}

fn user_part(user_input: &UserInput) -> Value {
    match user_input {
        UserInput::Text(text) => input_text(text),
        UserInput::Image(data) => image(data),
    }
}

fn input_text(text: &str) -> Value {
    json!({"type": "input_text", "text": text})
}

fn image(data: &str) -> Value {
    json!({"type": "input_image", "image_url": format!("data:image/png;base64,{data}")})
}
