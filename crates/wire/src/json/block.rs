//! What the bytes of a block are to a string: a bit for each.
//!
//! Each function is compiled into its caller, and so for the widest registers the machine has.
#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the caller's registers"
)]

use fearless_simd::{Simd, prelude::*, u8x16, u8x64};

pub(super) const SIZE: usize = 64;
pub(super) const SHORT: usize = 16;

/// Which bytes of a block mean something inside a string. Bit `n` is byte `n`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    pub(super) quotes: u64,
    pub(super) backslashes: u64,
    /// What mostly stands behind a backslash: a quote, a backslash, or the letter of an end of a line.
    pub(super) escapable: u64,
    /// There is a control character somewhere in the block.
    pub(super) controls: bool,
}

impl Marks {
    #[inline(always)]
    pub(super) fn of(simd: impl Simd, block: &[u8; SIZE]) -> Self {
        let lanes = u8x64::simd_from(simd, *block);
        let quotes = lanes.simd_eq(b'"').to_bitmask();
        let backslashes = lanes.simd_eq(b'\\').to_bitmask();
        Self {
            quotes,
            backslashes,
            escapable: quotes | backslashes | lanes.simd_eq(b'n').to_bitmask(),
            controls: lanes.simd_lt(0x20).any_true(),
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
    /// the next block; `carried` says whether one does with the first of this.
    ///
    /// In a row of backslashes every other one is escaped itself. A carry runs through a row that
    /// begins at an odd place, and so tells the two kinds of rows apart.
    #[inline]
    pub(super) fn escaped(&self, carried: bool) -> (u64, bool) {
        let first = u64::from(carried);
        let backslashes = self.backslashes & !first;
        let behind = backslashes << 1 | first;
        let odd_rows = backslashes & !EVEN & !behind;
        let (ends, over) = odd_rows.overflowing_add(backslashes);
        ((EVEN ^ (ends << 1)) & behind, over)
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

/// As [`special`], for a few bytes.
#[inline(always)]
pub(super) fn special_of_few(simd: impl Simd, bytes: &[u8; SHORT]) -> u64 {
    let lanes = u8x16::simd_from(simd, *bytes);
    (lanes.simd_eq(b'"') | lanes.simd_eq(b'\\') | lanes.simd_lt(0x20)).to_bitmask()
}

/// The backslashes among a few bytes.
#[inline(always)]
pub(super) fn backslashes_of_few(simd: impl Simd, bytes: &[u8; SHORT]) -> u64 {
    u8x16::simd_from(simd, *bytes).simd_eq(b'\\').to_bitmask()
}

/// Every other bit, from the first.
const EVEN: u64 = u64::MAX / 3;
