//! Derives new ids deterministically from parent ids and content.

use interlingua::JsonString;
use interlingua_model::derive_id;

/// A UUID of version 8 (custom), derived from its arguments.
pub(crate) fn uuid(parent: &str, content: &str) -> String {
    let digits = hex_digits(parent, content);
    let (head, middle) = (&digits[..8], &digits[8..12]);
    let (version, variant) = (&digits[13..16], &digits[17..20]);
    format!("{head}-{middle}-8{version}-a{variant}-{}", &digits[20..32])
}

/// 26 hexadecimal digits, derived from the arguments.
pub(crate) fn hex_id(parent: &str, content: &str) -> String {
    hex_digits(parent, content)[..26].to_owned()
}

/// 48 hexadecimal digits.
fn hex_digits(parent: &str, content: &str) -> String {
    let parent = derive_id("", &JsonString::new(parent), content.len());
    let seed = JsonString::new(&format!("{parent} {content}"));
    format!("{}{}", derive_id("", &seed, 0), derive_id("", &seed, 1))
}
