//! Changes that know nothing of what the bytes mean.

use std::ops::Range;

use crate::random::Random;

pub(super) fn change(data: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(data.len() + 1);
    match random.below(9) {
        0 => {
            if let Some(byte) = data.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            if let Some(byte) = data.get_mut(at) {
                *byte = random.byte();
            }
        }
        2 => insert(data, at, &[random.byte()]),
        3 | 4 => {
            let token = random.pick(TOKENS).copied().unwrap_or_default();
            insert(data, at, token);
        }
        5 => {
            let gone = range(data.len(), 64, random);
            data.drain(gone);
        }
        6 => {
            let again = data[range(data.len(), 256, random)].to_vec();
            insert(data, at, &again);
        }
        7 => data.truncate(at),
        _ => insert(data, at, &other[range(other.len(), 1024, random)]),
    }
}

fn insert(data: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    data.splice(at..at, bytes.iter().copied());
}

/// A part of something `length` long, of `longest` at most.
fn range(length: usize, longest: usize, random: &mut Random) -> Range<usize> {
    let start = random.below(length + 1);
    let end = start + random.below((length - start).min(longest) + 1);
    start..end
}

/// Pieces of JSON and of streams on which readers stumble.
const TOKENS: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\"\"",
    b"{}",
    b"[]",
    b"null",
    b"true",
    b"false",
    b"0",
    b"-0",
    b"-",
    b"1e400",
    b"1E-9",
    b"0.0",
    b"01",
    b".5",
    b"18446744073709551616",
    b"\\u0000",
    b"\\ud800",
    b"\\udc00",
    b"\\ud83d\\ude00",
    b"\\uD8",
    b"\\x",
    b"\0",
    b"\x1f",
    b"\x7f",
    b" ",
    b"\t",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\r\r",
    b"\r\n\r\n",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xc3",
    b"\xe2\x82",
    b"\xf0\x9f\x98\x80",
    b"\xed\xa0\x80",
    b"data:",
    b"data: ",
    b"event: ",
    b"id: 1\n",
    b"retry: 1\n",
    b": ping\n\n",
    b"[DONE]",
    b"<think>",
    b"</think>",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    b"]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    b"{\"a\":{\"a\":{\"a\":{\"a\":",
];
