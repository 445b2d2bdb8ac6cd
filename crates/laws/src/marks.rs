//! Marks: words by which a text is found again, whatever it stands in.
//!
//! A mark is of one length, of letters and digits only, so that it survives every escape and stands
//! in base64 as well as in a name; no mark is part of another.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The mark with this number.
pub fn mark(number: usize) -> String {
    format!("q{:05}z", number % 100_000)
}

/// The numbers of the marks in a text, in order.
pub fn numbers(text: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memchr_iter(b'q', text).filter_map(|at| match text.get(at..at + LENGTH)? {
        [_, digits @ .., b'z'] if digits.iter().all(u8::is_ascii_digit) => {
            Some(digits.iter().fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0')))
        }
        _ => None,
    })
}

/// The numbers of the marks in files: a text that leaves as a file is base64.
pub fn hidden(text: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    for key in FILES {
        for at in memchr::memmem::find_iter(text, key) {
            let rest = &text[at + key.len()..];
            let data = &rest[..memchr::memchr(b'"', rest).unwrap_or(0)];
            if let Ok(data) = STANDARD.decode(data) {
                found.extend(numbers(&data));
            }
        }
    }
    found
}

const FILES: &[&[u8]] = &[b"\"bytes\":\"", b"\"data\":\""];
const LENGTH: usize = 7;
