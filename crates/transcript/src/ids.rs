//! New ids as functions of old ones.

use interlingua::Text;
use interlingua::model::derive_id;

/// A uuid (of the version for schemes of one's own) that depends on these alone.
pub(crate) fn uuid(parent: &str, content: &str) -> String {
    let digits = hex(parent, content);
    let (head, middle) = (&digits[..8], &digits[8..12]);
    let (version, variant) = (&digits[13..16], &digits[17..20]);
    format!("{head}-{middle}-8{version}-a{variant}-{}", &digits[20..32])
}

/// Letters for an id that depends on these alone.
pub(crate) fn letters(parent: &str, content: &str) -> String {
    hex(parent, content)[..26].to_owned()
}

/// 48 hexadecimal digits.
fn hex(parent: &str, content: &str) -> String {
    let parent = derive_id("", &Text::new(parent), content.len());
    let seed = Text::new(&format!("{parent} {content}"));
    format!("{}{}", derive_id("", &seed, 0), derive_id("", &seed, 1))
}
