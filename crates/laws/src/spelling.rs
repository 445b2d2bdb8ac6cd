//! Spells JSON in another way with the same meaning, as other serializers do.

use std::fmt::Write as _;

use bytes::Bytes;

/// The spelling of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// As it is.
    Compact,
    /// With white space around the body and between its values.
    Spaced,
    /// With slashes and all characters outside ASCII as escapes.
    Escaped,
}

/// The body in this spelling.
pub fn respell(body: &Bytes, spelling: Spelling) -> Bytes {
    let Ok(text) = std::str::from_utf8(body) else { return body.clone() };
    match spelling {
        Spelling::Compact => body.clone(),
        Spelling::Spaced => space(text).into(),
        Spelling::Escaped => escape(text).into(),
    }
}

fn space(text: &str) -> String {
    let mut out = String::from("\n");
    let (mut in_string, mut after_backslash) = (false, false);
    for char in text.chars() {
        out.push(char);
        if !in_string && matches!(char, '{' | '[' | ',' | ':') {
            out.push_str(if char == ':' { " " } else { "\n  " });
        }
        in_string ^= char == '"' && !after_backslash;
        after_backslash = char == '\\' && !after_backslash;
    }
    out + "\r\n"
}

/// Outside of strings there are neither slashes nor characters outside ASCII.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut after_backslash = false;
    for char in text.chars() {
        match char {
            '/' if !after_backslash => out.push_str("\\/"),
            '\0'..='\u{7f}' => out.push(char),
            _ => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04X}");
                }
            }
        }
        after_backslash = char == '\\' && !after_backslash;
    }
    out
}
