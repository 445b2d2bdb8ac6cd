//! Escapes and unescapes the contents of JSON strings.

use std::borrow::Cow;
use std::cmp::Ordering;

use fearless_simd::{Level, Simd, dispatch};

use super::simd;

/// The contents of an escaped string. A lone surrogate, which no Rust string can represent, becomes
/// U+FFFD.
#[inline]
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    if has_escape(raw) { Cow::Owned(unescape_to_string(raw)) } else { Cow::Borrowed(raw) }
}

/// Whether there is a backslash. Keys and names are mostly at most 16 bytes, which two overlapping
/// reads of eight bytes cover; ids need up to four.
#[inline]
pub(super) fn has_escape(raw: &str) -> bool {
    let bytes = raw.as_bytes();
    let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) else {
        return bytes.contains(&b'\\');
    };
    has_backslash(*first) || has_backslash(*last) || bytes.len() > 16 && has_inner_backslash(bytes)
}

/// Whether a string of more than 16 bytes has a backslash between the first and the last eight,
/// which were checked before.
fn has_inner_backslash(bytes: &[u8]) -> bool {
    let inner = &bytes[8..bytes.len() - 8];
    match (bytes[8..].first_chunk(), bytes[..bytes.len() - 8].last_chunk()) {
        (Some(first), Some(last)) if inner.len() <= 16 => {
            has_backslash(*first) || has_backslash(*last)
        }
        _ => memchr::memchr(b'\\', inner).is_some(),
    }
}

#[inline]
fn has_backslash(bytes: [u8; 8]) -> bool {
    backslash_swar_mask(bytes) != 0
}

/// Sets the highest bit of the first byte that is a backslash; zero if there is none. XOR turns
/// backslashes into zero bytes, and the lowest byte that borrows in the subtraction is a zero byte.
#[inline]
fn backslash_swar_mask(bytes: [u8; 8]) -> u64 {
    let difference = u64::from_le_bytes(bytes) ^ u64::from_le_bytes([b'\\'; 8]);
    let borrows = difference.wrapping_sub(u64::from_le_bytes([1; 8]));
    borrows & !difference & u64::from_le_bytes([0x80; 8])
}

/// As [`unescape`], for a string with escapes, into a buffer on the stack; `None` if it is too
/// long.
pub(super) fn unescape_into_buffer<'r>(
    raw: &str,
    buffer: &'r mut [u8; STACK_BUFFER_BYTES],
) -> Option<&'r str> {
    // Copies are always eight bytes long, which may write beyond the string's end.
    if raw.len() > STACK_BUFFER_BYTES - 8 {
        return None;
    }
    let (mut at, mut end) = (0, 0);
    while let Some(chunk) = raw.as_bytes()[at..].first_chunk::<8>() {
        buffer[end..end + 8].copy_from_slice(chunk);
        let prefix_len = backslash_swar_mask(*chunk).trailing_zeros() as usize / 8;
        (at, end) = (at + prefix_len, end + prefix_len);
        if prefix_len < 8 {
            at += unescape_one_into(&raw[at..], buffer, &mut end);
        }
    }
    while let Some(byte) = raw.as_bytes().get(at) {
        if *byte == b'\\' {
            at += unescape_one_into(&raw[at..], buffer, &mut end);
        } else {
            buffer[end] = *byte;
            (at, end) = (at + 1, end + 1);
        }
    }
    str::from_utf8(&buffer[..end]).ok()
}

/// Writes the character of the escape at the start of `raw`; returns the length of the escape.
#[inline]
fn unescape_one_into(raw: &str, buffer: &mut [u8; STACK_BUFFER_BYTES], end: &mut usize) -> usize {
    let (point, escape_len) = decode_escape(raw);
    match u8::try_from(point) {
        Ok(byte) if byte.is_ascii() => {
            buffer[*end] = byte;
            *end += 1;
        }
        _ => {
            let character = char::from_u32(point).unwrap_or('\u{fffd}');
            *end += character.encode_utf8(&mut buffer[*end..]).len();
        }
    }
    escape_len
}

/// As [`unescape`], for a string with escapes.
pub(super) fn unescape_to_string(raw: &str) -> String {
    let first = memchr::memchr(b'\\', raw.as_bytes()).unwrap_or(raw.len());
    let mut out = Vec::with_capacity(raw.len());
    out.extend_from_slice(&raw.as_bytes()[..first]);
    dispatch!(Level::new(), simd => unescape_simd(simd, &raw[first..], &mut out));
    // Only complete characters were appended, so the conversion cannot fail.
    String::from_utf8(out).unwrap_or_default()
}

#[expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the widest registers"
)]
#[inline(always)]
fn unescape_simd(simd: impl Simd, raw: &str, out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(chunk) = raw.as_bytes()[at..].first_chunk() {
        let backslashes = simd::backslash_mask_16(simd, chunk);
        out.extend_from_slice(chunk);
        if backslashes == 0 {
            at += chunk.len();
            continue;
        }
        // Copying 16 bytes and truncating is faster than copying a variable number.
        let prefix_len = backslashes.trailing_zeros() as usize;
        out.truncate(out.len() - (chunk.len() - prefix_len));
        at += prefix_len;
        at += unescape_one_onto(&raw[at..], out);
    }
    while let Some(byte) = raw.as_bytes().get(at) {
        if *byte == b'\\' {
            at += unescape_one_onto(&raw[at..], out);
        } else {
            out.push(*byte);
            at += 1;
        }
    }
}

/// Appends the character of the escape at the start of `raw`; returns the length of the escape.
#[inline]
fn unescape_one_onto(raw: &str, out: &mut Vec<u8>) -> usize {
    let (point, escape_len) = decode_escape(raw);
    match u8::try_from(point) {
        Ok(byte) if byte.is_ascii() => out.push(byte),
        _ => {
            let character = char::from_u32(point).unwrap_or('\u{fffd}');
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    escape_len
}

/// A JSON text with U+FFFD in place of each lone surrogate, and their number; `None` if there are
/// none.
pub(super) fn without_lone_surrogates(text: &str) -> Option<(String, usize)> {
    let mut out = String::new();
    let (mut copied, mut at, mut count) = (0, 0, 0);
    while let Some(found) = memchr::memchr(b'\\', &text.as_bytes()[at..]) {
        at += found;
        let (point, escape_len) = decode_escape(&text[at..]);
        if char::from_u32(point).is_none() {
            out.push_str(&text[copied..at]);
            out.push_str("\\ufffd");
            copied = at + escape_len;
            count += 1;
        }
        at += escape_len;
    }
    if count == 0 {
        return None;
    }
    out.push_str(&text[copied..]);
    Some((out, count))
}

/// Whether two escaped strings have the same contents.
#[inline]
pub(super) fn escaped_eq(raw: &str, other: &str) -> bool {
    raw == other
        || may_be_equal(raw, other)
            && (has_escape(raw) || has_escape(other))
            && code_points(raw).eq(code_points(other))
}

/// Whether an escaped string has these contents.
#[inline]
pub(super) fn unescapes_to(raw: &str, contents: &str) -> bool {
    // An escaped spelling is longer than its contents.
    match raw.len().cmp(&contents.len()) {
        Ordering::Less => false,
        Ordering::Equal => raw == contents && (!has_escape(raw) || code_points_eq(raw, contents)),
        Ordering::Greater => {
            may_be_equal(raw, contents) && has_escape(raw) && code_points_eq(raw, contents)
        }
    }
}

/// Most different strings differ in the first byte, which is mostly not an escape.
#[inline]
fn may_be_equal(raw: &str, other: &str) -> bool {
    match (raw.as_bytes().first(), other.as_bytes().first()) {
        (Some(one), Some(other)) => one == other || *one == b'\\' || *other == b'\\',
        _ => false,
    }
}

#[cold]
fn code_points_eq(raw: &str, contents: &str) -> bool {
    code_points(raw).eq(contents.chars().map(u32::from))
}

/// The code points of an escaped string; a lone surrogate is one code point.
fn code_points(raw: &str) -> impl Iterator<Item = u32> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        let (point, escape_len) = first_code_point(rest)?;
        rest = &rest[escape_len..];
        Some(point)
    })
}

/// The rest of `raw` after `prefix`, in any spelling.
pub(super) fn strip_unescaped_prefix<'r>(raw: &'r str, prefix: &str) -> Option<&'r str> {
    let mut rest = raw;
    for character in prefix.chars() {
        let (point, escape_len) = first_code_point(rest)?;
        if point != u32::from(character) {
            return None;
        }
        rest = &rest[escape_len..];
    }
    Some(rest)
}

/// The first code point and the length of its spelling in bytes.
fn first_code_point(raw: &str) -> Option<(u32, usize)> {
    let first = raw.chars().next()?;
    Some(if first == '\\' { decode_escape(raw) } else { (first.into(), first.len_utf8()) })
}

/// The code point of the escape at the start of `raw`, and the length of the escape in bytes.
fn decode_escape(raw: &str) -> (u32, usize) {
    let character = match raw.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return decode_unicode_escape(raw),
        Some(literal @ (b'"' | b'\\' | b'/')) => char::from(*literal),
        // Unreachable for scanned text; the backslash is kept.
        _ => return ('\\'.into(), 1),
    };
    (character.into(), 2)
}

fn decode_unicode_escape(raw: &str) -> (u32, usize) {
    let unit = |at: usize| raw.get(at..at + 4).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let Some(high) = unit(2) else { return ('\\'.into(), 1) };
    if (0xd800..0xdc00).contains(&high)
        && raw.get(6..8) == Some("\\u")
        && let Some(low @ 0xdc00..0xe000) = unit(8)
    {
        return (0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00), 12);
    }
    (high, 6)
}

/// Whether a string is short and needs no escaping.
pub(super) fn is_short_without_escapes(contents: &str) -> bool {
    contents.len() <= 64 && contents.bytes().all(|byte| ESCAPE_TABLE[usize::from(byte)] == 0)
}

/// Appends `contents` escaped, without quotes.
pub(super) fn escape_into(contents: &str, out: &mut Vec<u8>) {
    dispatch!(Level::new(), simd => escape_simd(simd, contents, out));
}

#[expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the widest registers"
)]
#[inline(always)]
fn escape_simd(simd: impl Simd, contents: &str, out: &mut Vec<u8>) {
    let mut bytes = contents.as_bytes();
    out.reserve(bytes.len() + bytes.len() / 8);
    while let Some(block) = bytes.first_chunk() {
        let mut special = simd::must_escape_mask(simd, block);
        let mut from = 0;
        while special != 0 {
            let at = special.trailing_zeros() as usize;
            push_prefix(&bytes[from..], at - from, out);
            push_escape(bytes[at], out);
            from = at + 1;
            special &= special - 1;
        }
        push_prefix(&bytes[from..], simd::VECTOR_BYTES - from, out);
        bytes = &bytes[simd::VECTOR_BYTES..];
    }
    while let Some(chunk) = bytes.first_chunk() {
        if simd::must_escape_mask_16(simd, chunk) != 0 {
            break;
        }
        out.extend_from_slice(chunk);
        bytes = &bytes[chunk.len()..];
    }
    for byte in bytes {
        if ESCAPE_TABLE[usize::from(*byte)] == 0 {
            out.push(*byte);
        } else {
            push_escape(*byte, out);
        }
    }
}

/// Appends the first bytes. Copying 16 bytes and truncating is faster than copying a variable
/// number.
#[inline]
fn push_prefix(mut bytes: &[u8], mut length: usize, out: &mut Vec<u8>) {
    while let Some((chunk, rest)) = bytes.split_first_chunk::<16>() {
        out.extend_from_slice(chunk);
        if length <= chunk.len() {
            out.truncate(out.len() - (chunk.len() - length));
            return;
        }
        length -= chunk.len();
        bytes = rest;
    }
    out.extend_from_slice(&bytes[..length]);
}

fn push_escape(byte: u8, out: &mut Vec<u8>) {
    match ESCAPE_TABLE[usize::from(byte)] {
        b'u' => {
            let digit = |value: u8| HEX[usize::from(value)];
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
        }
        letter => out.extend_from_slice(&[b'\\', letter]),
    }
}

/// Enough for the arguments of most tool calls.
pub(super) const STACK_BUFFER_BYTES: usize = 256;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// For each byte, the letter after the backslash; 0 if it needs no escape.
const ESCAPE_TABLE: [u8; 256] = {
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
