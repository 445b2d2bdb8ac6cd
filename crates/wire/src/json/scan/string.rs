//! Scans strings vector by vector; only vectors with rare bytes are examined further.

use fearless_simd::Simd;

use super::super::simd::{self, HalfVectorMasks, VectorMasks};
use super::super::{JsonError, JsonErrorKind, JsonKind};
use super::{Scanner, TapeSink};

/// A scanned string.
struct ScannedString {
    end: usize,
    /// The string has no escape.
    escape_free: bool,
    /// Some escape is a surrogate.
    has_surrogate_escapes: bool,
}

/// What is known of the part of a string that was scanned.
#[derive(Default)]
struct StringState {
    backslashes: u64,
    /// 1 if the last backslash escapes the next byte.
    escape_carry: u64,
    has_surrogate_escapes: bool,
}

/// Outcome of scanning one vector of a string.
enum VectorResult {
    /// The string continues in the next vector.
    Continues,
    /// The string ends after so many bytes of this vector.
    End(usize),
    Invalid,
}

impl<S: Simd> Scanner<'_, S> {
    /// Scans the string that begins here.
    #[inline(always)]
    pub(super) fn scan_string(
        &self,
        start: usize,
        surrogates: &mut bool,
        tape: &mut impl TapeSink,
    ) -> Result<usize, JsonError> {
        let contents_start = start + 1;
        // Keys and short values end within 32 bytes.
        let rest = &self.bytes[contents_start..];
        let half_vector_masks = match rest.first_chunk() {
            Some(chunk) => HalfVectorMasks::classify(self.simd, chunk),
            None => self.last_half_vector(rest.len()),
        };
        if let Some(length) = half_vector_masks.string_len() {
            let end = contents_start + length + 1;
            tape.leaf(start, end, JsonKind::String, true);
            return Ok(end);
        }
        let string = self.scan_long_string(
            contents_start + half_vector_masks.plain_prefix_len().min(rest.len()),
        )?;
        *surrogates |= string.has_surrogate_escapes;
        tape.leaf(start, string.end, JsonKind::String, string.escape_free);
        Ok(string.end)
    }

    /// Masks of the rest of the text, taken from its last 32 bytes without those that were scanned.
    #[inline(never)]
    fn last_half_vector(&self, rest_len: usize) -> HalfVectorMasks {
        let chunk = self.last_vector.last_chunk().unwrap_or(&[0; simd::HALF_VECTOR_BYTES]);
        self.simd.vectorize(
            #[inline(always)]
            || HalfVectorMasks::classify(self.simd, chunk).skip(simd::HALF_VECTOR_BYTES - rest_len),
        )
    }

    #[inline(never)]
    fn scan_long_string(&self, at: usize) -> Result<ScannedString, JsonError> {
        self.simd.vectorize(
            #[inline(always)]
            || self.scan_by_vectors(at),
        )
    }

    /// Scans the rest of a string, of which the part before `at` has no escapes.
    #[inline(always)]
    fn scan_by_vectors(&self, mut at: usize) -> Result<ScannedString, JsonError> {
        let mut state = StringState::default();
        let (vectors, rest) = self.bytes[at..].as_chunks();
        let mut vector_result = VectorResult::Continues;
        for block in vectors {
            vector_result = self.scan_vector(block, 0, at, &mut state);
            if !matches!(vector_result, VectorResult::Continues) {
                break;
            }
            at += simd::VECTOR_BYTES;
        }
        // The end of the text is scanned as its last vector, without the bytes that were scanned.
        if !rest.is_empty() && matches!(vector_result, VectorResult::Continues) {
            vector_result =
                self.scan_vector(self.last_vector, simd::VECTOR_BYTES - rest.len(), at, &mut state);
        }
        let StringState { backslashes, escape_carry: carried, has_surrogate_escapes: surrogates } =
            state;
        match vector_result {
            VectorResult::End(bytes) => Ok(ScannedString {
                end: at + bytes,
                escape_free: backslashes == 0,
                has_surrogate_escapes: surrogates,
            }),
            VectorResult::Continues => {
                Err(JsonError { offset: self.bytes.len(), kind: JsonErrorKind::UnexpectedEnd })
            }
            // Scans byte by byte to find the exact offset of the error.
            VectorResult::Invalid => self.scan_by_bytes(at - carried as usize, surrogates),
        }
    }

    /// Scans the vector at this offset, without its first `skipped` bytes.
    #[inline(always)]
    fn scan_vector(
        &self,
        block: &[u8; simd::VECTOR_BYTES],
        skipped: usize,
        at: usize,
        state: &mut StringState,
    ) -> VectorResult {
        let vector_masks = VectorMasks::classify(self.simd, block).skip(skipped);
        let (escaped, carry) = vector_masks.escaped_bytes(state.escape_carry);
        let ends = vector_masks.quotes & !escaped;
        let unusual = escaped & !vector_masks.escapable;
        // One comparison for all rare bytes: mostly there are none.
        if ends | unusual | vector_masks.controls != 0 {
            let string_mask = !ends & ends.wrapping_sub(1);
            let controls = simd::shift_out(simd::control_mask(self.simd, block), skipped);
            let letters = simd::shift_out(simd::escape_letter_mask(self.simd, block), skipped);
            let Some(surrogates) = self.check_unicode_escapes(at, unusual & string_mask & !letters)
            else {
                return VectorResult::Invalid;
            };
            if controls & string_mask != 0 {
                return VectorResult::Invalid;
            }
            state.has_surrogate_escapes |= surrogates;
            if ends != 0 {
                state.backslashes |= vector_masks.backslashes & string_mask;
                return VectorResult::End(ends.trailing_zeros() as usize + 1);
            }
        }
        state.backslashes |= vector_masks.backslashes;
        state.escape_carry = carry;
        VectorResult::Continues
    }

    /// Checks that each of these bytes belongs to a `\u` escape; returns whether one is a
    /// surrogate.
    #[inline(always)]
    fn check_unicode_escapes(&self, block: usize, mut bytes: u64) -> Option<bool> {
        let mut surrogates = false;
        while bytes != 0 {
            let at = block + bytes.trailing_zeros() as usize;
            surrogates |= self.is_surrogate_escape(at - 1)?;
            bytes &= bytes - 1;
        }
        Some(surrogates)
    }

    fn scan_by_bytes(
        &self,
        mut at: usize,
        mut surrogates: bool,
    ) -> Result<ScannedString, JsonError> {
        loop {
            match self.bytes[at..] {
                [b'"', ..] => {
                    return Ok(ScannedString {
                        end: at + 1,
                        escape_free: false,
                        has_surrogate_escapes: surrogates,
                    });
                }
                [b'\\', letter, ..] if ESCAPE_LETTERS[usize::from(letter)] => at += 2,
                [] | [b'\\'] => {
                    return Err(JsonError {
                        offset: self.bytes.len(),
                        kind: JsonErrorKind::UnexpectedEnd,
                    });
                }
                [b'\\', ..] => {
                    let Some(surrogate) = self.is_surrogate_escape(at) else {
                        return Err(self.expected(at, "a valid escape"));
                    };
                    surrogates |= surrogate;
                    at += 6;
                }
                [..0x20, ..] => {
                    return Err(self.expected(at, "no bare control character in a string"));
                }
                _ => at += 1,
            }
        }
    }

    /// Whether the `\u` escape at this offset is a surrogate; `None` if it is not a valid `\u`
    /// escape.
    fn is_surrogate_escape(&self, at: usize) -> Option<bool> {
        let [b'\\', b'u', digits @ ..] = &self.bytes[at..] else { return None };
        let digits = digits.first_chunk::<4>()?;
        digits
            .iter()
            .all(u8::is_ascii_hexdigit)
            .then_some(matches!(digits, [b'd' | b'D', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F', ..]))
    }
}

/// The letters that may follow a backslash, except `u`.
const ESCAPE_LETTERS: [bool; 256] = {
    let mut letters = [false; 256];
    let mut at = 0;
    while at < 8 {
        letters[b"\"\\/bfnrt"[at] as usize] = true;
        at += 1;
    }
    letters
};
