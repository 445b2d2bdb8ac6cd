//! Marks: words by which a text is found again, whatever it stands in.
//!
//! A mark is of one length, of letters and digits only, so that it survives every escape and stands
//! in base64 as well as in a name; no mark is part of another.

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

const LENGTH: usize = 7;
