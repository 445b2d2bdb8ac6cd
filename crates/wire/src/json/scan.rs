//! The scanner: strict RFC 8259, depth-limited, no values built.

use std::ops::Range;

use super::block::{self, Marks};
use super::{Kind, Limits, Malformed, Span, Why};

/// Fills the tape; whether escapes in the text stand for halves of characters, paired or not.
pub(super) fn tape(bytes: &[u8], depth: usize, tape: &mut Vec<Span>) -> Result<bool, Malformed> {
    tape.reserve(bytes.len() / 48 + 4);
    scan(bytes, depth, tape).map(|found| found.surrogates)
}

/// Where the value stands in the text, if there is one and nothing else.
pub(super) fn value(bytes: &[u8], depth: usize) -> Result<Range<usize>, Malformed> {
    scan(bytes, depth, &mut Forgotten).map(|found| found.value)
}

struct Found {
    value: Range<usize>,
    surrogates: bool,
}

fn scan(bytes: &[u8], depth: usize, tape: &mut impl Tape) -> Result<Found, Malformed> {
    let limit = depth.min(Limits::DEEPEST);
    let mut short = [0; block::SIZE];
    let last = bytes.last_chunk().unwrap_or_else(|| {
        short[block::SIZE - bytes.len()..].copy_from_slice(bytes);
        &short
    });
    let mut scan = Scan { bytes, last, at: 0, limit, tape, wrong: None, surrogates: false };
    match (scan.whole(), scan.wrong) {
        (Ok(value), _) => Ok(Found { value, surrogates: scan.surrogates }),
        (Err(Stopped), wrong) => Err(wrong.unwrap_or(Malformed { at: 0, why: Why::Ended })),
    }
}

/// What remembers where values stand.
trait Tape {
    /// Remembers a value; the number under which [`Tape::close`] finds it.
    fn leaf(&mut self, start: usize, end: usize, kind: Kind, plain: bool) -> usize;
    /// An array or an object ends, and all that was remembered since is inside.
    fn close(&mut self, slot: usize, end: usize);
}

impl Tape for Vec<Span> {
    #[inline]
    fn leaf(&mut self, start: usize, end: usize, kind: Kind, plain: bool) -> usize {
        let slot = self.len();
        let next = slot as u32 + 1;
        self.push(Span { start: start as u32, end: end as u32, next, kind, plain });
        slot
    }

    #[inline]
    fn close(&mut self, slot: usize, end: usize) {
        self[slot].end = end as u32;
        self[slot].next = self.len() as u32;
    }
}

/// For whoever only asks whether it is JSON.
struct Forgotten;

impl Tape for Forgotten {
    fn leaf(&mut self, _: usize, _: usize, _: Kind, _: bool) -> usize {
        0
    }

    fn close(&mut self, _: usize, _: usize) {}
}

struct Scan<'a, T> {
    bytes: &'a [u8],
    /// The last block of the text; zeros before a text that is shorter.
    last: &'a [u8; block::SIZE],
    at: usize,
    limit: usize,
    tape: &'a mut T,
    wrong: Option<Malformed>,
    surrogates: bool,
}

/// The text is not what it should be; `wrong` says how. Results that fit a register are cheap to pass.
struct Stopped;

impl<'a, T: Tape> Scan<'a, T> {
    fn whole(&mut self) -> Result<Range<usize>, Stopped> {
        self.space();
        let start = self.at;
        self.value(0)?;
        let end = self.at;
        self.space();
        match self.peek() {
            None => Ok(start..end),
            Some(_) => Err(self.expected("the end of the text")),
        }
    }

    fn value(&mut self, depth: usize) -> Result<(), Stopped> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => return self.sequence(b'}', depth, Kind::Object),
            Some(b'[') => return self.sequence(b']', depth, Kind::Array),
            Some(b'"') => {
                let plain = self.string()?;
                self.leaf(start, Kind::String, plain);
                return Ok(());
            }
            Some(b't') => self.word(b"true", Kind::Bool)?,
            Some(b'f') => self.word(b"false", Kind::Bool)?,
            Some(b'n') => self.word(b"null", Kind::Null)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(self.expected("a value")),
        };
        self.leaf(start, kind, false);
        Ok(())
    }

    fn leaf(&mut self, start: usize, kind: Kind, plain: bool) {
        self.tape.leaf(start, self.at, kind, plain);
    }

    fn sequence(&mut self, close: u8, depth: usize, kind: Kind) -> Result<(), Stopped> {
        if depth >= self.limit {
            return Err(self.stop(self.at, Why::TooDeep { limit: self.limit }));
        }
        let slot = self.tape.leaf(self.at, self.at, kind, false);
        self.at += 1;
        self.space();
        if !self.eat(close) {
            self.elements(close, depth, kind)?;
        }
        self.tape.close(slot, self.at);
        Ok(())
    }

    fn elements(&mut self, close: u8, depth: usize, kind: Kind) -> Result<(), Stopped> {
        loop {
            if kind == Kind::Object {
                self.key()?;
            }
            self.value(depth + 1)?;
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(());
                }
                _ => {
                    let object = kind == Kind::Object;
                    return Err(self.expected(if object { "',' or '}'" } else { "',' or ']'" }));
                }
            }
            self.space();
        }
    }

    fn key(&mut self) -> Result<(), Stopped> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.expected("a key"));
        }
        let plain = self.string()?;
        self.leaf(start, Kind::String, plain);
        self.space();
        if !self.eat(b':') {
            return Err(self.expected("':'"));
        }
        self.space();
        Ok(())
    }

    /// Passes a string; `true` if it holds no escape.
    #[inline]
    fn string(&mut self) -> Result<bool, Stopped> {
        self.at += 1;
        // Keys and words end within a few bytes; for a longer string, larger steps are worth it.
        for few in self.bytes[self.at..].as_chunks().0.iter().take(2) {
            let special = block::special_of_few(few);
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

    /// Passes a string from within, where everything before was plain.
    #[inline(never)]
    fn long_string(&mut self) -> Result<bool, Stopped> {
        let (mut plain, mut carried) = (true, false);
        while self.at < self.bytes.len() {
            let before = carried;
            let (block, skipped) = self.block();
            if skipped == 0 && !carried && block::is_plain(block) {
                self.at += block::SIZE;
                continue;
            }
            let marks = Marks::of(block).skip(skipped);
            let escaped = marks.escaped(&mut carried);
            let ends = marks.quotes & !escaped;
            let inside = !ends & ends.wrapping_sub(1);
            plain &= marks.backslashes & inside == 0;
            if marks.controls & inside != 0
                || !self.are_escapes(escaped & inside, &marks, block, skipped)
            {
                // A mistake: where it is shows byte by byte.
                self.at -= usize::from(before);
                break;
            }
            if ends != 0 {
                self.at += ends.trailing_zeros() as usize + 1;
                return Ok(plain);
            }
            self.at += block::SIZE - skipped;
        }
        self.rest_of_string().map(|()| false)
    }

    /// The block that begins here, or near the end of the text the last one, and how many of its
    /// bytes are passed already.
    #[inline]
    fn block(&self) -> (&'a [u8; block::SIZE], usize) {
        match self.bytes[self.at..].first_chunk() {
            Some(block) => (block, 0),
            None => (self.last, block::SIZE - (self.bytes.len() - self.at)),
        }
    }

    /// Whether a backslash may stand before each of these bytes of a block.
    #[inline]
    fn are_escapes(
        &mut self,
        escaped: u64,
        marks: &Marks,
        block: &[u8; block::SIZE],
        skipped: usize,
    ) -> bool {
        // Mostly they are quotes, backslashes and ends of lines.
        let rare = escaped & !(marks.quotes | marks.backslashes);
        if rare == 0 || rare & !(block::line_ends(block) >> skipped) == 0 {
            return true;
        }
        let mut numbered = rare & !(block::letters(block) >> skipped);
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

    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    #[inline]
    fn space(&mut self) {
        // Mostly there is none, and one comparison shows it.
        while let Some(byte @ ..=b' ') = self.peek()
            && matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
        {
            self.at += 1;
        }
    }

    #[inline]
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
