//! Classifies the bytes of a vector as bit masks, one bit per byte.
//!
//! The functions are inlined into callers that are compiled for the machine's widest registers.
#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the caller's registers"
)]

use fearless_simd::{Simd, prelude::*, u8x16, u8x32, u8x64};

pub(super) const VECTOR_BYTES: usize = 64;
pub(super) const HALF_VECTOR_BYTES: usize = 32;

/// Masks of the bytes that matter inside a string. Bit `n` is byte `n`.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorMasks {
    pub(super) quotes: u64,
    pub(super) backslashes: u64,
    /// The bytes that mostly follow a backslash: a quote, a backslash, or the `n` of a line feed.
    pub(super) escapable: u64,
    /// Not zero if the vector has a control character.
    pub(super) controls: u64,
}

impl VectorMasks {
    #[inline(always)]
    pub(super) fn classify(simd: impl Simd, block: &[u8; VECTOR_BYTES]) -> Self {
        let lanes = u8x64::simd_from(simd, *block);
        let (first, second) = lanes.split();
        let quotes = lanes.simd_eq(b'"').to_bitmask();
        let backslashes = lanes.simd_eq(b'\\').to_bitmask();
        Self {
            quotes,
            backslashes,
            escapable: quotes | backslashes | lanes.simd_eq(b'n').to_bitmask(),
            controls: first.min(second).simd_lt(0x20).to_bitmask(),
        }
    }

    /// Shifts out the first bytes of the vector.
    #[inline(always)]
    pub(super) fn skip(self, bytes: usize) -> Self {
        Self {
            quotes: shift_out(self.quotes, bytes),
            backslashes: shift_out(self.backslashes, bytes),
            escapable: shift_out(self.escapable, bytes),
            controls: self.controls,
        }
    }

    /// The bytes that are escaped by a backslash, and whether the first byte of the next vector is;
    /// `carried` is 1 if the first byte of this one is escaped.
    ///
    /// In a run of backslashes every other one is escaped itself. Adding the starts of runs at odd
    /// offsets carries through these runs, which distinguishes them from runs at even offsets.
    #[inline]
    pub(super) fn escaped_bytes(&self, carried: u64) -> (u64, u64) {
        let backslashes = self.backslashes & !carried;
        let follows_backslash = backslashes << 1 | carried;
        let odd_run_starts = backslashes & !EVEN_BITS & !follows_backslash;
        let (ends, carry) = odd_run_starts.overflowing_add(backslashes);
        ((EVEN_BITS ^ (ends << 1)) & follows_backslash, u64::from(carry))
    }
}

/// Shifts the bits of the first `skipped` bytes out of a mask.
#[inline(always)]
pub(super) fn shift_out(bits: u64, skipped: usize) -> u64 {
    bits.checked_shr(skipped as u32).unwrap_or(0)
}

/// Control characters.
#[inline(always)]
pub(super) fn control_mask(simd: impl Simd, block: &[u8; VECTOR_BYTES]) -> u64 {
    u8x64::simd_from(simd, *block).simd_lt(0x20).to_bitmask()
}

/// Bytes that may follow a backslash, except `u`.
#[inline(always)]
pub(super) fn escape_letter_mask(simd: impl Simd, block: &[u8; VECTOR_BYTES]) -> u64 {
    let lanes = u8x64::simd_from(simd, *block);
    // `b` and `r`, and `f` and `n`, differ in one bit.
    let letters = lanes.simd_eq(b'"')
        | lanes.simd_eq(b'\\')
        | lanes.simd_eq(b'/')
        | lanes.simd_eq(b't')
        | (lanes | (b'b' ^ b'r')).simd_eq(b'r')
        | (lanes | (b'f' ^ b'n')).simd_eq(b'n');
    letters.to_bitmask()
}

/// Quotes, backslashes and control characters.
#[inline(always)]
pub(super) fn must_escape_mask(simd: impl Simd, block: &[u8; VECTOR_BYTES]) -> u64 {
    let lanes = u8x64::simd_from(simd, *block);
    (lanes.simd_eq(b'"') | lanes.simd_eq(b'\\') | lanes.simd_lt(0x20)).to_bitmask()
}

/// Masks of 32 bytes: quotes, and other bytes that matter inside a string.
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfVectorMasks {
    quotes: u64,
    specials: u64,
}

impl HalfVectorMasks {
    #[inline(always)]
    pub(super) fn classify(simd: impl Simd, bytes: &[u8; HALF_VECTOR_BYTES]) -> Self {
        let lanes = u8x32::simd_from(simd, *bytes);
        Self {
            quotes: lanes.simd_eq(b'"').to_bitmask(),
            specials: (lanes.simd_eq(b'\\') | lanes.simd_lt(0x20)).to_bitmask(),
        }
    }

    /// Shifts out the first bytes, fewer than 32.
    #[inline(always)]
    pub(super) fn skip(self, bytes: usize) -> Self {
        Self {
            quotes: self.quotes.wrapping_shr(bytes as u32),
            specials: self.specials.wrapping_shr(bytes as u32),
        }
    }

    /// Number of bytes before the quote, if there is one and no special byte before it.
    #[inline(always)]
    pub(super) fn string_len(self) -> Option<usize> {
        let before = self.quotes.wrapping_sub(1) & !self.quotes;
        (self.quotes != 0 && self.specials & before == 0)
            .then_some(self.quotes.trailing_zeros() as usize)
    }

    /// Number of bytes before the first quote or special byte.
    #[inline(always)]
    pub(super) fn plain_prefix_len(self) -> usize {
        ((self.quotes | self.specials).trailing_zeros() as usize).min(HALF_VECTOR_BYTES)
    }
}

/// As [`must_escape_mask`], for 16 bytes.
#[inline(always)]
pub(super) fn must_escape_mask_16(simd: impl Simd, bytes: &[u8; 16]) -> u64 {
    let lanes = u8x16::simd_from(simd, *bytes);
    (lanes.simd_eq(b'"') | lanes.simd_eq(b'\\') | lanes.simd_lt(0x20)).to_bitmask()
}

/// The backslashes among 16 bytes.
#[inline(always)]
pub(super) fn backslash_mask_16(simd: impl Simd, bytes: &[u8; 16]) -> u64 {
    u8x16::simd_from(simd, *bytes).simd_eq(b'\\').to_bitmask()
}

/// Every other bit, from the lowest.
const EVEN_BITS: u64 = u64::MAX / 3;
