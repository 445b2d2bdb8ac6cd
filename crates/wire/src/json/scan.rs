//! The scanner: strict RFC 8259, depth-limited, no values built.

use super::{Kind, Limits, Malformed, Span, Why};

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
        let slot = self.tape.len();
        let start = self.at as u32;
        self.tape.push(Span { start, end: start, next: 0, kind: Kind::Null });
        let kind = match self.peek() {
            Some(b'{') => self.sequence(b'}', depth, Kind::Object)?,
            Some(b'[') => self.sequence(b']', depth, Kind::Array)?,
            Some(b'"') => self.string()?,
            Some(b't') => self.word(b"true", Kind::Bool)?,
            Some(b'f') => self.word(b"false", Kind::Bool)?,
            Some(b'n') => self.word(b"null", Kind::Null)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(self.expected("a value")),
        };
        let next = self.tape.len() as u32;
        self.tape[slot] = Span { start, end: self.at as u32, next, kind };
        Ok(())
    }

    fn sequence(&mut self, close: u8, depth: usize, kind: Kind) -> Result<Kind, Malformed> {
        if depth >= self.limit {
            return Err(Malformed { at: self.at, why: Why::TooDeep { limit: self.limit } });
        }
        self.at += 1;
        self.space();
        if self.eat(close) {
            return Ok(kind);
        }
        loop {
            if kind == Kind::Object {
                if self.peek() != Some(b'"') {
                    return Err(self.expected("a key"));
                }
                self.key()?;
                self.space();
                if !self.eat(b':') {
                    return Err(self.expected("':'"));
                }
                self.space();
            }
            self.value(depth + 1)?;
            self.space();
            if self.eat(close) {
                return Ok(kind);
            }
            if !self.eat(b',') {
                return Err(self.expected(if kind == Kind::Object {
                    "',' or '}'"
                } else {
                    "',' or ']'"
                }));
            }
            self.space();
        }
    }

    fn key(&mut self) -> Result<(), Malformed> {
        let start = self.at as u32;
        let kind = self.string()?;
        let next = self.tape.len() as u32 + 1;
        self.tape.push(Span { start, end: self.at as u32, next, kind });
        Ok(())
    }

    fn string(&mut self) -> Result<Kind, Malformed> {
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let Some(stop) = memchr::memchr2(b'"', b'\\', rest) else {
                return Err(Malformed { at: self.bytes.len(), why: Why::Ended });
            };
            // Branch-free over the run, so that it vectorises; the place is looked up only if found.
            if rest[..stop].iter().fold(false, |control, byte| control | (*byte < 0x20)) {
                let place = rest[..stop].iter().position(|byte| *byte < 0x20).unwrap_or(0);
                self.at += place;
                return Err(self.expected("no bare control character in a string"));
            }
            self.at += stop;
            if self.eat(b'"') {
                return Ok(Kind::String);
            }
            self.at += match &self.bytes[self.at + 1..] {
                [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
                [b'u', a, b, c, d, ..]
                    if [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()) =>
                {
                    6
                }
                [] => return Err(Malformed { at: self.bytes.len(), why: Why::Ended }),
                _ => return Err(self.expected("a valid escape")),
            };
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

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn expected(&self, what: &'static str) -> Malformed {
        let why = if self.at >= self.bytes.len() { Why::Ended } else { Why::Expected(what) };
        Malformed { at: self.at, why }
    }
}
