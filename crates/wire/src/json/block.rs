//! What the bytes of a block are to a string: a bit for each.
//!
//! Each function is compiled into its caller, and so for the widest registers the machine has.
#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the caller's registers"
)]

use fearless_simd::{Simd, prelude::*, u8x16, u8x32, u8x64};

pub(super) const SIZE: usize = 64;
pub(super) const SHORT: usize = 32;

/// Which bytes of a block mean something inside a string. Bit `n` is byte `n`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    pub(super) quotes: u64,
    pub(super) backslashes: u64,
    /// What mostly stands behind a backslash: a quote, a backslash, or the letter of an end of a line.
    pub(super) escapable: u64,
    /// Not zero if there is a control character somewhere in the block.
    pub(super) controls: u64,
}

impl Marks {
    #[inline(always)]
    pub(super) fn of(simd: impl Simd, block: &[u8; SIZE]) -> Self {
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

    /// Without the first bytes of the block.
    #[inline(always)]
    pub(super) fn skip(self, bytes: usize) -> Self {
        Self {
            quotes: rest(self.quotes, bytes),
            backslashes: rest(self.backslashes, bytes),
            escapable: rest(self.escapable, bytes),
            controls: self.controls,
        }
    }

    /// The bytes that a backslash makes part of an escape, and whether it does so with the first of
    /// the next block; `carried` says whether one does with the first of this. Both are 0 or 1.
    ///
    /// In a row of backslashes every other one is escaped itself. A carry runs through a row that
    /// begins at an odd place, and so tells the two kinds of rows apart.
    #[inline]
    pub(super) fn escaped(&self, carried: u64) -> (u64, u64) {
        let backslashes = self.backslashes & !carried;
        let behind = backslashes << 1 | carried;
        let odd_rows = backslashes & !EVEN & !behind;
        let (ends, over) = odd_rows.overflowing_add(backslashes);
        ((EVEN ^ (ends << 1)) & behind, u64::from(over))
    }
}

/// What is said of a block's bytes, without the first of them.
#[inline(always)]
pub(super) fn rest(bits: u64, skipped: usize) -> u64 {
    bits.checked_shr(skipped as u32).unwrap_or(0)
}

/// Control characters.
#[inline(always)]
pub(super) fn controls(simd: impl Simd, block: &[u8; SIZE]) -> u64 {
    u8x64::simd_from(simd, *block).simd_lt(0x20).to_bitmask()
}

/// Bytes that may follow a backslash, without the `u` of an escape by number.
#[inline(always)]
pub(super) fn letters(simd: impl Simd, block: &[u8; SIZE]) -> u64 {
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
pub(super) fn special(simd: impl Simd, block: &[u8; SIZE]) -> u64 {
    let lanes = u8x64::simd_from(simd, *block);
    (lanes.simd_eq(b'"') | lanes.simd_eq(b'\\') | lanes.simd_lt(0x20)).to_bitmask()
}

/// The quotes among a few bytes, and what else means something inside a string.
#[derive(Clone, Copy, Debug)]
pub(super) struct Few {
    quotes: u64,
    others: u64,
}

impl Few {
    #[inline(always)]
    pub(super) fn of(simd: impl Simd, bytes: &[u8; SHORT]) -> Self {
        let lanes = u8x32::simd_from(simd, *bytes);
        Self {
            quotes: lanes.simd_eq(b'"').to_bitmask(),
            others: (lanes.simd_eq(b'\\') | lanes.simd_lt(0x20)).to_bitmask(),
        }
    }

    /// Without the first bytes, of which there are no more than a few.
    #[inline(always)]
    pub(super) fn skip(self, bytes: usize) -> Self {
        Self {
            quotes: self.quotes.wrapping_shr(bytes as u32),
            others: self.others.wrapping_shr(bytes as u32),
        }
    }

    /// How many bytes stand before the quote, if there is one and all of them are plain.
    #[inline(always)]
    pub(super) fn length(self) -> Option<usize> {
        let before = self.quotes.wrapping_sub(1) & !self.quotes;
        (self.quotes != 0 && self.others & before == 0)
            .then_some(self.quotes.trailing_zeros() as usize)
    }

    /// How many of the bytes are plain, up to the first that is not.
    #[inline(always)]
    pub(super) fn plain(self) -> usize {
        ((self.quotes | self.others).trailing_zeros() as usize).min(SHORT)
    }
}

/// As [`special`], for a few bytes.
#[inline(always)]
pub(super) fn special_of_few(simd: impl Simd, bytes: &[u8; 16]) -> u64 {
    let lanes = u8x16::simd_from(simd, *bytes);
    (lanes.simd_eq(b'"') | lanes.simd_eq(b'\\') | lanes.simd_lt(0x20)).to_bitmask()
}

/// The backslashes among a few bytes.
#[inline(always)]
pub(super) fn backslashes_of_few(simd: impl Simd, bytes: &[u8; 16]) -> u64 {
    u8x16::simd_from(simd, *bytes).simd_eq(b'\\').to_bitmask()
}

/// Every other bit, from the first.
const EVEN: u64 = u64::MAX / 3;
