//! What is wrong with a file, and where.

use std::cell::RefCell;
use std::fmt;

use super::near::nearest;

/// Something because of which a file is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Line and column from 1, as editors count, if it is about a place in a file.
    pub at: Option<(usize, usize)>,
    pub what: String,
    /// The name that was perhaps meant.
    pub meant: Option<String>,
}

/// Something that works and is perhaps not wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Line and column, if it is about a place in a file.
    pub at: Option<(usize, usize)>,
    pub what: String,
}

/// Gathers all of it, so that a file is mended in one go.
pub(super) struct Report<'t> {
    text: &'t str,
    mistakes: RefCell<Vec<Mistake>>,
    warnings: RefCell<Vec<Warning>>,
}

impl<'t> Report<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, mistakes: RefCell::default(), warnings: RefCell::default() }
    }

    /// What is wrong at this byte.
    pub(super) fn mistake(&self, at: usize, what: impl Into<String>) {
        self.put(at, what.into(), None);
    }

    /// A name nobody knows; the sentence is continued with what was meant.
    pub(super) fn unknown<'n>(
        &self,
        at: usize,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) {
        let known: Vec<_> = known.into_iter().collect();
        let near = nearest(name, known.iter().copied());
        let more = match (near, known.as_slice()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, []) => "it has none".into(),
            (None, [only]) => format!("there is only {only}"),
            (None, known) => format!("there are {}", known.join(", ")),
        };
        self.put(at, format!("{what}; {more}"), near.map(str::to_owned));
    }

    /// Something that may be due to a name that was not meant.
    pub(super) fn perhaps<'n>(
        &self,
        at: usize,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) {
        match nearest(name, known) {
            Some(near) => {
                self.put(at, format!("{what}; did you mean `{near}`?"), Some(near.to_owned()));
            }
            None => self.put(at, what.to_owned(), None),
        }
    }

    pub(super) fn warn(&self, at: usize, what: impl Into<String>) {
        let at = Some(self.place(at));
        self.warnings.borrow_mut().push(Warning { at, what: what.into() });
    }

    /// What is wrong, and stands nowhere in the file.
    pub(super) fn wrong(&self, what: String) {
        self.mistakes.borrow_mut().push(Mistake { at: None, what, meant: None });
    }

    /// About nothing that is in the file.
    pub(super) fn note(&self, what: String) {
        self.warnings.borrow_mut().push(Warning { at: None, what });
    }

    fn put(&self, at: usize, what: String, meant: Option<String>) {
        let at = Some(self.place(at));
        self.mistakes.borrow_mut().push(Mistake { at, what, meant });
    }

    /// The line and column of a byte.
    pub(super) fn place(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        (line, before[start..].chars().count() + 1)
    }

    /// The value if nothing is wrong, with what is doubtful; else everything that is wrong. In the
    /// order of the file.
    pub(super) fn judge<T>(self, value: T) -> Result<(T, Vec<Warning>), Vec<Mistake>> {
        let mut mistakes = self.mistakes.into_inner();
        let mut warnings = self.warnings.into_inner();
        if mistakes.is_empty() {
            warnings.sort_by_key(|warning| warning.at);
            return Ok((value, warnings));
        }
        mistakes.sort_by_key(|mistake| mistake.at);
        Err(mistakes)
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        said(f, self.at, &self.what)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        said(f, self.at, &self.what)
    }
}

fn said(f: &mut fmt::Formatter<'_>, at: Option<(usize, usize)>, what: &str) -> fmt::Result {
    if let Some((line, column)) = at {
        write!(f, "line {line}, column {column}: ")?;
    }
    f.write_str(what)
}

impl std::error::Error for Mistake {}
