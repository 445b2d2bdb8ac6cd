//! The scanner: strict RFC 8259, depth-limited, no values built.

use super::{Kind, Limits, Malformed, Span, Why, block};

pub(super) fn tape(bytes: &[u8], depth: usize, tape: &mut Vec<Span>) -> Result<(), Malformed> {
    tape.reserve(bytes.len() / 48 + 4);
    let depth = depth.min(Limits::DEEPEST);
    let mut scan = Scan { bytes, at: 0, limit: depth, tape };
    scan.space();
    scan.value(0)?;
    scan.space();
    match scan.peek() {
        None => Ok(()),
        Some(_) => Err(scan.expected("the end of the text")),
    }
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    limit: usize,
    tape: &'a mut Vec<Span>,
}

impl Scan<'_> {
    fn value(&mut self, depth: usize) -> Result<(), Malformed> {
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
        let next = self.tape.len() as u32 + 1;
        self.tape.push(Span { start: start as u32, end: self.at as u32, next, kind, plain });
    }

    fn sequence(&mut self, close: u8, depth: usize, kind: Kind) -> Result<(), Malformed> {
        if depth >= self.limit {
            return Err(Malformed { at: self.at, why: Why::TooDeep { limit: self.limit } });
        }
        let slot = self.tape.len();
        self.leaf(self.at, kind, false);
        self.at += 1;
        self.space();
        if !self.eat(close) {
            self.elements(close, depth, kind)?;
        }
        self.tape[slot].end = self.at as u32;
        self.tape[slot].next = self.tape.len() as u32;
        Ok(())
    }

    fn elements(&mut self, close: u8, depth: usize, kind: Kind) -> Result<(), Malformed> {
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

    fn key(&mut self) -> Result<(), Malformed> {
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

    /// Passes a string; `true` if it is known to hold no escape.
    fn string(&mut self) -> Result<bool, Malformed> {
        self.at += 1;
        if self.short_string() {
            return Ok(true);
        }
        if !self.blocks_of_string() {
            self.rest_of_string()?;
        }
        Ok(false)
    }

    /// Passes a string without escapes that ends within a few words, as most keys do; `false` if this
    /// one is not like that.
    fn short_string(&mut self) -> bool {
        for _ in 0..4 {
            let Some(word) = self.bytes[self.at..].first_chunk() else { return false };
            let length = block::plain(*word);
            self.at += length;
            if let Some(special) = word.get(length) {
                let ended = *special == b'"';
                self.at += usize::from(ended);
                return ended;
            }
        }
        false
    }

    /// Passes whole blocks; `false` before the last bytes of the text, or before a mistake.
    fn blocks_of_string(&mut self) -> bool {
        while let Some(block) = self.bytes[self.at..].first_chunk::<{ block::SIZE }>() {
            let mut special = block::special(block);
            let mut passed = block::SIZE;
            while special != 0 {
                let at = special.trailing_zeros() as usize;
                if block[at] == b'"' {
                    self.at += at + 1;
                    return true;
                }
                let Some(letter) = block.get(at + 1).filter(|_| block[at] == b'\\') else {
                    // A control character, or an escape that goes on in the next block.
                    passed = at;
                    break;
                };
                if !LETTERS[usize::from(*letter)] && !unicode(&self.bytes[self.at + at..]) {
                    return false;
                }
                special &= !(0b11 << at);
            }
            if passed == 0 {
                return false;
            }
            self.at += passed;
        }
        false
    }

    fn rest_of_string(&mut self) -> Result<(), Malformed> {
        loop {
            match self.bytes[self.at..] {
                [b'"', ..] => {
                    self.at += 1;
                    return Ok(());
                }
                [b'\\', letter, ..] if LETTERS[usize::from(letter)] => self.at += 2,
                [b'\\', ..] if unicode(&self.bytes[self.at..]) => self.at += 6,
                [] | [b'\\'] => return Err(Malformed { at: self.bytes.len(), why: Why::Ended }),
                [b'\\', ..] => return Err(self.expected("a valid escape")),
                [..0x20, ..] => {
                    return Err(self.expected("no bare control character in a string"));
                }
                _ => self.at += 1,
            }
        }
    }

    fn number(&mut self) -> Result<Kind, Malformed> {
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

    fn digits(&mut self) -> Result<(), Malformed> {
        let digits = self.bytes[self.at..].iter().take_while(|b| b.is_ascii_digit()).count();
        self.at += digits;
        if digits == 0 { Err(self.expected("a digit")) } else { Ok(()) }
    }

    fn word(&mut self, word: &[u8], kind: Kind) -> Result<Kind, Malformed> {
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

    fn expected(&self, what: &'static str) -> Malformed {
        let why = if self.at >= self.bytes.len() { Why::Ended } else { Why::Expected(what) };
        Malformed { at: self.at, why }
    }
}

/// Whether an escape by number is at the start.
fn unicode(bytes: &[u8]) -> bool {
    matches!(bytes, [b'\\', b'u', digits @ ..]
        if digits.first_chunk::<4>().is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)))
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
