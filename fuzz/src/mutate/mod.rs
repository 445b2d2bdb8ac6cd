//! Generates inputs from seeds by a chain of small mutations of bytes or of JSON values.

mod bytes;
mod json;

use crate::rng::Rng;

/// Longer inputs are truncated.
const MAX_INPUT_BYTES: usize = 64 * 1024;

/// A mutated seed; without seeds, mutated empty input.
pub fn mutate(seeds: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut data = rng.choose(seeds).cloned().unwrap_or_default();
    // Half of the inputs have one mutation: they reach deepest into the code.
    let changes = if rng.one_in(2) { 1 } else { rng.below(8) };
    for _ in 0..changes {
        let other = rng.choose(seeds).map_or(&[][..], Vec::as_slice);
        let by_structure = rng.one_in(2) && json::change(&mut data, other, rng);
        if !by_structure {
            bytes::change(&mut data, other, rng);
        }
        data.truncate(MAX_INPUT_BYTES);
    }
    data
}
