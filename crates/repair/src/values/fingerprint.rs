//! Finds duplicate ids by 64-bit hashes, which is faster than comparing the strings.

use interlingua_wire::JsonString;

/// A hash of the unescaped id: independent of JSON escapes.
pub(crate) fn fingerprint(id: &JsonString) -> u64 {
    let contents = id.unescape();
    let mut words = contents.as_bytes().chunks_exact(8);
    let mix = |sum: u64, to_u64: u64| (sum.rotate_left(23) ^ to_u64).wrapping_mul(MULTIPLIER);
    let to_u64 = |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| (sum << 8) | u64::from(*byte));
    let sum = (&mut words).fold(contents.len() as u64, |sum, bytes| mix(sum, to_u64(bytes)));
    mix(sum, to_u64(words.remainder()))
}

/// Whether the list has duplicates. Sorts the list.
pub(crate) fn has_duplicates(hashes: &mut [u64]) -> bool {
    hashes.sort_unstable();
    hashes.windows(2).any(|pair| pair[0] == pair[1])
}

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
