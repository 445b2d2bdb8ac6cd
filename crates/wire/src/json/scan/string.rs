//! Strings: passed block by block, with a closer look only where something rare stands.

use fearless_simd::Simd;

use super::super::Why;
use super::super::block::{self, Marks};
use super::{Scan, Stopped, Tape};

impl<'a, S: Simd, T: Tape> Scan<'a, S, T> {
    /// Passes a string; `true` if it holds no escape.
    #[inline(always)]
    pub(super) fn string(&mut self) -> Result<bool, Stopped> {
        self.at += 1;
        // Keys and words end within a few bytes; for a longer string, larger steps are worth it.
        for few in self.bytes[self.at..].as_chunks().0.iter().take(2) {
            let special = block::special_of_few(self.simd, few);
            if special != 0 {
                let length = special.trailing_zeros() as usize;
                if few[length] != b'"' {
                    break;
                }
                self.at += length + 1;
                return Ok(true);
            }
            self.at += few.len();
        }
        self.long_string()
    }

    #[inline(never)]
    fn long_string(&mut self) -> Result<bool, Stopped> {
        self.simd.vectorize(
            #[inline(always)]
            || self.rest_by_blocks(),
        )
    }

    /// Passes a string from within, where everything before was plain.
    #[inline(always)]
    fn rest_by_blocks(&mut self) -> Result<bool, Stopped> {
        let (mut backslashes, mut carried) = (0, false);
        while self.at < self.bytes.len() {
            let (block, skipped) = self.block();
            let marks = Marks::of(self.simd, block).skip(skipped);
            let (escaped, over) = marks.escaped(carried);
            let ends = marks.quotes & !escaped;
            let odd = marks.controls | escaped & !marks.escapable;
            // One question for all that is rare: mostly nothing of it is there, and no block then
            // waits for what the one before it says.
            if ends | odd | u64::from(over) == 0 {
                backslashes |= marks.backslashes;
                carried = false;
                self.at += block::SIZE - skipped;
                continue;
            }
            let before = std::mem::replace(&mut carried, over);
            let inside = !ends & ends.wrapping_sub(1);
            backslashes |= marks.backslashes & inside;
            if !self.is_sound(odd & inside, &marks, block, skipped) {
                // A mistake: where it is shows byte by byte.
                self.at -= usize::from(before);
                break;
            }
            if ends != 0 {
                self.at += ends.trailing_zeros() as usize + 1;
                return Ok(backslashes == 0);
            }
            self.at += block::SIZE - skipped;
        }
        self.rest_of_string().map(|()| false)
    }

    /// The block that begins here, or near the end of the text the last one, and how many of its
    /// bytes are passed already.
    #[inline(always)]
    fn block(&self) -> (&'a [u8; block::SIZE], usize) {
        match self.bytes[self.at..].first_chunk() {
            Some(block) => (block, 0),
            None => (self.last, block::SIZE - (self.bytes.len() - self.at)),
        }
    }

    /// Whether these bytes of a block are no control characters, and a backslash may stand before each.
    #[inline(always)]
    fn is_sound(
        &mut self,
        odd: u64,
        marks: &Marks,
        block: &[u8; block::SIZE],
        skipped: usize,
    ) -> bool {
        if odd & marks.controls != 0 {
            return false;
        }
        let mut numbered = odd & !(block::letters(self.simd, block) >> skipped);
        while numbered != 0 {
            let at = self.at + numbered.trailing_zeros() as usize;
            if !self.unicode(at - 1) {
                return false;
            }
            numbered &= numbered - 1;
        }
        true
    }

    fn rest_of_string(&mut self) -> Result<(), Stopped> {
        loop {
            match self.bytes[self.at..] {
                [b'"', ..] => {
                    self.at += 1;
                    return Ok(());
                }
                [b'\\', letter, ..] if LETTERS[usize::from(letter)] => self.at += 2,
                [b'\\', ..] if self.unicode(self.at) => self.at += 6,
                [] | [b'\\'] => return Err(self.stop(self.bytes.len(), Why::Ended)),
                [b'\\', ..] => return Err(self.expected("a valid escape")),
                [..0x20, ..] => {
                    return Err(self.expected("no bare control character in a string"));
                }
                _ => self.at += 1,
            }
        }
    }

    /// Whether an escape by number stands at this byte; what stands for half a character is noted.
    fn unicode(&mut self, at: usize) -> bool {
        let [b'\\', b'u', digits @ ..] = &self.bytes[at..] else { return false };
        let Some(digits) = digits.first_chunk::<4>() else { return false };
        self.surrogates |=
            matches!(digits, [b'd' | b'D', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F', ..]);
        digits.iter().all(u8::is_ascii_hexdigit)
    }
}

/// The letters that may follow a backslash, without the `u` of an escape by number.
const LETTERS: [bool; 256] = {
    let mut letters = [false; 256];
    let mut at = 0;
    while at < 8 {
        letters[b"\"\\/bfnrt"[at] as usize] = true;
        at += 1;
    }
    letters
};
