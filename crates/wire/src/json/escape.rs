//! The inside of a JSON string literal: to contents and back.

use std::borrow::Cow;
use std::cmp::Ordering;

use fearless_simd::{Level, Simd, dispatch};

use super::block;

/// The contents of an escaped string. A lone surrogate, which no Rust string can hold, is U+FFFD.
#[inline]
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    if has_escape(raw) { Cow::Owned(unescaped(raw)) } else { Cow::Borrowed(raw) }
}

/// Whether there is a backslash. Names and words are short, and two looks take in all of one; ids are
/// longer, and four do.
#[inline]
pub(super) fn has_escape(raw: &str) -> bool {
    let bytes = raw.as_bytes();
    let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) else {
        return bytes.contains(&b'\\');
    };
    has_backslash(*first) || has_backslash(*last) || bytes.len() > 16 && is_among(bytes)
}

/// Whether there is a backslash among more than sixteen bytes, of which the first and the last eight
/// were looked at.
fn is_among(bytes: &[u8]) -> bool {
    let inside = &bytes[8..bytes.len() - 8];
    match (bytes[8..].first_chunk(), bytes[..bytes.len() - 8].last_chunk()) {
        (Some(first), Some(last)) if inside.len() <= 16 => {
            has_backslash(*first) || has_backslash(*last)
        }
        _ => memchr::memchr(b'\\', inside).is_some(),
    }
}

#[inline]
fn has_backslash(bytes: [u8; 8]) -> bool {
    first_backslash(bytes) != 0
}

/// Where the first of eight bytes that is a backslash has its highest bit; nothing if there is none.
/// A byte that is zero is the only one that borrows when it is the lowest.
#[inline]
fn first_backslash(bytes: [u8; 8]) -> u64 {
    let zero_for_each = u64::from_le_bytes(bytes) ^ u64::from_le_bytes([b'\\'; 8]);
    let borrowed = zero_for_each.wrapping_sub(u64::from_le_bytes([1; 8]));
    borrowed & !zero_for_each & u64::from_le_bytes([0x80; 8])
}

/// As [`unescape`], of a string with escapes, in memory that is there; `None` for one that is too long.
pub(super) fn unescape_in<'r>(raw: &str, room: &'r mut [u8; ROOM]) -> Option<&'r str> {
    // Eight bytes are copied at once, of which some may be none.
    if raw.len() > ROOM - 8 {
        return None;
    }
    let (mut at, mut end) = (0, 0);
    while let Some(few) = raw.as_bytes()[at..].first_chunk::<8>() {
        room[end..end + 8].copy_from_slice(few);
        let plain = first_backslash(*few).trailing_zeros() as usize / 8;
        (at, end) = (at + plain, end + plain);
        if plain < 8 {
            at += put_escaped(&raw[at..], room, &mut end);
        }
    }
    while let Some(byte) = raw.as_bytes().get(at) {
        if *byte == b'\\' {
            at += put_escaped(&raw[at..], room, &mut end);
        } else {
            room[end] = *byte;
            (at, end) = (at + 1, end + 1);
        }
    }
    str::from_utf8(&room[..end]).ok()
}

/// Puts what the escape at the start of `raw` stands for behind what is there; how many bytes spell it.
#[inline]
fn put_escaped(raw: &str, room: &mut [u8; ROOM], end: &mut usize) -> usize {
    let (point, used) = escaped(raw);
    match u8::try_from(point) {
        Ok(byte) if byte.is_ascii() => {
            room[*end] = byte;
            *end += 1;
        }
        _ => {
            let character = char::from_u32(point).unwrap_or('\u{fffd}');
            *end += character.encode_utf8(&mut room[*end..]).len();
        }
    }
    used
}

/// As [`unescape`], of a string with escapes.
pub(super) fn unescaped(raw: &str) -> String {
    let first = memchr::memchr(b'\\', raw.as_bytes()).unwrap_or(raw.len());
    let mut out = Vec::with_capacity(raw.len());
    out.extend_from_slice(&raw.as_bytes()[..first]);
    dispatch!(Level::new(), simd => unescape_by_few(simd, &raw[first..], &mut out));
    // Whole characters were put after whole characters: nothing here is refused.
    String::from_utf8(out).unwrap_or_default()
}

#[expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the widest registers"
)]
#[inline(always)]
fn unescape_by_few(simd: impl Simd, raw: &str, out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(few) = raw.as_bytes()[at..].first_chunk() {
        let backslashes = block::backslashes_of_few(simd, few);
        out.extend_from_slice(few);
        if backslashes == 0 {
            at += few.len();
            continue;
        }
        // Copying a fixed number and taking some back is faster than copying few.
        let plain = backslashes.trailing_zeros() as usize;
        out.truncate(out.len() - (few.len() - plain));
        at += plain;
        at += push_escaped(&raw[at..], out);
    }
    while let Some(byte) = raw.as_bytes().get(at) {
        if *byte == b'\\' {
            at += push_escaped(&raw[at..], out);
        } else {
            out.push(*byte);
            at += 1;
        }
    }
}

/// Appends what the escape at the start of `raw` stands for; how many bytes spell it.
#[inline]
fn push_escaped(raw: &str, out: &mut Vec<u8>) -> usize {
    let (point, used) = escaped(raw);
    match u8::try_from(point) {
        Ok(byte) if byte.is_ascii() => out.push(byte),
        _ => {
            let character = char::from_u32(point).unwrap_or('\u{fffd}');
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    used
}

/// A JSON text with U+FFFD for each lone surrogate, and how many there were; `None` for none.
pub(super) fn without_lone_surrogates(text: &str) -> Option<(String, usize)> {
    let mut out = String::new();
    let (mut copied, mut at, mut count) = (0, 0, 0);
    while let Some(found) = memchr::memchr(b'\\', &text.as_bytes()[at..]) {
        at += found;
        let (point, used) = escaped(&text[at..]);
        if char::from_u32(point).is_none() {
            out.push_str(&text[copied..at]);
            out.push_str("\\ufffd");
            copied = at + used;
            count += 1;
        }
        at += used;
    }
    if count == 0 {
        return None;
    }
    out.push_str(&text[copied..]);
    Some((out, count))
}

/// Whether two escaped strings have the same contents.
#[inline]
pub(super) fn same(raw: &str, other: &str) -> bool {
    raw == other
        || may_be_same(raw, other)
            && (has_escape(raw) || has_escape(other))
            && points(raw).eq(points(other))
}

/// Whether an escaped string has these contents.
#[inline]
pub(super) fn spells(raw: &str, contents: &str) -> bool {
    // What is spelled with escapes is longer than its contents.
    match raw.len().cmp(&contents.len()) {
        Ordering::Less => false,
        Ordering::Equal => raw == contents && (!has_escape(raw) || has_points(raw, contents)),
        Ordering::Greater => {
            may_be_same(raw, contents) && has_escape(raw) && has_points(raw, contents)
        }
    }
}

/// Most strings that are not the same begin otherwise, and without an escape.
#[inline]
fn may_be_same(raw: &str, other: &str) -> bool {
    match (raw.as_bytes().first(), other.as_bytes().first()) {
        (Some(one), Some(other)) => one == other || *one == b'\\' || *other == b'\\',
        _ => false,
    }
}

#[cold]
fn has_points(raw: &str, contents: &str) -> bool {
    points(raw).eq(contents.chars().map(u32::from))
}

/// The code points of an escaped string; a lone surrogate is one of its own.
fn points(raw: &str) -> impl Iterator<Item = u32> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        let (point, used) = first_point(rest)?;
        rest = &rest[used..];
        Some(point)
    })
}

/// What follows in `raw` after the escaped spelling of `prefix`, however it is spelled.
pub(super) fn after<'r>(raw: &'r str, prefix: &str) -> Option<&'r str> {
    let mut rest = raw;
    for character in prefix.chars() {
        let (point, used) = first_point(rest)?;
        if point != u32::from(character) {
            return None;
        }
        rest = &rest[used..];
    }
    Some(rest)
}

/// The first code point, and how many bytes spell it.
fn first_point(raw: &str) -> Option<(u32, usize)> {
    let first = raw.chars().next()?;
    Some(if first == '\\' { escaped(raw) } else { (first.into(), first.len_utf8()) })
}

/// The escape at the start of `raw`: its code point, and how many bytes spell it.
fn escaped(raw: &str) -> (u32, usize) {
    let character = match raw.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return numbered(raw),
        Some(plain @ (b'"' | b'\\' | b'/')) => char::from(*plain),
        // Not reached on scanned text; the backslash stands for itself.
        _ => return ('\\'.into(), 1),
    };
    (character.into(), 2)
}

fn numbered(raw: &str) -> (u32, usize) {
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

/// Whether a string is short, and nothing in it is to be escaped.
pub(super) fn is_plain_word(contents: &str) -> bool {
    contents.len() <= 64 && contents.bytes().all(|byte| ESCAPES[usize::from(byte)] == 0)
}

/// Appends `contents` escaped, without quotes.
pub(super) fn escape_into(contents: &str, out: &mut Vec<u8>) {
    dispatch!(Level::new(), simd => escape_by_blocks(simd, contents, out));
}

#[expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the widest registers"
)]
#[inline(always)]
fn escape_by_blocks(simd: impl Simd, contents: &str, out: &mut Vec<u8>) {
    let mut bytes = contents.as_bytes();
    out.reserve(bytes.len() + bytes.len() / 8);
    while let Some(block) = bytes.first_chunk() {
        let mut special = block::special(simd, block);
        let mut from = 0;
        while special != 0 {
            let at = special.trailing_zeros() as usize;
            append(&bytes[from..], at - from, out);
            escape(bytes[at], out);
            from = at + 1;
            special &= special - 1;
        }
        append(&bytes[from..], block::SIZE - from, out);
        bytes = &bytes[block::SIZE..];
    }
    while let Some(few) = bytes.first_chunk() {
        if block::special_of_few(simd, few) != 0 {
            break;
        }
        out.extend_from_slice(few);
        bytes = &bytes[few.len()..];
    }
    for byte in bytes {
        if ESCAPES[usize::from(*byte)] == 0 {
            out.push(*byte);
        } else {
            escape(*byte, out);
        }
    }
}

/// Appends the first bytes. Copying a fixed number and taking some back is faster than copying few.
#[inline]
fn append(mut bytes: &[u8], mut length: usize, out: &mut Vec<u8>) {
    while let Some((some, rest)) = bytes.split_first_chunk::<16>() {
        out.extend_from_slice(some);
        if length <= some.len() {
            out.truncate(out.len() - (some.len() - length));
            return;
        }
        length -= some.len();
        bytes = rest;
    }
    out.extend_from_slice(&bytes[..length]);
}

fn escape(byte: u8, out: &mut Vec<u8>) {
    match ESCAPES[usize::from(byte)] {
        b'u' => {
            let digit = |value: u8| HEX[usize::from(value)];
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
        }
        letter => out.extend_from_slice(&[b'\\', letter]),
    }
}

/// Enough for most arguments of calls.
pub(super) const ROOM: usize = 256;

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
