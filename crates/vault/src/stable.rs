//! A hash that is the same in every process and every version: what is kept is found by it.

/// What was heard so far, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stable(u64);

/// The hash of all pieces, each ended.
pub fn hash<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> u64 {
    let mut hash = Stable::default();
    pieces.into_iter().for_each(|piece| hash.add(piece));
    hash.value()
}

impl Stable {
    /// Hears one more piece, eight bytes at a time: histories are long. Where a piece ends counts.
    pub fn add(&mut self, piece: &[u8]) {
        let (words, rest) = piece.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        self.mix(less_than_a_word(rest));
        self.mix(piece.len() as u64 ^ END);
    }

    /// Hears the words of a text, whatever space is between them; says whether there are any.
    pub fn add_words(&mut self, text: &str) -> bool {
        let mut words = Words { hash: *self, heard: 0, any: false };
        let mut rest = text.as_bytes();
        while let Some(eight) = rest.first_chunk() {
            rest = &rest[words.hear(u64::from_le_bytes(*eight))..];
        }
        // Behind the last byte is space.
        while !rest.is_empty() || words.heard > 0 {
            let passed = words.hear(less_than_a_word(rest) | SPACES << (rest.len() * 8));
            rest = rest.get(passed..).unwrap_or_default();
        }
        *self = words.hash;
        words.any
    }

    pub fn value(self) -> u64 {
        let mut hash = self.0;
        hash = (hash ^ (hash >> 33)).wrapping_mul(FINAL);
        hash ^ (hash >> 29)
    }

    fn mix(&mut self, word: u64) {
        let hash = (self.0 ^ word).wrapping_mul(PRIME);
        self.0 = hash ^ (hash >> 32);
    }
}

impl Default for Stable {
    fn default() -> Self {
        Self(START)
    }
}

/// A text as its words are heard, eight bytes at a time.
struct Words {
    hash: Stable,
    /// Bytes of a word that goes on.
    heard: usize,
    any: bool,
}

impl Words {
    /// Hears what is left of a word, or as much of it as there is, and passes the space behind it; says how
    /// many bytes that is.
    #[inline]
    fn hear(&mut self, eight: u64) -> usize {
        let length = first_space(eight);
        if length == 8 {
            self.hash.mix(eight);
            self.heard += 8;
            return 8;
        }
        let word = self.heard + length;
        if word > 0 {
            self.hash.mix(eight & !(u64::MAX << (length * 8)));
            self.hash.mix(word as u64 ^ END);
            self.any = true;
            self.heard = 0;
        }
        length + 1
    }
}

/// How many of eight bytes stand before the first that is white space.
#[inline]
fn first_space(eight: u64) -> usize {
    if first_zero(eight & CONTROLS) != 0 {
        return first_space_of_any(eight);
    }
    first_zero(eight ^ SPACES).trailing_zeros() as usize / 8
}

/// The same where other white space may be than spaces.
#[cold]
fn first_space_of_any(eight: u64) -> usize {
    eight.to_le_bytes().iter().position(u8::is_ascii_whitespace).unwrap_or(8)
}

/// Where the first of eight bytes that is zero has its highest bit; nothing if there is none. A byte that is
/// zero is the only one that borrows when it is the lowest.
#[inline]
fn first_zero(eight: u64) -> u64 {
    eight.wrapping_sub(u64::from_le_bytes([1; 8])) & !eight & u64::from_le_bytes([0x80; 8])
}

/// Up to seven bytes as a number, the first the lowest: two looks take in all of them, and where both see a
/// byte they see the same.
#[inline]
fn less_than_a_word(bytes: &[u8]) -> u64 {
    let shift = |look: usize| (bytes.len() - look) * 8;
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << shift(4)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<2>(), bytes.last_chunk::<2>()) {
        u64::from(u16::from_le_bytes(*first)) | u64::from(u16::from_le_bytes(*last)) << shift(2)
    } else {
        bytes.first().map_or(0, |byte| u64::from(*byte))
    }
}

const START: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
const FINAL: u64 = 0xff51_afd7_ed55_8ccd;
const SPACES: u64 = u64::from_le_bytes([b' '; 8]);
/// The bits of which a control character has none.
const CONTROLS: u64 = u64::from_le_bytes([0xe0; 8]);
/// No word of a text looks like its length.
const END: u64 = 0x8000_0000_0000_0000;

#[cfg(test)]
mod tests {
    use super::{Stable, hash, less_than_a_word};

    #[test]
    fn words_are_heard_one_by_one() {
        for text in [
            "",
            " ",
            "one",
            "one two",
            " one\t\ntwo\r three ",
            "caf\u{e9}\u{a0}x longer-than-a-word",
            "sixteen-letters. eight888 ",
            "\u{b}\u{c}\u{1f}\u{0} \u{7f}\u{ff}",
        ] {
            are_heard_one_by_one(text);
        }
        // Words of any length, wherever one ends.
        let letters = "abc\u{df}\u{20ac}\u{1f600}xyz0123456789";
        for first in (0..=letters.len()).filter(|end| letters.is_char_boundary(*end)) {
            for space in ["", " ", "\t\n", "\u{c}   \r", "          "] {
                let text = format!("{}{space}{letters}{space}", &letters[..first]);
                are_heard_one_by_one(&text);
            }
        }
    }

    #[test]
    fn words_of_long_texts_are_heard_one_by_one() {
        for length in 0..200 {
            for between in [1, 3, 7, 8, 9, 63, 64, 65, 130] {
                let byte = |at: usize| match at % (between + 1) {
                    at if at == between && length % 2 == 0 => ' ',
                    at if at == between => '\n',
                    at => char::from(b'a' + (at % 26) as u8),
                };
                are_heard_one_by_one(&(0..length).map(byte).collect::<String>());
            }
        }
    }

    fn are_heard_one_by_one(text: &str) {
        let mut words = Stable::default();
        let any = words.add_words(text);
        let slow = text.split_ascii_whitespace().map(str::as_bytes);
        assert_eq!((words.value(), any), (hash(slow.clone()), slow.count() > 0), "{text:?}");
    }

    #[test]
    fn numbers_are_those_of_earlier_versions() {
        assert_eq!(hash([&b"call_1"[..], b"", b"more than eight bytes"]), 0x7aac_caff_5b41_c1b9);
    }

    #[test]
    fn less_than_a_word_is_read_byte_by_byte() {
        let bytes = [0xff, 0x02, 0x83, 0x04, 0xf5, 0x06, 0x87];
        for end in 0..=bytes.len() {
            let slow = bytes[..end].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
            assert_eq!(less_than_a_word(&bytes[..end]), slow, "{end}");
        }
    }
}
