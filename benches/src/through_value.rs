//! The same work as most gateways do it: parse into a tree, rebuild the tree, write it.

use serde_json::{Map, Value, json};

/// Parse and write, nothing in between: the least that work through a tree can cost.
pub fn parse_and_write(body: &[u8]) -> Vec<u8> {
    serde_json::from_slice::<Value>(body)
        .and_then(|value| serde_json::to_vec(&value))
        .unwrap_or_default()
}

/// Messages to Chat, with text, thinking (left out), calls, results, system and tools.
pub fn anthropic_to_chat(body: &[u8]) -> Vec<u8> {
    let Ok(Value::Object(mut body)) = serde_json::from_slice(body) else { return Vec::new() };
    let mut messages = Vec::new();
    for block in array(body.remove("system")) {
        messages.push(json!({"role": "system", "content": block["text"]}));
    }
    for message in array(body.remove("messages")) {
        chat_messages(message, &mut messages);
    }
    let tools = array(body.remove("tools")).into_iter().map(|mut tool| {
        json!({"type": "function", "function": {"name": tool["name"].take(),
            "description": tool["description"].take(), "parameters": tool["input_schema"].take()}})
    });
    let out = json!({"model": body.remove("model"), "messages": messages,
        "tools": tools.collect::<Vec<_>>(), "max_completion_tokens": body.remove("max_tokens"),
        "stream": body.remove("stream")});
    serde_json::to_vec(&out).unwrap_or_default()
}

fn chat_messages(mut message: Value, messages: &mut Vec<Value>) {
    let role = message["role"].take();
    let content = message["content"].take();
    if content.is_string() {
        messages.push(json!({"role": role, "content": content}));
        return;
    }
    let (mut text, mut calls) = (String::new(), Vec::new());
    for mut block in array(Some(content)) {
        match block["type"].as_str() {
            Some("text") => text.push_str(block["text"].as_str().unwrap_or_default()),
            Some("tool_use") => calls.push(json!({"id": block["id"].take(), "type": "function",
                "function": {"name": block["name"].take(), "arguments": block["input"].to_string()}})),
            Some("tool_result") => {
                let parts = array(Some(block["content"].take()));
                let content: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
                messages.push(json!({"role": "tool", "tool_call_id": block["tool_use_id"].take(), "content": content}));
            }
            _ => {}
        }
    }
    if !text.is_empty() || !calls.is_empty() {
        let mut out = Map::new();
        out.insert("role".to_owned(), role);
        out.insert("content".to_owned(), text.into());
        if !calls.is_empty() {
            out.insert("tool_calls".to_owned(), calls.into());
        }
        messages.push(out.into());
    }
}

/// Chat to Messages, with text, calls, results, system and tools.
pub fn chat_to_anthropic(body: &[u8]) -> Vec<u8> {
    let Ok(Value::Object(mut body)) = serde_json::from_slice(body) else { return Vec::new() };
    let (mut system, mut messages) = (Vec::new(), Vec::new());
    for mut message in array(body.remove("messages")) {
        let content = message["content"].take();
        match message["role"].as_str() {
            Some("system") => system.push(json!({"type": "text", "text": content})),
            Some("tool") => messages
                .push(json!({"role": "user", "content": [{"type": "tool_result",
                "tool_use_id": message["tool_call_id"].take(), "content": content}]})),
            Some("assistant") => {
                let mut blocks = vec![json!({"type": "text", "text": content})];
                for mut call in array(message.get_mut("tool_calls").map(Value::take)) {
                    let input: Value = serde_json::from_str(
                        call["function"]["arguments"].as_str().unwrap_or_default(),
                    )
                    .unwrap_or_default();
                    blocks.push(json!({"type": "tool_use", "id": call["id"].take(),
                        "name": call["function"]["name"].take(), "input": input}));
                }
                messages.push(json!({"role": "assistant", "content": blocks}));
            }
            _ => messages.push(json!({"role": "user", "content": content})),
        }
    }
    let tools = array(body.remove("tools")).into_iter().map(|mut tool| {
        json!({"name": tool["function"]["name"].take(), "description": tool["function"]["description"].take(),
            "input_schema": tool["function"]["parameters"].take()})
    });
    let out = json!({"model": body.remove("model"), "system": system, "messages": messages,
        "tools": tools.collect::<Vec<_>>(), "max_tokens": body.remove("max_completion_tokens"),
        "stream": body.remove("stream")});
    serde_json::to_vec(&out).unwrap_or_default()
}

fn array(value: Option<Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}
