//! Strings: passed block by block, with a closer look only where something rare stands.

use fearless_simd::Simd;

use super::super::block::{self, Few, Marks};
use super::super::{Kind, Malformed, Why};
use super::{Scan, Tape};

/// A string that is passed.
struct Passed {
    end: usize,
    /// It holds no escape.
    plain: bool,
    /// An escape stands for half a character.
    surrogates: bool,
}

/// What is known of the part of a string that is passed.
#[derive(Default)]
struct Part {
    backslashes: u64,
    /// 1 if the last of them makes the next byte part of an escape.
    carried: u64,
    surrogates: bool,
}

/// What a block of a string is.
enum Found {
    /// The string goes on.
    More,
    /// It ends behind so many bytes.
    End(usize),
    Mistake,
}

impl<S: Simd> Scan<'_, S> {
    /// Passes the string that begins here.
    #[inline(always)]
    pub(super) fn string(
        &self,
        start: usize,
        surrogates: &mut bool,
        tape: &mut impl Tape,
    ) -> Result<usize, Malformed> {
        let inside = start + 1;
        // Keys and words end within a few bytes.
        let left = &self.bytes[inside..];
        let few = match left.first_chunk() {
            Some(few) => Few::of(self.simd, few),
            None => self.last_few(left.len()),
        };
        if let Some(length) = few.length() {
            let end = inside + length + 1;
            tape.leaf(start, end, Kind::String, true);
            return Ok(end);
        }
        let passed = self.long_string(inside + few.plain().min(left.len()))?;
        *surrogates |= passed.surrogates;
        tape.leaf(start, passed.end, Kind::String, passed.plain);
        Ok(passed.end)
    }

    /// Near the end of the text they are its last bytes, of which some are passed already.
    #[inline(never)]
    fn last_few(&self, left: usize) -> Few {
        let few = self.last.last_chunk().unwrap_or(&[0; block::SHORT]);
        self.simd.vectorize(
            #[inline(always)]
            || Few::of(self.simd, few).skip(block::SHORT - left),
        )
    }

    #[inline(never)]
    fn long_string(&self, at: usize) -> Result<Passed, Malformed> {
        self.simd.vectorize(
            #[inline(always)]
            || self.rest_by_blocks(at),
        )
    }

    /// Passes a string from within, where everything before was plain.
    #[inline(always)]
    fn rest_by_blocks(&self, mut at: usize) -> Result<Passed, Malformed> {
        let mut part = Part::default();
        let (blocks, rest) = self.bytes[at..].as_chunks();
        let mut found = Found::More;
        for block in blocks {
            found = self.block(block, 0, at, &mut part);
            if !matches!(found, Found::More) {
                break;
            }
            at += block::SIZE;
        }
        // Near the end of the text it is the last block, of which some is passed already.
        if !rest.is_empty() && matches!(found, Found::More) {
            found = self.block(self.last, block::SIZE - rest.len(), at, &mut part);
        }
        let Part { backslashes, carried, surrogates } = part;
        match found {
            Found::End(bytes) => {
                Ok(Passed { end: at + bytes, plain: backslashes == 0, surrogates })
            }
            Found::More => Err(Malformed { at: self.bytes.len(), why: Why::Ended }),
            // Where it is shows byte by byte.
            Found::Mistake => self.rest_by_bytes(at - carried as usize, surrogates),
        }
    }

    /// Looks at a block that begins at this place, without the bytes before it.
    #[inline(always)]
    fn block(
        &self,
        block: &[u8; block::SIZE],
        skipped: usize,
        at: usize,
        part: &mut Part,
    ) -> Found {
        let marks = Marks::of(self.simd, block).skip(skipped);
        let (escaped, over) = marks.escaped(part.carried);
        let ends = marks.quotes & !escaped;
        let odd = escaped & !marks.escapable;
        // One question for all that is rare: mostly nothing of it is there.
        if ends | odd | marks.controls != 0 {
            let inside = !ends & ends.wrapping_sub(1);
            let controls = block::rest(block::controls(self.simd, block), skipped);
            let letters = block::rest(block::letters(self.simd, block), skipped);
            let Some(surrogates) = self.numbered(at, odd & inside & !letters) else {
                return Found::Mistake;
            };
            if controls & inside != 0 {
                return Found::Mistake;
            }
            part.surrogates |= surrogates;
            if ends != 0 {
                part.backslashes |= marks.backslashes & inside;
                return Found::End(ends.trailing_zeros() as usize + 1);
            }
        }
        part.backslashes |= marks.backslashes;
        part.carried = over;
        Found::More
    }

    /// Whether one of the escapes before these bytes stands for half a character, if each is an escape
    /// by number.
    #[inline(always)]
    fn numbered(&self, block: usize, mut bytes: u64) -> Option<bool> {
        let mut surrogates = false;
        while bytes != 0 {
            let at = block + bytes.trailing_zeros() as usize;
            surrogates |= self.unicode(at - 1)?;
            bytes &= bytes - 1;
        }
        Some(surrogates)
    }

    fn rest_by_bytes(&self, mut at: usize, mut surrogates: bool) -> Result<Passed, Malformed> {
        loop {
            match self.bytes[at..] {
                [b'"', ..] => return Ok(Passed { end: at + 1, plain: false, surrogates }),
                [b'\\', letter, ..] if LETTERS[usize::from(letter)] => at += 2,
                [] | [b'\\'] => return Err(Malformed { at: self.bytes.len(), why: Why::Ended }),
                [b'\\', ..] => {
                    let Some(half) = self.unicode(at) else {
                        return Err(self.expected(at, "a valid escape"));
                    };
                    surrogates |= half;
                    at += 6;
                }
                [..0x20, ..] => {
                    return Err(self.expected(at, "no bare control character in a string"));
                }
                _ => at += 1,
            }
        }
    }

    /// Whether the escape at this byte stands for half a character, if it is one by number.
    fn unicode(&self, at: usize) -> Option<bool> {
        let [b'\\', b'u', digits @ ..] = &self.bytes[at..] else { return None };
        let digits = digits.first_chunk::<4>()?;
        digits
            .iter()
            .all(u8::is_ascii_hexdigit)
            .then_some(matches!(digits, [b'd' | b'D', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F', ..]))
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
