//! Serializes bodies with JSON that `serde_json::Value` cannot represent.
//!
//! Some clients send lone surrogates, duplicate keys or unusual number formats. Private-use
//! characters are placeholders for them until the body is serialized.

use bytes::Bytes;
use serde_json::Value;

/// Serialized as a lone high surrogate.
pub const HIGH_SURROGATE: char = '\u{f8d0}';
/// Serialized as a lone low surrogate.
pub const LOW_SURROGATE: char = '\u{f8d1}';
/// Removed, so that two keys become equal.
pub const DUPLICATE_KEY: char = '\u{f8d2}';
/// Around a string: its content is serialized without quotes.
pub const UNQUOTED: char = '\u{f8d3}';

/// Serializes a body.
pub fn to_bytes(body: &Value) -> Bytes {
    let text = body.to_string();
    if !text.contains(is_placeholder) {
        return text.into();
    }
    let text = text.replace(&format!("\"{UNQUOTED}"), "").replace(&format!("{UNQUOTED}\""), "");
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            HIGH_SURROGATE => out.push_str("\\ud83d"),
            LOW_SURROGATE => out.push_str("\\udc00"),
            DUPLICATE_KEY | UNQUOTED => {}
            other => out.push(other),
        }
    }
    out.into()
}

/// A number with exactly this text.
pub fn raw_number(number: &str) -> Value {
    format!("{UNQUOTED}{number}{UNQUOTED}").into()
}

fn is_placeholder(letter: char) -> bool {
    (HIGH_SURROGATE..=UNQUOTED).contains(&letter)
}

/// JSON for use within a string, such as arguments. Surrogate placeholders stay.
pub fn nested_json(value: &Value) -> String {
    let remove_placeholders = |text: String| {
        text.replace(&format!("\"{UNQUOTED}"), "")
            .replace(&format!("{UNQUOTED}\""), "")
            .replace(DUPLICATE_KEY, "")
    };
    remove_placeholders(value.to_string())
}
