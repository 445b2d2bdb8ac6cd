//! Which bytes of a block end a run of plain characters: a bit for each.

pub(super) const SIZE: usize = 64;

/// Bit `n` is set if byte `n` is a quote, a backslash or a control character.
///
/// Without branches and in a shape that compilers vectorise: byte `8k + j` first sets bit `k` of
/// byte `j`, then rows and columns are swapped.
#[inline]
pub(super) fn special(block: &[u8; SIZE]) -> u64 {
    let mut found = [0; SIZE];
    for (at, byte) in block.iter().enumerate() {
        let special = u8::from(byte ^ FLIP < BOUND) | u8::from(*byte == b'\\');
        found[at] = special.wrapping_neg() & (1 << (at / 8));
    }
    let rows = found.as_chunks().0.iter().fold(0, |rows, word| rows | u64::from_le_bytes(*word));
    if rows == 0 { 0 } else { transposed(rows) }
}

/// How many bytes of a word stand before the first quote, backslash or control character.
#[inline]
pub(super) fn plain(word: [u8; 8]) -> usize {
    let word = u64::from_le_bytes(word);
    // The high bit of a byte below the bound; a borrow may set later ones too, never earlier ones.
    let below = |word: u64, bound: u64| word.wrapping_sub(EACH * bound) & !word & (EACH * 0x80);
    let special = below(word ^ (EACH * u64::from(FLIP)), u64::from(BOUND))
        | below(word ^ (EACH * u64::from(b'\\')), 1);
    special.trailing_zeros() as usize / 8
}

/// A matrix of 8 by 8 bits with rows and columns swapped: single bits, then squares of two, of four.
#[inline]
fn transposed(mut bits: u64) -> u64 {
    for (distance, upper) in
        [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)]
    {
        let differ = (bits ^ (bits >> distance)) & upper;
        bits ^= differ ^ (differ << distance);
    }
    bits
}

/// Flipping this bit swaps the quote with the space, so that one comparison finds the quote and the
/// control characters.
const FLIP: u8 = b'"' ^ b' ';
const BOUND: u8 = b' ' + 1;

/// Times a byte, this is that byte eight times.
const EACH: u64 = u64::MAX / 0xff;
