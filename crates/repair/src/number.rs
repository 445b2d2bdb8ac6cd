//! Numbers of the settings, looked at and spelled.

use interlingua_wire::{Json, Kind};

/// The number that a value says, be it in a string.
pub(crate) fn said(json: &Json) -> Option<f64> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    match json.kind() {
        Kind::Number => number(json.as_str()),
        Kind::String => number(&json.text()?.contents()),
        Kind::Null | Kind::Bool | Kind::Array | Kind::Object => None,
    }
}

/// A number as short as it can be written. Nothing has no sign.
pub(crate) fn spelled(number: f64) -> Json {
    let number = if number == 0.0 { 0.0 } else { number };
    Json::parse(number.to_string()).unwrap_or(Json::NULL)
}

/// A whole number written without a fraction or an exponent, and not beyond all measure. Nothing with a
/// sign is read as a fraction.
pub(crate) fn is_exact(json: &Json) -> bool {
    let digits = json.as_str().trim();
    digits != "-0" && (digits.parse::<i64>().is_ok() || digits.parse::<u64>().is_ok())
}

/// A whole number as near to this as any reader of JSON can hold.
pub(crate) fn whole(number: f64) -> f64 {
    number.trunc().clamp(-MOST, MOST)
}

const MOST: f64 = 9_007_199_254_740_991.0;

/// A number as a count: no less than nothing, and whole.
#[expect(clippy::cast_sign_loss, reason = "what is less than nothing is nothing")]
pub(crate) fn count(number: f64) -> u64 {
    number.max(0.0) as u64
}
