//! A parsed request, with the values of its tree.

use serde_json::{Value, json};

/// A parsed request, with the values of its tree.
#[derive(Default)]
pub(super) struct RequestTree {
    pub(super) model: Value,
    pub(super) system: Vec<Value>,
    pub(super) turns: Vec<Turn>,
    pub(super) tools: Vec<Tool>,
    pub(super) limit: Value,
    pub(super) stream: Value,
}

pub(super) struct Turn {
    pub(super) assistant: bool,
    pub(super) parts: Vec<Part>,
}

pub(super) enum Part {
    Text(Value),
    Call { id: Value, name: Value, args: Value },
    Result { id: Value, name: Value, text: Value },
}

pub(super) struct Tool {
    pub(super) name: Value,
    pub(super) description: Value,
    pub(super) schema: Value,
}

pub(super) fn items(list: &mut Value) -> Vec<Value> {
    match list.take() {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}

/// Joins the texts of a list of parts; a string stays.
pub(super) fn join_texts(mut content: Value) -> Value {
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
pub(super) fn parse_args(args: &Value) -> Value {
    args.as_str().and_then(|args| serde_json::from_str(args).ok()).unwrap_or_else(|| json!({}))
}
