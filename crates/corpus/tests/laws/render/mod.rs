//! Renders generated conversations as request bodies for each dialect, independently of the
//! encoders under test.

mod anthropic;
mod bedrock;
mod chat;
mod gemini;
mod native;
mod responses;

use std::fmt::Write as _;

use bytes::Bytes;
use interlingua::Dialect;
use serde_json::{Value, json};

use crate::draft::{Call, ConversationDraft, Spelling, TOOLS};

/// The body of a healthy request.
pub(crate) fn body(draft: &ConversationDraft, dialect: &dyn Dialect) -> Bytes {
    spell(&value(draft, dialect), draft)
}

pub(crate) fn value(draft: &ConversationDraft, dialect: &dyn Dialect) -> Value {
    match dialect.id().0 {
        "anthropic" => anthropic::body(draft),
        "openai-chat" => chat::body(draft),
        "openai-responses" => responses::body(draft),
        "gemini" => gemini::body(draft),
        "bedrock" => bedrock::body(draft),
        "native" => native::body(draft),
        other => panic!("{other} has no generated bodies yet: add its folder in tests/laws/render"),
    }
}

/// The text of a body, with the arguments of calls as the model spelled them.
pub(crate) fn spell(value: &Value, draft: &ConversationDraft) -> Bytes {
    let mut text = match draft.spelling {
        Spelling::Compact | Spelling::Escaped => value.to_string(),
        Spelling::Pretty => format!("\n{value:#}\r\n"),
    };
    for call in draft.calls() {
        text = text.replace(&args(call).to_string(), &call.args);
    }
    match draft.spelling {
        Spelling::Compact | Spelling::Pretty => text.into(),
        Spelling::Escaped => escape(&text).into(),
    }
}

/// Slashes and non-ASCII characters occur only in strings, so that they can be escaped in the text.
fn escape(json: &str) -> String {
    let mut out = String::new();
    for character in json.chars() {
        match character {
            '/' => out.push_str("\\/"),
            ' '..='~' => out.push(character),
            _ => {
                let mut units = [0; 2];
                for unit in character.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04X}");
                }
            }
        }
    }
    out
}

/// A placeholder for the arguments until the text is written: numbers would lose their spelling.
fn args(call: &Call) -> Value {
    format!("arguments of {}", call.id).into()
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"path": {"type": "string"}}})
}

fn tools(tool: impl Fn(&str, String) -> Value) -> Value {
    TOOLS.iter().map(|name| tool(name, format!("what {name} does"))).collect()
}

/// Concatenates the messages of all rounds.
fn concat(lists: impl IntoIterator<Item = Vec<Value>>) -> Value {
    lists.into_iter().flatten().collect()
}
