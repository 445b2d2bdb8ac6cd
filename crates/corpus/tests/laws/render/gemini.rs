//! Bodies in the generateContent format.

use serde_json::{Value, json};

use crate::script::{Call, Round, Said, Script, Work};

pub(super) fn body(script: &Script) -> Value {
    let tools = super::tools(
        |name, about| json!({"name": name, "description": about, "parametersJsonSchema": super::schema()}),
    );
    let mut body = json!({
        "contents": super::concat(script.rounds.iter().map(round)),
        "generationConfig": {"maxOutputTokens": 1024},
        "tools": [{"functionDeclarations": tools}],
    });
    if !script.system.is_empty() {
        let parts: Value = script.system.iter().map(|one| json!({"text": one})).collect();
        body["systemInstruction"] = json!({"parts": parts});
    }
    body
}

fn round(round: &Round) -> Vec<Value> {
    let said: Value = round.user.iter().map(said).collect();
    let mut contents = vec![json!({"role": "user", "parts": said})];
    for work in &round.work {
        contents.push(json!({"role": "model", "parts": assistant(work)}));
        let results: Value = work.calls.iter().map(result).collect();
        contents.push(json!({"role": "user", "parts": results}));
    }
    contents.push(json!({"role": "model", "parts": [{"text": round.answer}]}));
    contents
}

fn assistant(work: &Work) -> Value {
    let thinking = work.thinking.iter().map(|text| json!({"text": text, "thought": true}));
    let text = work.text.iter().map(|text| json!({"text": text}));
    let calls = work.calls.iter().map(|call| {
        json!({"functionCall": {"id": call.id, "name": call.name, "args": super::args(call)}})
    });
    thinking.chain(text).chain(calls).collect()
}

fn result(call: &Call) -> Value {
    let key = if call.is_error { "error" } else { "output" };
    let response = json!({key: call.result});
    json!({"functionResponse": {"id": call.id, "name": call.name, "response": response}})
}

fn said(said: &Said) -> Value {
    match said {
        Said::Text(text) => json!({"text": text}),
        Said::Image(data) => json!({"inlineData": {"mimeType": "image/png", "data": data}}),
    }
}
