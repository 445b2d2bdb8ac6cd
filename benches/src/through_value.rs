//! The same work as most gateways do it: parse into a tree, rebuild the tree, write it.
//!
//! Values are moved from the tree that was read into the tree that is written; nothing is copied that
//! need not be. Reasoning is left out, which makes less work than a translation has.

mod read;
mod write;

use serde_json::{Value, json};

/// Parse and write, nothing in between: the least that work through a tree can cost.
pub fn parse_and_write(body: &[u8]) -> Vec<u8> {
    serde_json::from_slice::<Value>(body)
        .and_then(|value| serde_json::to_vec(&value))
        .unwrap_or_default()
}

/// A request of one dialect as one of another: texts, calls, results, instructions and tools.
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

/// What was read, still in the pieces of its tree.
#[derive(Default)]
struct History {
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

/// The texts of a list of parts as one; a string is one already.
fn joined(mut content: Value) -> Value {
    if content.is_string() {
        return content;
    }
    let mut parts = items(&mut content);
    match &mut parts[..] {
        [only] => only["text"].take(),
        parts => parts.iter().filter_map(|part| part["text"].as_str()).collect::<String>().into(),
    }
}

/// Arguments that are spelled as a string, as a tree.
fn parsed(args: &Value) -> Value {
    args.as_str().and_then(|args| serde_json::from_str(args).ok()).unwrap_or_else(|| json!({}))
}
