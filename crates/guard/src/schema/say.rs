//! What is wrong, in words for the model that made the mistake.

use std::fmt;
use std::ops::Range;

/// One thing that is wrong with the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub flaw: Flaw,
    /// The parameter: `path`, `edits[2].text`; empty for the arguments as a whole.
    pub path: String,
    /// A sentence that names the parameter.
    pub what: String,
    /// Where the value stands in the text of the arguments.
    pub span: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    Missing,
    Type,
    /// A parameter that the tool does not have.
    Extra,
    /// Of the right type, and not allowed.
    Value,
}

/// A step from the arguments to a value in them.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Field(String),
    Item(usize),
}

pub(super) fn path(steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Field(name) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&shortened(name, LONGEST_NAME));
            }
            Step::Item(at) => path.extend(["[", &at.to_string(), "]"]),
        }
    }
    path
}

/// The value at a path, as it is spoken of.
pub(super) struct Named<'p>(pub(super) &'p str);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => f.write_str("the arguments"),
            path => write!(f, "parameter '{path}'"),
        }
    }
}

/// Some values as they are written, and not too many.
pub(super) fn shown_list<'v>(values: impl Iterator<Item = &'v str>) -> String {
    let mut shown = String::new();
    for (at, value) in values.enumerate() {
        if at > 0 {
            shown.push_str(", ");
        }
        if shown.len() > LONGEST_LIST {
            shown.push('…');
            break;
        }
        shown.push_str(&shortened(value, LONGEST_VALUE));
    }
    shown
}

pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

pub(super) const LONGEST_VALUE: usize = 60;
const LONGEST_NAME: usize = 100;
const LONGEST_LIST: usize = 400;
