//! The scanner: strict RFC 8259, depth-limited, no values built, compiled for each width of registers.
#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the widest registers"
)]

mod string;
#[cfg(test)]
mod tests;

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch};

use super::{Kind, Limits, Malformed, Span, Why, block};

/// Fills the tape; whether escapes in the text stand for halves of characters, paired or not.
pub(super) fn tape(bytes: &[u8], depth: usize, tape: &mut Vec<Span>) -> Result<bool, Malformed> {
    // In short texts most is keys and words; in long ones most is long strings.
    tape.reserve(bytes.len() / 48 + bytes.len().min(SHORT) / 8 + 4);
    scan(Level::new(), bytes, depth, tape).map(|found| found.surrogates)
}

/// Where the value stands in the text, if there is one and nothing else.
pub(super) fn value(bytes: &[u8], depth: usize) -> Result<Range<usize>, Malformed> {
    scan(Level::new(), bytes, depth, &mut Forgotten).map(|found| found.value)
}

struct Found {
    value: Range<usize>,
    surrogates: bool,
}

fn scan(
    level: Level,
    bytes: &[u8],
    depth: usize,
    tape: &mut impl Tape,
) -> Result<Found, Malformed> {
    let mut short = [0; block::SIZE];
    let last = bytes.last_chunk().unwrap_or_else(|| {
        short[block::SIZE - bytes.len()..].copy_from_slice(bytes);
        &short
    });
    let limit = depth.min(Limits::DEEPEST);
    dispatch!(level, simd => Scan { simd, bytes, last }.whole(limit, tape))
}

/// What remembers where values stand.
trait Tape {
    /// Remembers a value that ends.
    fn leaf(&mut self, start: usize, end: usize, kind: Kind, plain: bool);
    /// Remembers an array or an object that begins inside the one at `around`; its own place.
    fn open(&mut self, start: usize, kind: Kind, around: usize) -> usize;
    /// The array or object at `slot` ends, and all that was remembered since is inside; the one around.
    fn close(&mut self, slot: usize, end: usize) -> usize;
}

impl Tape for Vec<Span> {
    #[inline(always)]
    fn leaf(&mut self, start: usize, end: usize, kind: Kind, plain: bool) {
        let next = self.len() as u32 + 1;
        self.push(Span { start: start as u32, end: end as u32, next, kind, plain });
    }

    #[inline(always)]
    fn open(&mut self, start: usize, kind: Kind, around: usize) -> usize {
        let slot = self.len();
        // What is open has no next; the place tells the way out.
        self.push(Span { start: start as u32, end: 0, next: around as u32, kind, plain: false });
        slot
    }

    #[inline(always)]
    fn close(&mut self, slot: usize, end: usize) -> usize {
        let next = self.len() as u32;
        let span = &mut self[slot];
        span.end = end as u32;
        std::mem::replace(&mut span.next, next) as usize
    }
}

/// For whoever only asks whether it is JSON.
struct Forgotten;

impl Tape for Forgotten {
    fn leaf(&mut self, _: usize, _: usize, _: Kind, _: bool) {}

    fn open(&mut self, _: usize, _: Kind, _: usize) -> usize {
        0
    }

    fn close(&mut self, _: usize, _: usize) -> usize {
        0
    }
}

/// The text. Places in it are passed from one to the next, and so stay in registers.
struct Scan<'a, S> {
    simd: S,
    bytes: &'a [u8],
    /// The last block of the text; zeros before a text that is shorter.
    last: &'a [u8; block::SIZE],
}

/// The arrays and objects that have begun and not ended.
struct Around {
    depth: usize,
    /// The place of the innermost.
    slot: usize,
    /// What ends the innermost.
    close: u8,
    /// Which of the innermost are objects; the innermost is the first bit.
    objects: u64,
    /// The same of those around them, from the outermost.
    outer: [u64; Limits::DEEPEST / 64],
}

impl Around {
    #[inline(always)]
    fn begin(&mut self, slot: usize, is_object: bool) {
        if self.depth.is_multiple_of(64) {
            self.outer[self.depth / 64] = self.objects;
        }
        self.depth += 1;
        self.slot = slot;
        self.objects = self.objects << 1 | u64::from(is_object);
        self.close = self.innermost();
    }

    /// The innermost has ended, and stands in the one at this place.
    #[inline(always)]
    fn end(&mut self, slot: usize) {
        self.depth -= 1;
        self.slot = slot;
        self.objects >>= 1;
        if self.depth.is_multiple_of(64) {
            self.objects = self.outer[self.depth / 64];
        }
        self.close = self.innermost();
    }

    #[inline(always)]
    fn innermost(&self) -> u8 {
        if self.objects & 1 == 1 { b'}' } else { b']' }
    }
}

impl<S: Simd> Scan<'_, S> {
    #[inline(always)]
    fn whole(&self, limit: usize, tape: &mut impl Tape) -> Result<Found, Malformed> {
        let mut around = Around { depth: 0, slot: 0, close: 0, objects: 0, outer: [0; _] };
        let mut surrogates = false;
        let start = self.space(0);
        let mut at = start;
        loop {
            if around.close == b'}' {
                at = self.key(at, &mut surrogates, tape)?;
            }
            at = self.space(at);
            at = match self.peek(at) {
                Some(b'"') => self.string(at, &mut surrogates, tape)?,
                Some(open @ (b'{' | b'[')) => {
                    if around.depth >= limit {
                        return Err(Malformed { at, why: Why::TooDeep { limit } });
                    }
                    let is_object = open == b'{';
                    let (kind, close) =
                        if is_object { (Kind::Object, b'}') } else { (Kind::Array, b']') };
                    let slot = tape.open(at, kind, around.slot);
                    at = self.space(at + 1);
                    if self.peek(at) != Some(close) {
                        around.begin(slot, is_object);
                        continue;
                    }
                    tape.close(slot, at + 1);
                    at + 1
                }
                _ => {
                    let (end, kind) = self.word_or_number(at)?;
                    tape.leaf(at, end, kind, false);
                    end
                }
            };
            while around.depth > 0 {
                let byte = self.peek(at);
                if byte == Some(b',') {
                    at += 1;
                    break;
                }
                if byte == Some(around.close) {
                    at += 1;
                    around.end(tape.close(around.slot, at));
                    continue;
                }
                at = self.pass_space_before(at, [b',', around.close])?;
            }
            if around.depth == 0 {
                let end = self.space(at);
                return match self.peek(end) {
                    None => Ok(Found { value: start..at, surrogates }),
                    Some(_) => Err(self.expected(end, "the end of the text")),
                };
            }
        }
    }

    /// Passes a key and its colon.
    #[inline(always)]
    fn key(
        &self,
        mut at: usize,
        surrogates: &mut bool,
        tape: &mut impl Tape,
    ) -> Result<usize, Malformed> {
        if self.peek(at) != Some(b'"') {
            at = self.pass_space_before(at, *b"\"\"")?;
        }
        at = self.string(at, surrogates, tape)?;
        if self.peek(at) != Some(b':') {
            at = self.pass_space_before(at, *b"::")?;
        }
        Ok(at + 1)
    }

    /// Where one of these bytes stands, behind space.
    #[inline(never)]
    fn pass_space_before(&self, at: usize, bytes: [u8; 2]) -> Result<usize, Malformed> {
        let at = self.pass_space(at);
        if self.peek(at).is_some_and(|byte| bytes.contains(&byte)) {
            return Ok(at);
        }
        Err(self.expected(
            at,
            match bytes {
                [b'"', _] => "a key",
                [b':', _] => "':'",
                [_, b'}'] => "',' or '}'",
                _ => "',' or ']'",
            },
        ))
    }

    /// The end of a value that is none of the others, and what it is.
    #[inline(never)]
    fn word_or_number(&self, at: usize) -> Result<(usize, Kind), Malformed> {
        let (word, kind): (&[u8], _) = match self.peek(at) {
            Some(b't') => (b"true", Kind::Bool),
            Some(b'f') => (b"false", Kind::Bool),
            Some(b'n') => (b"null", Kind::Null),
            Some(b'-' | b'0'..=b'9') => return Ok((self.number(at)?, Kind::Number)),
            _ => return Err(self.expected(at, "a value")),
        };
        if !self.bytes[at..].starts_with(word) {
            return Err(self.expected(at, "a value"));
        }
        Ok((at + word.len(), kind))
    }

    fn number(&self, at: usize) -> Result<usize, Malformed> {
        let (_, at) = self.eat(at, b"-");
        let (zero, mut at) = self.eat(at, b"0");
        if !zero {
            at = self.digits(at)?;
        }
        let (dot, mut at) = self.eat(at, b".");
        if dot {
            at = self.digits(at)?;
        }
        let (exponent, at) = self.eat(at, b"eE");
        if exponent { self.digits(self.eat(at, b"+-").1) } else { Ok(at) }
    }

    fn digits(&self, at: usize) -> Result<usize, Malformed> {
        let digits = self.bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 { Err(self.expected(at, "a digit")) } else { Ok(at + digits) }
    }

    /// Whether one of these bytes stands here, and where to go on.
    #[inline]
    fn eat(&self, at: usize, bytes: &[u8]) -> (bool, usize) {
        let found = self.peek(at).is_some_and(|byte| bytes.contains(&byte));
        (found, at + usize::from(found))
    }

    #[inline(always)]
    fn space(&self, at: usize) -> usize {
        // Mostly there is none, and one comparison shows it.
        match self.peek(at) {
            Some(..=b' ') => self.pass_space(at),
            _ => at,
        }
    }

    #[inline(never)]
    fn pass_space(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default().iter();
        at + rest.take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count()
    }

    #[inline(always)]
    fn peek(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    #[cold]
    fn expected(&self, at: usize, what: &'static str) -> Malformed {
        let why = if at >= self.bytes.len() { Why::Ended } else { Why::Expected(what) };
        Malformed { at, why }
    }
}

/// Up to here a text is short.
const SHORT: usize = 2048;
