//! A finding about a file.

use std::fmt;

/// A finding about the file for its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Line number from 1; `None` for a finding about the whole file.
    pub line: Option<usize>,
    pub message: String,
    /// Writing the file fixes it.
    pub is_fixed: bool,
}

impl Note {
    pub(crate) const PLACEHOLDER_ADDED: &str =
        "the last turn is the model's; for the check, a user turn \"Continue.\" is added";

    pub(crate) fn for_file(message: impl Into<String>) -> Self {
        Self { line: None, message: message.into(), is_fixed: false }
    }

    pub(crate) fn at_line(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into(), is_fixed: false }
    }

    pub(crate) fn fixed_at_line(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into(), is_fixed: true }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line} {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}
