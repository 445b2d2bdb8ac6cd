//! Bodies in the native form.

use serde_json::{Value, json};

use crate::script::{Call, Round, Said, Script, Work};

pub(super) fn body(script: &Script) -> Value {
    let tools = super::tools(
        |name, about| json!({"name": name, "description": about, "schema": super::schema()}),
    );
    json!({
        "interlingua": 1,
        "model": "m",
        "system": script.system.iter().map(|one| json!({"text": one})).collect::<Value>(),
        "turns": super::concat(script.rounds.iter().map(round)),
        "tools": tools,
        "settings": {"max_tokens": 1024},
    })
}

fn round(round: &Round) -> Vec<Value> {
    let said: Value = round.user.iter().map(said).collect();
    let mut turns = vec![json!({"role": "user", "blocks": said})];
    for work in &round.work {
        turns.push(json!({"role": "assistant", "blocks": assistant(work)}));
        let results: Value = work.calls.iter().map(result).collect();
        turns.push(json!({"role": "user", "blocks": results}));
    }
    turns.push(json!({"role": "assistant", "blocks": [{"text": round.answer}]}));
    turns
}

fn assistant(work: &Work) -> Value {
    let thinking = work.thinking.iter().map(|text| json!({"thinking": text}));
    let text = work.text.iter().map(|text| json!({"text": text}));
    let calls = work
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

fn said(said: &Said) -> Value {
    match said {
        Said::Text(text) => json!({"text": text}),
        Said::Image(data) => image(data),
    }
}

fn image(data: &str) -> Value {
    json!({"image": {"base64": data, "mime": "image/png"}})
}
