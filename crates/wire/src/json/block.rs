//! What the bytes of a block are to a string: a bit for each.

use wide::u8x16;

pub(super) const SIZE: usize = 64;
pub(super) const SHORT: usize = 16;

/// Which bytes of a block mean something inside a string. Bit `n` is byte `n`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    pub(super) quotes: u64,
    pub(super) backslashes: u64,
    pub(super) controls: u64,
}

impl Marks {
    #[inline]
    pub(super) fn of(block: &[u8; SIZE]) -> Self {
        Self {
            quotes: bits(block, is_quote),
            backslashes: bits(block, is_backslash),
            controls: if any(block, is_control) { bits(block, is_control) } else { 0 },
        }
    }

    /// Without the first bytes of the block.
    #[inline]
    pub(super) fn skip(self, bytes: usize) -> Self {
        let rest = |bits: u64| bits.checked_shr(bytes as u32).unwrap_or(0);
        Self {
            quotes: rest(self.quotes),
            backslashes: rest(self.backslashes),
            controls: rest(self.controls),
        }
    }

    /// The bytes that a backslash makes part of an escape; `carried` says whether one stands before
    /// the block, and afterwards whether one stands before the next.
    ///
    /// In a row of backslashes every other one is escaped itself. A carry runs through a row that
    /// begins at an odd place, and so tells the two kinds of rows apart.
    #[inline]
    pub(super) fn escaped(&self, carried: &mut bool) -> u64 {
        let first = u64::from(*carried);
        if self.backslashes == 0 {
            *carried = false;
            return first;
        }
        let backslashes = self.backslashes & !first;
        let behind = backslashes << 1 | first;
        let odd_rows = backslashes & !EVEN & !behind;
        let (ends, over) = odd_rows.overflowing_add(backslashes);
        *carried = over;
        (EVEN ^ (ends << 1)) & behind
    }
}

/// The letter that makes an end of a line, behind a backslash.
#[inline]
pub(super) fn line_ends(block: &[u8; SIZE]) -> u64 {
    bits(block, |lane| lane.simd_eq(u8x16::splat(b'n')))
}

/// Bytes that may follow a backslash, without the `u` of an escape by number.
#[inline]
pub(super) fn letters(block: &[u8; SIZE]) -> u64 {
    bits(block, |lane| {
        // `b` and `r`, and `f` and `n`, differ in one bit.
        is_quote(lane)
            | is_backslash(lane)
            | lane.simd_eq(u8x16::splat(b'/'))
            | lane.simd_eq(u8x16::splat(b't'))
            | (lane | u8x16::splat(b'b' ^ b'r')).simd_eq(u8x16::splat(b'r'))
            | (lane | u8x16::splat(b'f' ^ b'n')).simd_eq(u8x16::splat(b'n'))
    })
}

/// Quotes, backslashes and control characters.
#[inline]
pub(super) fn special(block: &[u8; SIZE]) -> u64 {
    bits(block, is_special)
}

/// No quote, no backslash, no control character.
#[inline]
pub(super) fn is_plain(block: &[u8; SIZE]) -> bool {
    !any(block, is_special)
}

/// As [`special`], for a few bytes.
#[inline]
pub(super) fn special_of_few(bytes: &[u8; SHORT]) -> u32 {
    is_special(u8x16::new(*bytes)).to_bitmask()
}

#[inline]
fn bits(block: &[u8; SIZE], is_meant: impl Fn(u8x16) -> u8x16) -> u64 {
    let lanes = block.as_chunks::<SHORT>().0.iter().rev();
    lanes.fold(0, |bits, lane| bits << SHORT | u64::from(is_meant(u8x16::new(*lane)).to_bitmask()))
}

#[inline]
fn any(block: &[u8; SIZE], is_meant: impl Fn(u8x16) -> u8x16) -> bool {
    let lanes = block.as_chunks::<SHORT>().0.iter();
    lanes.fold(u8x16::ZERO, |found, lane| found | is_meant(u8x16::new(*lane))).to_bitmask() != 0
}

#[inline]
fn is_quote(lane: u8x16) -> u8x16 {
    lane.simd_eq(u8x16::splat(b'"'))
}

#[inline]
fn is_backslash(lane: u8x16) -> u8x16 {
    lane.simd_eq(u8x16::splat(b'\\'))
}

#[inline]
fn is_control(lane: u8x16) -> u8x16 {
    lane.min(u8x16::splat(0x1f)).simd_eq(lane)
}

#[inline]
fn is_special(lane: u8x16) -> u8x16 {
    is_quote(lane) | is_backslash(lane) | is_control(lane)
}

/// Every other bit, from the first.
const EVEN: u64 = u64::MAX / 3;
