//! A hash that never changes between versions, because stored lookup keys depend on it.

/// Hashes byte strings; the result is equal in every process and version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StableHasher(u64);

/// Hashes several byte strings; their boundaries count.
pub fn stable_hash<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> u64 {
    let mut hash = StableHasher::default();
    pieces.into_iter().for_each(|piece| hash.write(piece));
    hash.finish()
}

impl StableHasher {
    /// Feeds a byte string and its end, eight bytes at a time because histories are long.
    pub fn write(&mut self, piece: &[u8]) {
        let (words, rest) = piece.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        self.mix(read_partial_u64(rest));
        self.mix(piece.len() as u64 ^ END_MARK);
    }

    /// Feeds a text word by word, ignoring whitespace; returns whether there was any word.
    pub fn write_words(&mut self, text: &str) -> bool {
        let mut words = WordSplitter { hash: *self, word_bytes: 0, has_words: false };
        let mut rest = text.as_bytes();
        while let Some(chunk) = rest.first_chunk() {
            rest = &rest[words.feed(u64::from_le_bytes(*chunk))..];
        }
        // The text is padded with spaces.
        while !rest.is_empty() || words.word_bytes > 0 {
            let consumed = words.feed(read_partial_u64(rest) | SPACE_BYTES << (rest.len() * 8));
            rest = rest.get(consumed..).unwrap_or_default();
        }
        *self = words.hash;
        words.has_words
    }

    pub fn finish(self) -> u64 {
        let mut hash = self.0;
        hash = (hash ^ (hash >> 33)).wrapping_mul(FINAL_MULTIPLIER);
        hash ^ (hash >> 29)
    }

    fn mix(&mut self, word: u64) {
        let hash = (self.0 ^ word).wrapping_mul(PRIME);
        self.0 = hash ^ (hash >> 32);
    }
}

impl Default for StableHasher {
    fn default() -> Self {
        Self(SEED)
    }
}

/// Splits a text into words, eight bytes at a time.
struct WordSplitter {
    hash: StableHasher,
    /// Bytes of the current word in earlier chunks.
    word_bytes: usize,
    has_words: bool,
}

impl WordSplitter {
    /// Feeds the rest of a word, or as much of it as the chunk has, and skips one whitespace byte;
    /// returns the number of bytes consumed.
    #[inline]
    fn feed(&mut self, chunk: u64) -> usize {
        let length = first_space(chunk);
        if length == 8 {
            self.hash.mix(chunk);
            self.word_bytes += 8;
            return 8;
        }
        let word = self.word_bytes + length;
        if word > 0 {
            self.hash.mix(chunk & !(u64::MAX << (length * 8)));
            self.hash.mix(word as u64 ^ END_MARK);
            self.has_words = true;
            self.word_bytes = 0;
        }
        length + 1
    }
}

/// The index of the first whitespace byte, 8 if there is none.
#[inline]
fn first_space(chunk: u64) -> usize {
    if first_zero_byte(chunk & CONTROL_MASK) != 0 {
        return first_whitespace(chunk);
    }
    first_zero_byte(chunk ^ SPACE_BYTES).trailing_zeros() as usize / 8
}

/// The slow path for chunks that may contain tabs or newlines.
#[cold]
fn first_whitespace(chunk: u64) -> usize {
    chunk.to_le_bytes().iter().position(u8::is_ascii_whitespace).unwrap_or(8)
}

/// The high bit of the first zero byte; 0 if there is none. The lowest zero byte is exact: only
/// bytes above it can be affected by its borrow.
#[inline]
fn first_zero_byte(chunk: u64) -> u64 {
    chunk.wrapping_sub(u64::from_le_bytes([1; 8])) & !chunk & u64::from_le_bytes([0x80; 8])
}

/// Up to seven bytes as a little-endian number: two overlapping loads cover all bytes, and agree
/// where they overlap.
#[inline]
fn read_partial_u64(bytes: &[u8]) -> u64 {
    let shift = |width: usize| (bytes.len() - width) * 8;
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << shift(4)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<2>(), bytes.last_chunk::<2>()) {
        u64::from(u16::from_le_bytes(*first)) | u64::from(u16::from_le_bytes(*last)) << shift(2)
    } else {
        bytes.first().map_or(0, |byte| u64::from(*byte))
    }
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
const FINAL_MULTIPLIER: u64 = 0xff51_afd7_ed55_8ccd;
const SPACE_BYTES: u64 = u64::from_le_bytes([b' '; 8]);
/// These bits are zero in every ASCII control character.
const CONTROL_MASK: u64 = u64::from_le_bytes([0xe0; 8]);
/// Distinguishes lengths from text: no chunk of UTF-8 text equals a length with this bit.
const END_MARK: u64 = 0x8000_0000_0000_0000;

#[cfg(test)]
mod tests {
    use super::{StableHasher, read_partial_u64, stable_hash};

    #[test]
    fn words_are_hashed_one_by_one() {
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
            assert_hashed_by_word(text);
        }
        // Words of any length, ending at any position.
        let letters = "abc\u{df}\u{20ac}\u{1f600}xyz0123456789";
        for first in (0..=letters.len()).filter(|end| letters.is_char_boundary(*end)) {
            for space in ["", " ", "\t\n", "\u{c}   \r", "          "] {
                let text = format!("{}{space}{letters}{space}", &letters[..first]);
                assert_hashed_by_word(&text);
            }
        }
    }

    #[test]
    fn words_of_long_texts_are_hashed_one_by_one() {
        for length in 0..200 {
            for word_len in [1, 3, 7, 8, 9, 63, 64, 65, 130] {
                let byte = |at: usize| match at % (word_len + 1) {
                    at if at == word_len && length % 2 == 0 => ' ',
                    at if at == word_len => '\n',
                    at => char::from(b'a' + (at % 26) as u8),
                };
                assert_hashed_by_word(&(0..length).map(byte).collect::<String>());
            }
        }
    }

    fn assert_hashed_by_word(text: &str) {
        let mut words = StableHasher::default();
        let any = words.write_words(text);
        let expected = text.split_ascii_whitespace().map(str::as_bytes);
        assert_eq!(
            (words.finish(), any),
            (stable_hash(expected.clone()), expected.count() > 0),
            "{text:?}"
        );
    }

    #[test]
    fn hashes_equal_those_of_earlier_versions() {
        assert_eq!(
            stable_hash([&b"call_1"[..], b"", b"more than eight bytes"]),
            0x7aac_caff_5b41_c1b9
        );
    }

    #[test]
    fn partial_words_equal_bytewise_reads() {
        let bytes = [0xff, 0x02, 0x83, 0x04, 0xf5, 0x06, 0x87];
        for end in 0..=bytes.len() {
            let expected =
                bytes[..end].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
            assert_eq!(read_partial_u64(&bytes[..end]), expected, "{end}");
        }
    }
}
