//! Whether ids repeat: told in numbers, which is quicker than to keep the ids.

use interlingua_wire::Text;

/// A number that is the same for one id, however it is spelled, and hardly ever for two.
pub(crate) fn fingerprint(id: &Text) -> u64 {
    let contents = id.contents();
    let mut words = contents.as_bytes().chunks_exact(8);
    let mix = |sum: u64, word: u64| (sum.rotate_left(23) ^ word).wrapping_mul(ODD);
    let word = |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| (sum << 8) | u64::from(*byte));
    let sum = (&mut words).fold(contents.len() as u64, |sum, bytes| mix(sum, word(bytes)));
    mix(sum, word(words.remainder()))
}

/// Whether two of them are the same. They are in another order afterwards.
pub(crate) fn repeats(seen: &mut [u64]) -> bool {
    seen.sort_unstable();
    seen.windows(2).any(|pair| pair[0] == pair[1])
}

const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
