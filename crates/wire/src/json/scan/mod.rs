//! Scans JSON by RFC 8259 without building values, compiled for each SIMD level.
#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the widest registers"
)]

mod string;
#[cfg(test)]
mod tests;

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch};

use super::{JsonError, JsonErrorKind, JsonKind, JsonLimits, TapeEntry, simd};

/// Fills the tape; returns whether the text has surrogate escapes, paired or not.
pub(super) fn scan_to_tape(
    bytes: &[u8],
    depth: usize,
    tape: &mut Vec<TapeEntry>,
) -> Result<bool, JsonError> {
    // Short texts are mostly keys and short values; long ones are mostly long strings.
    tape.reserve(bytes.len() / 48 + bytes.len().min(SHORT_TEXT_BYTES) / 8 + 4);
    scan(Level::new(), bytes, depth, tape).map(|scan_result| scan_result.has_surrogate_escapes)
}

/// The range of the value, if the text is one JSON value.
pub(super) fn scan_value(bytes: &[u8], depth: usize) -> Result<Range<usize>, JsonError> {
    scan(Level::new(), bytes, depth, &mut NullSink).map(|scan_result| scan_result.value)
}

struct ScanResult {
    value: Range<usize>,
    has_surrogate_escapes: bool,
}

fn scan(
    level: Level,
    bytes: &[u8],
    depth: usize,
    tape: &mut impl TapeSink,
) -> Result<ScanResult, JsonError> {
    let mut short = [0; simd::VECTOR_BYTES];
    let last = bytes.last_chunk().unwrap_or_else(|| {
        short[simd::VECTOR_BYTES - bytes.len()..].copy_from_slice(bytes);
        &short
    });
    let limit = depth.min(JsonLimits::MAX_DEPTH);
    dispatch!(level, simd => Scanner { simd, bytes, last_vector: last }.scan(limit, tape))
}

/// Receives the values that the scanner finds.
trait TapeSink {
    /// Records a value without children.
    fn leaf(&mut self, start: usize, end: usize, kind: JsonKind, escape_free: bool);
    /// Records the start of an array or object inside the one at tape index `parent`; returns its
    /// index.
    fn open(&mut self, start: usize, kind: JsonKind, parent: usize) -> usize;
    /// Records the end of the array or object at `slot`; returns the index of its parent.
    fn close(&mut self, slot: usize, end: usize) -> usize;
}

impl TapeSink for Vec<TapeEntry> {
    #[inline(always)]
    fn leaf(&mut self, start: usize, end: usize, kind: JsonKind, escape_free: bool) {
        let next = self.len() as u32 + 1;
        self.push(TapeEntry {
            start: start as u32,
            end: end as u32,
            next_index: next,
            kind,
            escape_free,
        });
    }

    #[inline(always)]
    fn open(&mut self, start: usize, kind: JsonKind, parent: usize) -> usize {
        let slot = self.len();
        // `next_index` of an open container holds the index of its parent.
        self.push(TapeEntry {
            start: start as u32,
            end: 0,
            next_index: parent as u32,
            kind,
            escape_free: false,
        });
        slot
    }

    #[inline(always)]
    fn close(&mut self, slot: usize, end: usize) -> usize {
        let next = self.len() as u32;
        let span = &mut self[slot];
        span.end = end as u32;
        std::mem::replace(&mut span.next_index, next) as usize
    }
}

/// Records nothing, for validation only.
struct NullSink;

impl TapeSink for NullSink {
    fn leaf(&mut self, _: usize, _: usize, _: JsonKind, _: bool) {}

    fn open(&mut self, _: usize, _: JsonKind, _: usize) -> usize {
        0
    }

    fn close(&mut self, _: usize, _: usize) -> usize {
        0
    }
}

/// The text being scanned. Offsets are passed by value between methods, so that they stay in
/// registers.
struct Scanner<'a, S> {
    simd: S,
    bytes: &'a [u8],
    /// The last 64 bytes of the text, zero-padded at the front.
    last_vector: &'a [u8; simd::VECTOR_BYTES],
}

/// Stack of the open arrays and objects.
struct ContainerStack {
    depth: usize,
    /// Tape index of the innermost container.
    top: usize,
    /// The byte that closes the innermost container.
    close_byte: u8,
    /// One bit per container: whether it is an object; the lowest bit is the innermost.
    object_bits: u64,
    /// The bits of the outer containers, from the outermost.
    spilled_bits: [u64; JsonLimits::MAX_DEPTH / 64],
}

impl ContainerStack {
    #[inline(always)]
    fn push(&mut self, slot: usize, is_object: bool) {
        if self.depth.is_multiple_of(64) {
            self.spilled_bits[self.depth / 64] = self.object_bits;
        }
        self.depth += 1;
        self.top = slot;
        self.object_bits = self.object_bits << 1 | u64::from(is_object);
        self.close_byte = self.closing_byte();
    }

    /// Leaves the innermost container and returns to its parent at this tape index.
    #[inline(always)]
    fn pop(&mut self, slot: usize) {
        self.depth -= 1;
        self.top = slot;
        self.object_bits >>= 1;
        if self.depth.is_multiple_of(64) {
            self.object_bits = self.spilled_bits[self.depth / 64];
        }
        self.close_byte = self.closing_byte();
    }

    #[inline(always)]
    fn closing_byte(&self) -> u8 {
        if self.object_bits & 1 == 1 { b'}' } else { b']' }
    }
}

impl<S: Simd> Scanner<'_, S> {
    #[inline(always)]
    fn scan(&self, limit: usize, tape: &mut impl TapeSink) -> Result<ScanResult, JsonError> {
        let mut container_stack = ContainerStack {
            depth: 0,
            top: 0,
            close_byte: 0,
            object_bits: 0,
            spilled_bits: [0; _],
        };
        let mut surrogates = false;
        let start = self.skip_space(0);
        let mut at = start;
        loop {
            if container_stack.close_byte == b'}' {
                at = self.scan_key(at, &mut surrogates, tape)?;
            }
            at = self.skip_space(at);
            at = match self.peek(at) {
                Some(b'"') => self.scan_string(at, &mut surrogates, tape)?,
                Some(open @ (b'{' | b'[')) => {
                    if container_stack.depth >= limit {
                        return Err(JsonError {
                            offset: at,
                            kind: JsonErrorKind::TooDeep { limit },
                        });
                    }
                    let is_object = open == b'{';
                    let (kind, close) =
                        if is_object { (JsonKind::Object, b'}') } else { (JsonKind::Array, b']') };
                    let slot = tape.open(at, kind, container_stack.top);
                    at = self.skip_space(at + 1);
                    if self.peek(at) != Some(close) {
                        container_stack.push(slot, is_object);
                        continue;
                    }
                    tape.close(slot, at + 1);
                    at + 1
                }
                _ => {
                    let (end, kind) = self.literal_or_number(at)?;
                    tape.leaf(at, end, kind, false);
                    end
                }
            };
            while container_stack.depth > 0 {
                let byte = self.peek(at);
                if byte == Some(b',') {
                    at += 1;
                    break;
                }
                if byte == Some(container_stack.close_byte) {
                    at += 1;
                    container_stack.pop(tape.close(container_stack.top, at));
                    continue;
                }
                at = self.skip_space_to(at, [b',', container_stack.close_byte])?;
            }
            if container_stack.depth == 0 {
                let end = self.skip_space(at);
                return match self.peek(end) {
                    None => Ok(ScanResult { value: start..at, has_surrogate_escapes: surrogates }),
                    Some(_) => Err(self.expected(end, "the end of the text")),
                };
            }
        }
    }

    /// Scans a key and its colon.
    #[inline(always)]
    fn scan_key(
        &self,
        mut at: usize,
        surrogates: &mut bool,
        tape: &mut impl TapeSink,
    ) -> Result<usize, JsonError> {
        if self.peek(at) != Some(b'"') {
            at = self.skip_space_to(at, *b"\"\"")?;
        }
        at = self.scan_string(at, surrogates, tape)?;
        if self.peek(at) != Some(b':') {
            at = self.skip_space_to(at, *b"::")?;
        }
        Ok(at + 1)
    }

    /// Skips white space and expects one of two bytes; returns its offset.
    #[inline(never)]
    fn skip_space_to(&self, at: usize, bytes: [u8; 2]) -> Result<usize, JsonError> {
        let at = self.skip_space_slow(at);
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

    /// Scans `true`, `false`, `null` or a number; returns its end and kind.
    #[inline(never)]
    fn literal_or_number(&self, at: usize) -> Result<(usize, JsonKind), JsonError> {
        let (literal, kind): (&[u8], _) = match self.peek(at) {
            Some(b't') => (b"true", JsonKind::Bool),
            Some(b'f') => (b"false", JsonKind::Bool),
            Some(b'n') => (b"null", JsonKind::Null),
            Some(b'-' | b'0'..=b'9') => return Ok((self.number(at)?, JsonKind::Number)),
            _ => return Err(self.expected(at, "a value")),
        };
        if !self.bytes[at..].starts_with(literal) {
            return Err(self.expected(at, "a value"));
        }
        Ok((at + literal.len(), kind))
    }

    fn number(&self, at: usize) -> Result<usize, JsonError> {
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

    fn digits(&self, at: usize) -> Result<usize, JsonError> {
        let digits = self.bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 { Err(self.expected(at, "a digit")) } else { Ok(at + digits) }
    }

    /// Whether one of these bytes is next, and the offset after it.
    #[inline]
    fn eat(&self, at: usize, bytes: &[u8]) -> (bool, usize) {
        let found = self.peek(at).is_some_and(|byte| bytes.contains(&byte));
        (found, at + usize::from(found))
    }

    #[inline(always)]
    fn skip_space(&self, at: usize) -> usize {
        // Mostly there is none, which one comparison shows.
        match self.peek(at) {
            Some(..=b' ') => self.skip_space_slow(at),
            _ => at,
        }
    }

    #[inline(never)]
    fn skip_space_slow(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default().iter();
        at + rest.take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count()
    }

    #[inline(always)]
    fn peek(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    #[cold]
    fn expected(&self, at: usize, what: &'static str) -> JsonError {
        let kind = if at >= self.bytes.len() {
            JsonErrorKind::UnexpectedEnd
        } else {
            JsonErrorKind::Expected(what)
        };
        JsonError { offset: at, kind }
    }
}

/// Texts up to this length count as short.
const SHORT_TEXT_BYTES: usize = 2048;
