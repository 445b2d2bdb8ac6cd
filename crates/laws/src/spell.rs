//! How a body is written, with spellings that a parsed value cannot hold.
//!
//! Some clients send halves of characters, keys twice, or numbers in odd spellings. Characters that
//! no conversation uses stand for them until the body is written.

use bytes::Bytes;
use serde_json::Value;

/// Becomes the first half of a character beyond the basic plane.
pub const HIGH_HALF: char = '\u{f8d0}';
/// Becomes the second half.
pub const LOW_HALF: char = '\u{f8d1}';
/// Vanishes, so that a key can be there twice.
pub const AGAIN: char = '\u{f8d2}';
/// Around a string: what stands between is written without quotes.
pub const BARE: char = '\u{f8d3}';

/// The bytes of a body.
pub fn spell(body: &Value) -> Bytes {
    let text = body.to_string();
    if !text.contains(is_stand_in) {
        return text.into();
    }
    let text = text.replace(&format!("\"{BARE}"), "").replace(&format!("{BARE}\""), "");
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            HIGH_HALF => out.push_str("\\ud83d"),
            LOW_HALF => out.push_str("\\udc00"),
            AGAIN | BARE => {}
            other => out.push(other),
        }
    }
    out.into()
}

/// A number as it is written here.
pub fn bare(number: &str) -> Value {
    format!("{BARE}{number}{BARE}").into()
}

fn is_stand_in(letter: char) -> bool {
    (HIGH_HALF..=BARE).contains(&letter)
}

/// The JSON that stands in a string: arguments, for example. Halves of characters stay halves.
pub fn within(value: &Value) -> String {
    let bare = |text: String| {
        text.replace(&format!("\"{BARE}"), "").replace(&format!("{BARE}\""), "").replace(AGAIN, "")
    };
    bare(value.to_string())
}
