//! Renders drafts as generateContent bodies.

use serde_json::{Value, json};

use crate::draft::{Call, ConversationDraft, Round, ToolStep, UserInput};

pub(super) fn body(draft: &ConversationDraft) -> Value {
    let tools = super::tools(
        |name, description| json!({"name": name, "description": description, "parametersJsonSchema": super::schema()}),
    );
    let mut body = json!({
        "contents": super::concat(draft.rounds.iter().map(round)),
        "generationConfig": {"maxOutputTokens": 1024},
        "tools": [{"functionDeclarations": tools}],
    });
    if !draft.system.is_empty() {
        let parts: Value = draft.system.iter().map(|text| json!({"text": text})).collect();
        body["systemInstruction"] = json!({"parts": parts});
    }
    body
}

fn round(round: &Round) -> Vec<Value> {
    let parts: Value = round.user.iter().map(user_part).collect();
    let mut contents = vec![json!({"role": "user", "parts": parts})];
    for step in &round.steps {
        contents.push(json!({"role": "model", "parts": assistant(step)}));
        let results: Value = step.calls.iter().map(result).collect();
        contents.push(json!({"role": "user", "parts": results}));
    }
    contents.push(json!({"role": "model", "parts": [{"text": round.answer}]}));
    contents
}

fn assistant(step: &ToolStep) -> Value {
    let thinking = step.thinking.iter().map(|text| json!({"text": text, "thought": true}));
    let text = step.text.iter().map(|text| json!({"text": text}));
    let calls = step.calls.iter().map(|call| {
        json!({"functionCall": {"id": call.id, "name": call.name, "args": super::args(call)}})
    });
    thinking.chain(text).chain(calls).collect()
}

fn result(call: &Call) -> Value {
    let key = if call.is_error { "error" } else { "output" };
    let response = json!({key: call.result});
    json!({"functionResponse": {"id": call.id, "name": call.name, "response": response}})
}

fn user_part(user_input: &UserInput) -> Value {
    match user_input {
        UserInput::Text(text) => json!({"text": text}),
        UserInput::Image(data) => json!({"inlineData": {"mimeType": "image/png", "data": data}}),
    }
}
