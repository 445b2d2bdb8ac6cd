//! Parses sizes and durations with units.

use std::time::Duration;

/// Bytes: a whole number and a unit, at most 1 PiB.
pub(super) fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = split_unit(text)?;
    let factor = SIZES.iter().find(|(name, _)| *name == unit)?.1;
    number.checked_mul(factor).filter(|bytes| (1..=1 << 50).contains(bytes))
}

/// A whole number and a unit, from 1 ms to ten years.
pub(super) fn parse_duration(text: &str) -> Option<Duration> {
    let (number, unit) = split_unit(text)?;
    let factor = DURATIONS.iter().find(|(name, _)| *name == unit)?.1;
    let millis = number.checked_mul(factor)?;
    (1..=3650 * 86_400_000).contains(&millis).then(|| Duration::from_millis(millis))
}

fn split_unit(text: &str) -> Option<(u64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((number.parse().ok()?, unit.trim_start()))
}

const SIZES: &[(&str, u64)] = &[
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("kB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
];

const DURATIONS: &[(&str, u64)] =
    &[("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];
