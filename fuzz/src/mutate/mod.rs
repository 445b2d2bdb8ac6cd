//! Inputs made from seeds: a chain of small changes, some to bytes and some to JSON values.

mod bytes;
mod structure;

use crate::random::Random;

/// No input grows beyond this.
const LONGEST: usize = 64 * 1024;

/// An input made from one of the seeds, or from nothing if there are none.
pub fn input(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut data = random.pick(seeds).cloned().unwrap_or_default();
    // Many inputs differ from their seed in one place only: those get deepest into the code.
    let changes = if random.one_in(2) { 1 } else { random.below(8) };
    for _ in 0..changes {
        let other = random.pick(seeds).map_or(&[][..], Vec::as_slice);
        let by_structure = random.one_in(2) && structure::change(&mut data, other, random);
        if !by_structure {
            bytes::change(&mut data, other, random);
        }
        data.truncate(LONGEST);
    }
    data
}
