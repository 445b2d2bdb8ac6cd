//! Describes the format of tool names.

use crate::facts::facts;

facts! {
/// Characters and length of a name.
#[derive(Clone, Copy, Debug)]
pub struct NameFormat {
    /// Characters besides letters and digits; `None` if all characters are allowed.
    pub punctuation: Option<&'static str>,
    pub max_chars: Option<usize>,
    /// The first character must be a letter or an underscore.
    pub starts_with_letter: bool,
    /// May be empty, where all characters are allowed.
    pub allows_empty: bool,
}
}

impl NameFormat {
    pub fn accepts(&self, name: &str) -> bool {
        let Some(punctuation) = self.punctuation else {
            return self.is_short(name) && (self.allows_empty || !name.is_empty());
        };
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || punctuation.contains(c);
        let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_first_valid = !self.starts_with_letter || name.starts_with(is_first);
        !name.is_empty() && is_first_valid && self.is_short(name) && name.chars().all(is_allowed)
    }

    fn is_short(&self, name: &str) -> bool {
        self.max_chars
            .is_none_or(|max_chars| name.len() <= max_chars || name.chars().count() <= max_chars)
    }
}
