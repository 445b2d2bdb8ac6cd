//! JSON numbers as decimal digits, compared without rounding.

use std::cmp::Ordering;
use std::fmt;

/// Digits without zeros at either end, and the power of ten that multiplies them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    /// Empty for zero.
    digits: Vec<u8>,
    power: i64,
}

impl Decimal {
    /// `None` if the text is no number, or its exponent overflows.
    pub(crate) fn parse(raw: &str) -> Option<Self> {
        let (negative, rest) = raw.strip_prefix('-').map_or((false, raw), |rest| (true, rest));
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let exponent: i64 = exponent.strip_prefix('+').unwrap_or(exponent).parse().ok()?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let mut power = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        while digits.last() == Some(&b'0') {
            digits.pop();
            power = power.checked_add(1)?;
        }
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..zeros);
        if digits.is_empty() {
            return Some(Self { negative: false, digits, power: 0 });
        }
        Some(Self { negative, digits, power })
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.power >= 0
    }

    pub(crate) fn is_positive(&self) -> bool {
        !self.negative && !self.digits.is_empty()
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.digits.is_empty(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        match sign(self).cmp(&sign(other)) {
            Ordering::Equal if self.negative => other.compare_magnitude(self),
            Ordering::Equal => self.compare_magnitude(other),
            unequal => unequal,
        }
    }

    /// Compares absolute values.
    fn compare_magnitude(&self, other: &Self) -> Ordering {
        let magnitude = |number: &Self| {
            let digits = i64::try_from(number.digits.len()).unwrap_or(i64::MAX);
            number.power.saturating_add(digits)
        };
        let ordering = magnitude(self).cmp(&magnitude(other));
        ordering.then_with(|| self.digits.cmp(&other.digits))
    }

    /// Whether it is a multiple of another; `None` if the numbers are too long to compute it.
    pub(crate) fn is_multiple_of(&self, other: &Self) -> Option<bool> {
        if self.digits.is_empty() {
            return Some(true);
        }
        let low = self.power.min(other.power);
        let scaled = |number: &Self| -> Option<i128> {
            let shift = u32::try_from(number.power.checked_sub(low)?).ok()?;
            let digits = std::str::from_utf8(&number.digits).ok()?;
            digits.parse::<i128>().ok()?.checked_mul(10_i128.checked_pow(shift)?)
        };
        let (value, factor) = (scaled(self)?, scaled(other)?);
        (factor != 0).then(|| value % factor == 0)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = std::str::from_utf8(&self.digits).unwrap_or_default();
        let sign = if self.negative { "-" } else { "" };
        match usize::try_from(self.power) {
            _ if digits.is_empty() => f.write_str("0"),
            Ok(zeros) if zeros < 20 => write!(f, "{sign}{digits}{}", "0".repeat(zeros)),
            _ => {
                let point = usize::try_from(self.power.unsigned_abs()).unwrap_or(usize::MAX);
                match digits.split_at_checked(digits.len().wrapping_sub(point)) {
                    Some((whole, rest)) if self.power < 0 && !whole.is_empty() => {
                        write!(f, "{sign}{whole}.{rest}")
                    }
                    Some((_, rest)) if self.power < 0 => write!(f, "{sign}0.{rest}"),
                    _ => write!(f, "{sign}{digits}e{}", self.power),
                }
            }
        }
    }
}
