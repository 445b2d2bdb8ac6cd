//! Canaries: unique words in generated texts, by which a text is found in the output.
//!
//! A canary has a fixed length and only letters and digits, so that it survives every escape and is
//! valid base64 and a valid name; no canary is a substring of another.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The canary with this number.
pub fn canary(number: usize) -> String {
    format!("q{:05}z", number % 100_000)
}

/// The numbers of the canaries in a text, in order.
pub fn find_canaries(text: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memchr_iter(b'q', text).filter_map(|at| match text.get(at..at + CANARY_BYTES)? {
        [_, digits @ .., b'z'] if digits.iter().all(u8::is_ascii_digit) => {
            Some(digits.iter().fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0')))
        }
        _ => None,
    })
}

/// The numbers of the canaries in base64 fields: some texts are sent as base64 files.
pub fn find_in_base64(text: &[u8]) -> Vec<usize> {
    let mut numbers = Vec::new();
    for key in BASE64_KEYS {
        for at in memchr::memmem::find_iter(text, key) {
            let rest = &text[at + key.len()..];
            let data = &rest[..memchr::memchr(b'"', rest).unwrap_or(0)];
            if let Ok(data) = STANDARD.decode(data) {
                numbers.extend(find_canaries(&data));
            }
        }
    }
    numbers
}

const BASE64_KEYS: &[&[u8]] = &[b"\"bytes\":\"", b"\"data\":\""];
const CANARY_BYTES: usize = 7;
