//! Escapes the control characters of foreign text, so that it cannot control the terminal: set its
//! title or clipboard, move the cursor, or reorder what is read.
//!
//! Escapes are those of JSON strings: a body that is shown on a terminal is still JSON.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes all control characters except line breaks and tabs.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    escape_where(text, |c, next| match c {
        '\n' | '\t' => false,
        // A carriage return alone lets the rest of the line overwrite its beginning.
        '\r' => next != Some('\n'),
        c => is_control(c),
    })
}

/// Escapes line breaks and tabs as well: the text cannot start a line of its own.
pub(crate) fn escape_line(text: &str) -> Cow<'_, str> {
    escape_where(text, |c, _| is_control(c))
}

/// As [`escape`]; bytes that are not UTF-8 are shown in hexadecimal.
pub(crate) fn escape_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return match escape(text) {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
    }
    let mut escaped = String::new();
    for chunk in bytes.utf8_chunks() {
        escaped.push_str(&escape(chunk.valid()));
        for byte in chunk.invalid() {
            let _ = write!(escaped, "\\x{byte:02x}");
        }
    }
    Cow::Owned(escaped.into_bytes())
}

fn escape_where(text: &str, is_escaped: impl Fn(char, Option<char>) -> bool) -> Cow<'_, str> {
    let mut escaped = String::new();
    let (mut copied, mut chars) = (0, text.char_indices().peekable());
    while let Some((at, c)) = chars.next() {
        if !is_escaped(c, chars.peek().map(|(_, next)| *next)) {
            continue;
        }
        escaped.push_str(&text[copied..at]);
        copied = at + c.len_utf8();
        match c {
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            c => {
                // Writing to a string does not fail.
                let _ = write!(escaped, "\\u{:04x}", u32::from(c));
            }
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    escaped.push_str(&text[copied..]);
    Cow::Owned(escaped)
}

/// C0, DEL and C1, and the characters that reorder text.
fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests;
