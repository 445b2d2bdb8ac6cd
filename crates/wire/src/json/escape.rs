//! The inside of a JSON string literal: to contents and back.

use std::borrow::Cow;

/// The contents of an escaped string. A lone surrogate, which no Rust string can hold, is U+FFFD.
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', raw.as_bytes()) else {
        return Cow::Borrowed(raw);
    };
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    let mut next = Some(first);
    while let Some(at) = next {
        out.push_str(&rest[..at]);
        let (character, used) = one(&rest[at..]);
        out.push(character);
        rest = &rest[at + used..];
        next = memchr::memchr(b'\\', rest.as_bytes());
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// One escape at the start of `raw`: its character, and how many bytes it took.
fn one(raw: &str) -> (char, usize) {
    match raw.as_bytes().get(1) {
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'r') => ('\r', 2),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'u') => unicode(raw),
        Some(plain @ (b'"' | b'\\' | b'/')) => (char::from(*plain), 2),
        // Not reached on scanned text; the backslash stands for itself.
        _ => ('\\', 1),
    }
}

fn unicode(raw: &str) -> (char, usize) {
    let unit = |at: usize| raw.get(at..at + 4).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let Some(high) = unit(2) else { return ('\u{fffd}', raw.len().min(6)) };
    if (0xd800..0xdc00).contains(&high)
        && raw.get(6..8) == Some("\\u")
        && let Some(low @ 0xdc00..0xe000) = unit(8)
    {
        let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        return (char::from_u32(code).unwrap_or('\u{fffd}'), 12);
    }
    (char::from_u32(high).unwrap_or('\u{fffd}'), 6)
}

/// Appends `contents` escaped, without quotes.
pub(super) fn escape_into(contents: &str, out: &mut Vec<u8>) {
    let bytes = contents.as_bytes();
    let mut from = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let escaped = ESCAPES[usize::from(*byte)];
        if escaped == 0 {
            continue;
        }
        out.extend_from_slice(&bytes[from..at]);
        from = at + 1;
        if escaped == b'u' {
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
        } else {
            out.extend_from_slice(&[b'\\', escaped]);
        }
    }
    out.extend_from_slice(&bytes[from..]);
}

const HEX: &[u8; 16] = b"0123456789abcdef";

/// For each byte the letter that follows the backslash; 0 where none is needed.
const ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let mut control = 0;
    while control < 0x20 {
        table[control] = b'u';
        control += 1;
    }
    table[0x08] = b'b';
    table[0x09] = b't';
    table[0x0a] = b'n';
    table[0x0c] = b'f';
    table[0x0d] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table
};
