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
        // Less than a word: cheaper than a copy whose length only shows when it is made.
        let last = rest.iter().rev().fold(0, |last, byte| last << 8 | u64::from(*byte));
        self.mix(last);
        self.mix(piece.len() as u64 ^ END);
    }

    /// Hears the words of a text, whatever space is between them; says whether there are any.
    pub fn add_words(&mut self, text: &str) -> bool {
        let mut any = false;
        for word in text.split_ascii_whitespace() {
            self.add(word.as_bytes());
            any = true;
        }
        any
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

const START: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
const FINAL: u64 = 0xff51_afd7_ed55_8ccd;
/// No word of a text looks like its length.
const END: u64 = 0x8000_0000_0000_0000;
