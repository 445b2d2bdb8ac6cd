//! The baseline for requests: parse into a `Value`, convert the tree, write it.
//!
//! Values are moved from the parsed tree into the written one, without avoidable copies. Reasoning
//! is dropped, which is less work than a translation.

mod read;
mod write;

use serde_json::{Value, json};

/// Parses and writes a body: the minimum cost of work through a tree.
pub fn parse_and_write(body: &[u8]) -> Vec<u8> {
    serde_json::from_slice::<Value>(body)
        .and_then(|value| serde_json::to_vec(&value))
        .unwrap_or_default()
}

/// Converts a request between dialects: texts, calls, results, instructions and tools.
pub fn convert(from: &str, to: &str, body: &[u8]) -> Vec<u8> {
    let Ok(mut body) = serde_json::from_slice::<Value>(body) else { return Vec::new() };
    let history = match from {
        "anthropic" => read::anthropic(&mut body),
        "openai-chat" => read::chat(&mut body),
        "openai-responses" => read::responses(&mut body),
        "gemini" => read::gemini(&mut body),
        _ => read::bedrock(&mut body),
    };
    let body = match to {
        "anthropic" => write::anthropic(history),
        "openai-chat" => write::chat(history),
        "openai-responses" => write::responses(history),
        "gemini" => write::gemini(history),
        _ => write::bedrock(history),
    };
    serde_json::to_vec(&body).unwrap_or_default()
}

/// A parsed request, with the values of its tree.
#[derive(Default)]
struct RequestTree {
    model: Value,
    system: Vec<Value>,
    turns: Vec<Turn>,
    tools: Vec<Tool>,
    limit: Value,
    stream: Value,
}

struct Turn {
    assistant: bool,
    parts: Vec<Part>,
}

enum Part {
    Text(Value),
    Call { id: Value, name: Value, args: Value },
    Result { id: Value, name: Value, text: Value },
}

struct Tool {
    name: Value,
    description: Value,
    schema: Value,
}

fn items(list: &mut Value) -> Vec<Value> {
    match list.take() {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}

/// Joins the texts of a list of parts; a string stays.
fn join_texts(mut content: Value) -> Value {
    if content.is_string() {
        return content;
    }
    let mut parts = items(&mut content);
    match &mut parts[..] {
        [part] => part["text"].take(),
        parts => parts.iter().filter_map(|part| part["text"].as_str()).collect::<String>().into(),
    }
}

/// Parses arguments in a string.
fn parse_args(args: &Value) -> Value {
    args.as_str().and_then(|args| serde_json::from_str(args).ok()).unwrap_or_else(|| json!({}))
}
