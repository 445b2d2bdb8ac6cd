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
    dispatch!(level, simd => Scan {
        simd,
        bytes,
        last,
        at: 0,
        around: Around { limit, depth: 0, slot: 0, is_object: false, objects: [0; _] },
        tape,
        wrong: None,
        surrogates: false,
    }
    .found())
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

struct Scan<'a, S, T> {
    simd: S,
    bytes: &'a [u8],
    /// The last block of the text; zeros before a text that is shorter.
    last: &'a [u8; block::SIZE],
    at: usize,
    around: Around,
    tape: &'a mut T,
    wrong: Option<Malformed>,
    surrogates: bool,
}

/// The arrays and objects that have begun and not ended.
struct Around {
    limit: usize,
    depth: usize,
    /// The place of the innermost.
    slot: usize,
    /// The innermost is an object.
    is_object: bool,
    /// Which of them are objects; the outermost is the first bit.
    objects: [u64; Limits::DEEPEST / 64],
}

impl Around {
    #[inline(always)]
    fn begin(&mut self, slot: usize, kind: Kind) {
        let (word, bit) = (self.depth / 64, self.depth % 64);
        let others = self.objects[word] & !(1 << bit);
        self.is_object = kind == Kind::Object;
        self.objects[word] = others | u64::from(self.is_object) << bit;
        self.slot = slot;
        self.depth += 1;
    }

    /// The innermost has ended, and stands in the one at this place.
    #[inline(always)]
    fn end(&mut self, slot: usize) {
        self.slot = slot;
        self.depth -= 1;
        let innermost = self.depth.saturating_sub(1);
        self.is_object = self.objects[innermost / 64] >> (innermost % 64) & 1 == 1;
    }
}

/// The text is not what it should be; `wrong` says how. Results that fit a register are cheap to pass.
struct Stopped;

impl<S: Simd, T: Tape> Scan<'_, S, T> {
    #[inline(always)]
    fn found(mut self) -> Result<Found, Malformed> {
        match (self.whole(), self.wrong) {
            (Ok(value), _) => Ok(Found { value, surrogates: self.surrogates }),
            (Err(Stopped), wrong) => Err(wrong.unwrap_or(Malformed { at: 0, why: Why::Ended })),
        }
    }

    #[inline(always)]
    fn whole(&mut self) -> Result<Range<usize>, Stopped> {
        self.space();
        let start = self.at;
        while !self.value()? || self.leads_on()? {}
        let end = self.at;
        self.space();
        match self.peek() {
            None => Ok(start..end),
            Some(_) => Err(self.expected("the end of the text")),
        }
    }

    /// Passes a value and is `true`, or what stands before the first one inside it.
    #[inline(always)]
    fn value(&mut self) -> Result<bool, Stopped> {
        let start = self.at;
        let (kind, plain) = match self.peek() {
            Some(b'"') => (Kind::String, self.string()?),
            Some(b'{') => return self.begin(b'}', Kind::Object),
            Some(b'[') => return self.begin(b']', Kind::Array),
            Some(b't') => (self.word(b"true", Kind::Bool)?, false),
            Some(b'f') => (self.word(b"false", Kind::Bool)?, false),
            Some(b'n') => (self.word(b"null", Kind::Null)?, false),
            Some(b'-' | b'0'..=b'9') => (self.number()?, false),
            _ => return Err(self.expected("a value")),
        };
        self.tape.leaf(start, self.at, kind, plain);
        Ok(true)
    }

    #[inline(always)]
    fn begin(&mut self, close: u8, kind: Kind) -> Result<bool, Stopped> {
        if self.around.depth >= self.around.limit {
            return Err(self.stop(self.at, Why::TooDeep { limit: self.around.limit }));
        }
        let slot = self.tape.open(self.at, kind, self.around.slot);
        self.at += 1;
        self.space();
        if self.eat(close) {
            self.tape.close(slot, self.at);
            return Ok(true);
        }
        self.around.begin(slot, kind);
        if kind == Kind::Object {
            self.key()?;
        }
        Ok(false)
    }

    /// Passes what stands behind a value; whether another one follows.
    #[inline(always)]
    fn leads_on(&mut self) -> Result<bool, Stopped> {
        while self.around.depth > 0 {
            self.space();
            match (self.peek(), self.around.is_object) {
                (Some(b','), object) => {
                    self.at += 1;
                    self.space();
                    if object {
                        self.key()?;
                    }
                    return Ok(true);
                }
                (Some(b'}'), true) | (Some(b']'), false) => {
                    self.at += 1;
                    let around = self.tape.close(self.around.slot, self.at);
                    self.around.end(around);
                }
                (_, object) => {
                    return Err(self.expected(if object { "',' or '}'" } else { "',' or ']'" }));
                }
            }
        }
        Ok(false)
    }

    #[inline(always)]
    fn key(&mut self) -> Result<(), Stopped> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.expected("a key"));
        }
        let plain = self.string()?;
        self.tape.leaf(start, self.at, Kind::String, plain);
        self.space();
        if !self.eat(b':') {
            return Err(self.expected("':'"));
        }
        self.space();
        Ok(())
    }

    fn number(&mut self) -> Result<Kind, Stopped> {
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(Kind::Number)
    }

    fn digits(&mut self) -> Result<(), Stopped> {
        let digits = self.bytes[self.at..].iter().take_while(|b| b.is_ascii_digit()).count();
        self.at += digits;
        if digits == 0 { Err(self.expected("a digit")) } else { Ok(()) }
    }

    fn word(&mut self, word: &[u8], kind: Kind) -> Result<Kind, Stopped> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(self.expected("a value"));
        }
        self.at += word.len();
        Ok(kind)
    }

    #[inline(always)]
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    #[inline(always)]
    fn space(&mut self) {
        // Mostly there is none, and one comparison shows it.
        while let Some(byte @ ..=b' ') = self.peek()
            && matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
        {
            self.at += 1;
        }
    }

    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[cold]
    fn expected(&mut self, what: &'static str) -> Stopped {
        let why = if self.at >= self.bytes.len() { Why::Ended } else { Why::Expected(what) };
        self.stop(self.at, why)
    }

    #[cold]
    fn stop(&mut self, at: usize, why: Why) -> Stopped {
        self.wrong = Some(Malformed { at, why });
        Stopped
    }
}

/// Up to here a text is short.
const SHORT: usize = 2048;
