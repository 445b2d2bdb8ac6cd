//! What a check finds.

use std::fmt;

use crate::source_files::SourceFile;

/// A line that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Diagnostic {
    pub(super) path: String,
    pub(super) line: usize,
    /// What is wrong, and how to fix it.
    pub(super) message: String,
}

impl Diagnostic {
    pub(super) fn new(file: &SourceFile, line: usize, message: impl Into<String>) -> Self {
        Self { path: file.path.clone(), line, message: message.into() }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}
