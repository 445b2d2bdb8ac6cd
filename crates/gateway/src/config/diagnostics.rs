//! Collects errors and warnings of a configuration file with their positions.

use std::cell::RefCell;
use std::fmt;

use super::suggest::nearest;

/// A reason for which a file is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Line and column from 1, as editors count, if it concerns a position in a file.
    pub position: Option<(usize, usize)>,
    pub message: String,
    /// The known name that is closest to an unknown one.
    pub suggestion: Option<String>,
}

/// A setting that is valid but probably not intended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigWarning {
    /// Line and column, if it concerns a position in a file.
    pub position: Option<(usize, usize)>,
    pub message: String,
}

/// Collects all errors, so that a file can be corrected in one go.
pub(super) struct Diagnostics<'t> {
    text: &'t str,
    errors: RefCell<Vec<ConfigError>>,
    warnings: RefCell<Vec<ConfigWarning>>,
}

impl<'t> Diagnostics<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, errors: RefCell::default(), warnings: RefCell::default() }
    }

    /// Reports an error at this byte offset.
    pub(super) fn error(&self, at: usize, message: impl Into<String>) {
        self.push_error(at, message.into(), None);
    }

    /// Reports an unknown name, with the closest known name or a list of them.
    pub(super) fn unknown_name<'n>(
        &self,
        at: usize,
        message: &str,
        name: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) {
        let known: Vec<_> = known.into_iter().collect();
        let suggestion = nearest(name, known.iter().copied());
        let hint = match (suggestion, known.as_slice()) {
            (Some(suggestion), _) => format!("did you mean `{suggestion}`?"),
            (None, []) => "it has none".into(),
            (None, [only]) => format!("there is only {only}"),
            (None, known) => format!("there are {}", known.join(", ")),
        };
        self.push_error(at, format!("{message}; {hint}"), suggestion.map(str::to_owned));
    }

    /// Reports an error that may be caused by a misspelt name.
    pub(super) fn error_with_suggestion<'n>(
        &self,
        at: usize,
        message: &str,
        name: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) {
        match nearest(name, known) {
            Some(suggestion) => {
                self.push_error(
                    at,
                    format!("{message}; did you mean `{suggestion}`?"),
                    Some(suggestion.to_owned()),
                );
            }
            None => self.push_error(at, message.to_owned(), None),
        }
    }

    pub(super) fn warn(&self, at: usize, message: impl Into<String>) {
        let at = Some(self.line_and_column(at));
        self.warnings.borrow_mut().push(ConfigWarning { position: at, message: message.into() });
    }

    /// Reports an error that has no position in the file.
    pub(super) fn error_outside_file(&self, message: String) {
        self.errors.borrow_mut().push(ConfigError { position: None, message, suggestion: None });
    }

    /// Reports a warning that has no position in the file.
    pub(super) fn warn_outside_file(&self, message: String) {
        self.warnings.borrow_mut().push(ConfigWarning { position: None, message });
    }

    fn push_error(&self, at: usize, message: String, suggestion: Option<String>) {
        let at = Some(self.line_and_column(at));
        self.errors.borrow_mut().push(ConfigError { position: at, message, suggestion });
    }

    /// The line and column of a byte offset.
    pub(super) fn line_and_column(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        (line, before[start..].chars().count() + 1)
    }

    /// The value with all warnings, or all errors, in the order of the file.
    pub(super) fn finish<T>(self, value: T) -> Result<(T, Vec<ConfigWarning>), Vec<ConfigError>> {
        let mut errors = self.errors.into_inner();
        let mut warnings = self.warnings.into_inner();
        if errors.is_empty() {
            warnings.sort_by_key(|warning| warning.position);
            return Ok((value, warnings));
        }
        errors.sort_by_key(|config_error| config_error.position);
        Err(errors)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_message(f, self.position, &self.message)
    }
}

impl fmt::Display for ConfigWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_message(f, self.position, &self.message)
    }
}

fn fmt_message(
    f: &mut fmt::Formatter<'_>,
    at: Option<(usize, usize)>,
    message: &str,
) -> fmt::Result {
    if let Some((line, column)) = at {
        write!(f, "line {line}, column {column}: ")?;
    }
    f.write_str(message)
}

impl std::error::Error for ConfigError {}
