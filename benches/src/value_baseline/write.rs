//! Writes a `RequestTree` as the tree of each dialect.

use serde_json::{Value, json};

use super::tree::{Part, RequestTree, Tool};

pub(super) fn anthropic(history: RequestTree) -> Value {
    let part = |part: Part| match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Call { id, name, args } => {
            json!({"type": "tool_use", "id": id, "name": name, "input": args})
        }
        Part::Result { id, text, .. } => {
            json!({"type": "tool_result", "tool_use_id": id, "content": text})
        }
    };
    let texts = history.system.into_iter().map(|text| json!({"type": "text", "text": text}));
    let tools = history.tools.into_iter().map(|Tool { name, description, schema }| {
        json!({"name": name, "description": description, "input_schema": schema})
    });
    let messages = history.turns.into_iter().map(|turn| {
        let content: Vec<Value> = turn.parts.into_iter().map(part).collect();
        json!({"role": role(turn.assistant), "content": content})
    });
    json!({"model": history.model, "max_tokens": history.limit,
        "system": texts.collect::<Vec<_>>(), "tools": tools.collect::<Vec<_>>(),
        "messages": messages.collect::<Vec<_>>(), "stream": history.stream})
}

pub(super) fn chat(history: RequestTree) -> Value {
    let mut messages = Vec::with_capacity(history.turns.len() + 1);
    for text in history.system {
        messages.push(json!({"role": "system", "content": text}));
    }
    for turn in history.turns {
        let (mut content, mut calls) = (Value::Null, Vec::new());
        for part in turn.parts {
            match part {
                Part::Text(text) => content = text,
                Part::Call { id, name, args } => {
                    calls.push(json!({"id": id, "type": "function", "function":
                        {"name": name, "arguments": args.to_string()}}));
                }
                Part::Result { id, text, .. } => {
                    messages.push(json!({"role": "tool", "tool_call_id": id, "content": text}));
                }
            }
        }
        if !calls.is_empty() {
            messages.push(json!({"role": "assistant", "content": content, "tool_calls": calls}));
        } else if !content.is_null() {
            messages.push(json!({"role": role(turn.assistant), "content": content}));
        }
    }
    let tools = history.tools.into_iter().map(|Tool { name, description, schema }| {
        json!({"type": "function", "function":
            {"name": name, "description": description, "parameters": schema}})
    });
    json!({"model": history.model, "messages": messages, "tools": tools.collect::<Vec<_>>(),
        "max_completion_tokens": history.limit, "stream": history.stream})
}

pub(super) fn responses(history: RequestTree) -> Value {
    let item = |assistant: bool, part: Part| match part {
        Part::Text(text) => {
            let kind = if assistant { "output_text" } else { "input_text" };
            json!({"type": "message", "role": role(assistant),
                "content": [{"type": kind, "text": text}]})
        }
        Part::Call { id, name, args } => {
            json!({"type": "function_call", "call_id": id, "name": name,
                "arguments": args.to_string()})
        }
        Part::Result { id, text, .. } => {
            json!({"type": "function_call_output", "call_id": id, "output": text})
        }
    };
    let input = history.turns.into_iter().flat_map(|turn| {
        let assistant = turn.assistant;
        turn.parts.into_iter().map(move |part| item(assistant, part))
    });
    let tools = history.tools.into_iter().map(|Tool { name, description, schema }| {
        json!({"type": "function", "name": name, "description": description, "parameters": schema})
    });
    json!({"model": history.model, "instructions": history.system.into_iter().next(),
        "input": input.collect::<Vec<_>>(), "tools": tools.collect::<Vec<_>>(),
        "max_output_tokens": history.limit, "stream": history.stream})
}

pub(super) fn gemini(history: RequestTree) -> Value {
    // A Gemini result needs the name of the function; other dialects have only the call id.
    let mut last_name = Value::Null;
    let mut part = |part: Part| match part {
        Part::Text(text) => json!({"text": text}),
        Part::Call { id, name, args } => {
            last_name = name.clone();
            json!({"functionCall": {"id": id, "name": name, "args": args}})
        }
        Part::Result { id, name, text } => {
            let name = if name.is_null() { last_name.clone() } else { name };
            json!({"functionResponse": {"id": id, "name": name, "response": {"output": text}}})
        }
    };
    let mut contents = Vec::with_capacity(history.turns.len());
    for turn in history.turns {
        let parts: Vec<Value> = turn.parts.into_iter().map(&mut part).collect();
        contents
            .push(json!({"role": if turn.assistant { "model" } else { "user" }, "parts": parts}));
    }
    let texts = history.system.into_iter().map(|text| json!({"text": text}));
    let tools = history.tools.into_iter().map(|Tool { name, description, schema }| {
        json!({"name": name, "description": description, "parametersJsonSchema": schema})
    });
    json!({"systemInstruction": {"parts": texts.collect::<Vec<_>>()},
        "tools": [{"functionDeclarations": tools.collect::<Vec<_>>()}],
        "generationConfig": {"maxOutputTokens": history.limit}, "contents": contents})
}

pub(super) fn bedrock(history: RequestTree) -> Value {
    let part = |part: Part| match part {
        Part::Text(text) => json!({"text": text}),
        Part::Call { id, name, args } => {
            json!({"toolUse": {"toolUseId": id, "name": name, "input": args}})
        }
        Part::Result { id, text, .. } => {
            json!({"toolResult": {"toolUseId": id, "content": [{"text": text}]}})
        }
    };
    let messages = history.turns.into_iter().map(|turn| {
        let content: Vec<Value> = turn.parts.into_iter().map(part).collect();
        json!({"role": role(turn.assistant), "content": content})
    });
    let texts = history.system.into_iter().map(|text| json!({"text": text}));
    let tools = history.tools.into_iter().map(|Tool { name, description, schema }| {
        json!({"toolSpec":
            {"name": name, "description": description, "inputSchema": {"json": schema}}})
    });
    json!({"system": texts.collect::<Vec<_>>(), "messages": messages.collect::<Vec<_>>(),
        "toolConfig": {"tools": tools.collect::<Vec<_>>()},
        "inferenceConfig": {"maxTokens": history.limit}})
}

fn role(assistant: bool) -> &'static str {
    if assistant { "assistant" } else { "user" }
}
