//! Renders drafts as native bodies.

use serde_json::{Value, json};

use crate::draft::{Call, ConversationDraft, Round, ToolStep, UserInput};

pub(super) fn body(draft: &ConversationDraft) -> Value {
    let tools = super::tools(
        |name, description| json!({"name": name, "description": description, "schema": super::schema()}),
    );
    json!({
        "interlingua": 1,
        "model": "m",
        "system": draft.system.iter().map(|one| json!({"text": one})).collect::<Value>(),
        "turns": super::concat(draft.rounds.iter().map(round)),
        "tools": tools,
        "settings": {"max_tokens": 1024},
    })
}

fn round(round: &Round) -> Vec<Value> {
    let blocks: Value = round.user.iter().map(user_block).collect();
    let mut turns = vec![json!({"role": "user", "blocks": blocks})];
    for step in &round.steps {
        turns.push(json!({"role": "assistant", "blocks": assistant(step)}));
        let results: Value = step.calls.iter().map(result).collect();
        turns.push(json!({"role": "user", "blocks": results}));
    }
    turns.push(json!({"role": "assistant", "blocks": [{"text": round.answer}]}));
    turns
}

fn assistant(step: &ToolStep) -> Value {
    let thinking = step.thinking.iter().map(|text| json!({"thinking": text}));
    let text = step.text.iter().map(|text| json!({"text": text}));
    let calls = step
        .calls
        .iter()
        .map(|call| json!({"call": {"id": call.id, "name": call.name, "args": super::args(call)}}));
    thinking.chain(text).chain(calls).collect()
}

fn result(call: &Call) -> Value {
    let mut content = vec![json!({"text": call.result})];
    content.extend(call.image.as_ref().map(|data| image(data)));
    let mut result = json!({"call": call.id, "name": call.name, "content": content});
    if call.is_error {
        result["is_error"] = true.into();
    }
    json!({"result": result})
}

fn user_block(user_input: &UserInput) -> Value {
    match user_input {
        UserInput::Text(text) => json!({"text": text}),
        UserInput::Image(data) => image(data),
    }
}

fn image(data: &str) -> Value {
    json!({"image": {"base64": data, "mime": "image/png"}})
}
