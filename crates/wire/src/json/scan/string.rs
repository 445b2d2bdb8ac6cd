//! Strings: passed block by block, with a closer look only where something rare stands.

use fearless_simd::Simd;

use super::super::Why;
use super::super::block::{self, Marks};
use super::{Scan, Stopped, Tape};

/// What is known of the part of a string that is passed.
struct Passed {
    backslashes: u64,
    /// The last of them makes the next byte part of an escape.
    carried: bool,
}

/// What a block of a string is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// The string goes on.
    More,
    End,
    Mistake,
}

impl<S: Simd, T: Tape> Scan<'_, S, T> {
    /// Passes a string; `true` if it holds no escape.
    #[inline(always)]
    pub(super) fn string(&mut self) -> Result<bool, Stopped> {
        self.at += 1;
        // Keys and words end within a few bytes; for a longer string, larger steps are worth it.
        for _ in 0..2 {
            let Some(few) = self.bytes[self.at..].first_chunk() else { return self.last_string() };
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

    /// Passes a string that begins near the end of the text: one look at its end takes in what is left.
    #[inline(always)]
    fn last_string(&mut self) -> Result<bool, Stopped> {
        let passed = block::SHORT - (self.bytes.len() - self.at);
        let few = self.last.last_chunk().unwrap_or(&[0; block::SHORT]);
        let special = block::rest(block::special_of_few(self.simd, few), passed);
        let length = special.trailing_zeros() as usize;
        if few.get(passed + length) != Some(&b'"') {
            return self.long_string();
        }
        self.at += length + 1;
        Ok(true)
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
        let mut passed = Passed { backslashes: 0, carried: false };
        let bytes = self.bytes;
        let (blocks, rest) = bytes[self.at..].as_chunks();
        let mut found = Found::More;
        for block in blocks {
            found = self.block(block, 0, &mut passed);
            if found != Found::More {
                break;
            }
        }
        // Near the end of the text it is the last block, of which some is passed already.
        if found == Found::More && !rest.is_empty() {
            found = self.block(self.last, block::SIZE - rest.len(), &mut passed);
        }
        match found {
            Found::End => Ok(passed.backslashes == 0),
            Found::More | Found::Mistake => self.rest_of_string().map(|()| false),
        }
    }

    /// Passes a block, or what of it is inside the string.
    #[inline(always)]
    fn block(&mut self, block: &[u8; block::SIZE], skipped: usize, passed: &mut Passed) -> Found {
        let marks = Marks::of(self.simd, block).skip(skipped);
        let before = passed.carried;
        let (escaped, over) = marks.escaped(before);
        passed.carried = over;
        let ends = marks.quotes & !escaped;
        let odd = escaped & !marks.escapable;
        // One question for all that is rare: mostly nothing of it is there.
        if ends | odd | u64::from(marks.controls) == 0 {
            passed.backslashes |= marks.backslashes;
            self.at += block::SIZE - skipped;
            return Found::More;
        }
        let inside = !ends & ends.wrapping_sub(1);
        passed.backslashes |= marks.backslashes & inside;
        if !self.is_sound(inside, odd, block, skipped) {
            // Where it is shows byte by byte.
            self.at -= usize::from(before);
            return Found::Mistake;
        }
        if ends != 0 {
            self.at += ends.trailing_zeros() as usize + 1;
            return Found::End;
        }
        self.at += block::SIZE - skipped;
        Found::More
    }

    /// Whether no control character stands among these bytes of a block, and a backslash may stand before
    /// each of the odd ones.
    #[inline(always)]
    fn is_sound(
        &mut self,
        inside: u64,
        odd: u64,
        block: &[u8; block::SIZE],
        skipped: usize,
    ) -> bool {
        if block::rest(block::controls(self.simd, block), skipped) & inside != 0 {
            return false;
        }
        let letters = block::rest(block::letters(self.simd, block), skipped);
        let mut numbered = odd & inside & !letters;
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
