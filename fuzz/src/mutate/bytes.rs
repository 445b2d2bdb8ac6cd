//! Mutations of bytes, without regard to their structure.

use std::ops::Range;

use crate::rng::Rng;

pub(super) fn change(data: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let at = rng.below(data.len() + 1);
    match rng.below(9) {
        0 => {
            if let Some(byte) = data.get_mut(at) {
                *byte ^= 1 << rng.below(8);
            }
        }
        1 => {
            if let Some(byte) = data.get_mut(at) {
                *byte = rng.byte();
            }
        }
        2 => insert(data, at, &[rng.byte()]),
        3 | 4 => {
            let token = rng.choose(DICTIONARY).copied().unwrap_or_default();
            insert(data, at, token);
        }
        5 => {
            let range = random_range(data.len(), 64, rng);
            data.drain(range);
        }
        6 => {
            let copy = data[random_range(data.len(), 256, rng)].to_vec();
            insert(data, at, &copy);
        }
        7 => data.truncate(at),
        _ => insert(data, at, &other[random_range(other.len(), 1024, rng)]),
    }
}

fn insert(data: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    data.splice(at..at, bytes.iter().copied());
}

/// A random range within `length`, at most `max` long.
fn random_range(length: usize, max: usize, rng: &mut Rng) -> Range<usize> {
    let start = rng.below(length + 1);
    let end = start + rng.below((length - start).min(max) + 1);
    start..end
}

/// Tokens of JSON and of streams that are difficult for parsers.
const DICTIONARY: &[&[u8]] = &[
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
