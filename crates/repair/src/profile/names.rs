//! What tools may be called.

/// What a name is made of.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// What stands beside letters and digits; `None` where anything may.
    pub marks: Option<&'static str>,
    pub most: Option<usize>,
    /// Begins with a letter or an underscore.
    pub letter_first: bool,
    /// May be empty, where anything may.
    pub empty: bool,
}

impl Names {
    pub fn fit(&self, name: &str) -> bool {
        let Some(marks) = self.marks else {
            return self.is_short(name) && (self.empty || !name.is_empty());
        };
        let fits = |c: char| c.is_ascii_alphanumeric() || marks.contains(c);
        let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
        let first = !self.letter_first || name.starts_with(starts);
        !name.is_empty() && first && self.is_short(name) && name.chars().all(fits)
    }

    fn is_short(&self, name: &str) -> bool {
        self.most.is_none_or(|most| name.len() <= most || name.chars().count() <= most)
    }
}

pub(super) const PLAIN: Names =
    Names { marks: Some("_-"), most: Some(64), letter_first: false, empty: false };
pub(super) const SHORT: Names = Names { marks: None, empty: true, ..PLAIN };
pub(super) const ANY_NAME: Names = Names { most: None, ..SHORT };
