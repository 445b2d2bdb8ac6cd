//! Generated conversations as request bodies, written by hand for each dialect: the dialects' own
//! encoders have no part in it.

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

use crate::script::{Call, Script, Spelling, TOOLS};

/// The body of a healthy request.
pub(crate) fn body(script: &Script, dialect: &dyn Dialect) -> Bytes {
    spell(&value(script, dialect), script)
}

pub(crate) fn value(script: &Script, dialect: &dyn Dialect) -> Value {
    match dialect.id().0 {
        "anthropic" => anthropic::body(script),
        "openai-chat" => chat::body(script),
        "openai-responses" => responses::body(script),
        "gemini" => gemini::body(script),
        "bedrock" => bedrock::body(script),
        "native" => native::body(script),
        other => panic!("{other} has no generated bodies yet: add its folder in tests/laws/render"),
    }
}

/// The text of a body, with the arguments of the calls as the model spelled them.
pub(crate) fn spell(value: &Value, script: &Script) -> Bytes {
    let mut text = match script.spelling {
        Spelling::Compact | Spelling::Escaped => value.to_string(),
        Spelling::Pretty => format!("\n{value:#}\r\n"),
    };
    for call in script.calls() {
        text = text.replace(&args(call).to_string(), &call.args);
    }
    match script.spelling {
        Spelling::Compact | Spelling::Pretty => text.into(),
        Spelling::Escaped => escape(&text).into(),
    }
}

/// A slash and whatever is not ASCII stand only in strings.
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

/// Stands for the arguments until the body is spelled: a number would not keep its spelling.
fn args(call: &Call) -> Value {
    format!("arguments of {}", call.id).into()
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"path": {"type": "string"}}})
}

fn tools(tool: impl Fn(&str, String) -> Value) -> Value {
    TOOLS.iter().map(|name| tool(name, format!("what {name} does"))).collect()
}

/// The arrays of a conversation's messages, one after the other.
fn concat(lists: impl IntoIterator<Item = Vec<Value>>) -> Value {
    lists.into_iter().flatten().collect()
}
