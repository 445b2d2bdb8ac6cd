//! Parses and formats numbers of settings.

use interlingua_wire::{JsonKind, RawJson};

/// The number in a value, which may be a string.
pub(crate) fn parse(json: &RawJson) -> Option<f64> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    match json.kind() {
        JsonKind::Number => number(json.as_str()),
        JsonKind::String => number(&json.json_string()?.unescape()),
        JsonKind::Null | JsonKind::Bool | JsonKind::Array | JsonKind::Object => None,
    }
}

/// The shortest spelling of a number. Zero has no sign.
pub(crate) fn to_json(number: f64) -> RawJson {
    let number = if number == 0.0 { 0.0 } else { number };
    RawJson::parse(number.to_string()).unwrap_or(RawJson::NULL)
}

/// Whether this is an integer without fraction or exponent that fits into 64 bits. `-0` is
/// excluded: parsers read it as a float.
pub(crate) fn is_plain_integer(json: &RawJson) -> bool {
    let digits = json.as_str().trim();
    digits != "-0" && (digits.parse::<i64>().is_ok() || digits.parse::<u64>().is_ok())
}

/// The nearest integer that every JSON parser represents exactly.
pub(crate) fn to_safe_integer(number: f64) -> f64 {
    number.trunc().clamp(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER)
}

const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// A number as a count: truncated, and at least zero.
#[expect(clippy::cast_sign_loss, reason = "clamped to zero")]
pub(crate) fn to_count(number: f64) -> u64 {
    number.max(0.0) as u64
}
