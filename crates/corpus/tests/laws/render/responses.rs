//! Bodies in the Responses format.

use serde_json::{Value, json};

use crate::script::{Call, Round, Said, Script, Work};

pub(super) fn body(script: &Script) -> Value {
    let tools = super::tools(|name, about| {
        let parameters = super::schema();
        json!({"type": "function", "name": name, "description": about, "parameters": parameters})
    });
    let mut system = script.system.iter();
    let mut body = json!({"model": "m", "max_output_tokens": 1024, "store": false, "tools": tools});
    if let Some(instructions) = system.next() {
        body["instructions"] = instructions.as_str().into();
    }
    let developer = system
        .map(|one| json!({"type": "message", "role": "developer", "content": [input_text(one)]}));
    let items = [developer.collect()].into_iter().chain(script.rounds.iter().map(round));
    body["input"] = super::concat(items);
    body
}

fn round(round: &Round) -> Vec<Value> {
    let said: Value = round.user.iter().map(said).collect();
    let mut items = vec![json!({"type": "message", "role": "user", "content": said})];
    for work in &round.work {
        items.extend(assistant(work));
        items.extend(work.calls.iter().map(result));
    }
    items.push(message(&round.answer));
    items
}

fn assistant(work: &Work) -> Vec<Value> {
    let mut items = Vec::new();
    if let (Some(thinking), Some(call)) = (&work.thinking, work.calls.first()) {
        items.push(json!({
            "type": "reasoning",
            "id": format!("rs_{}", call.id),
            "summary": [{"type": "summary_text", "text": thinking}],
            "encrypted_content": "c2VhbGVk",
        }));
    }
    items.extend(work.text.iter().map(|text| message(text)));
    items.extend(work.calls.iter().map(|call| {
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

fn said(said: &Said) -> Value {
    match said {
        Said::Text(text) => input_text(text),
        Said::Image(data) => image(data),
    }
}

fn input_text(text: &str) -> Value {
    json!({"type": "input_text", "text": text})
}

fn image(data: &str) -> Value {
    json!({"type": "input_image", "image_url": format!("data:image/png;base64,{data}")})
}
