//! Violations of a schema, with the messages that models read.

use std::fmt;
use std::ops::Range;

/// One violation in the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What is wrong.
    pub kind: ViolationKind,
    /// The parameter, as `path` or `edits[2].text`; empty for the arguments as a whole.
    pub path: String,
    /// What is wrong and what is expected, as a sentence for the model.
    pub message: String,
    /// Byte range of the value in the text of the arguments.
    pub span: Range<usize>,
}

/// How a value breaks a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// A required parameter is missing.
    Missing,
    /// The type is wrong.
    Type,
    /// A parameter that the schema does not allow.
    Extra,
    /// The type is right, but the value is not allowed.
    Value,
}

/// A segment of the path from the arguments to a value.
#[derive(Clone, Debug)]
pub(super) enum PathSegment {
    Property(String),
    Index(usize),
}

pub(super) fn format_path(segments: &[PathSegment]) -> String {
    let mut path = String::new();
    for segment in segments {
        match segment {
            PathSegment::Property(name) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&truncate(name, MAX_NAME_CHARS));
            }
            PathSegment::Index(index) => path.extend(["[", &index.to_string(), "]"]),
        }
    }
    path
}

/// Displays a path as `parameter 'x'`.
pub(super) struct PathDisplay<'p>(pub(super) &'p str);

impl fmt::Display for PathDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => f.write_str("the arguments"),
            path => write!(f, "parameter '{path}'"),
        }
    }
}

/// Formats values as a comma-separated list, truncated.
pub(super) fn format_values<'v>(values: impl Iterator<Item = &'v str>) -> String {
    let mut list = String::new();
    for (index, value) in values.enumerate() {
        if index > 0 {
            list.push_str(", ");
        }
        if list.len() > MAX_LIST_CHARS {
            list.push('…');
            break;
        }
        list.push_str(&truncate(value, MAX_VALUE_CHARS));
    }
    list
}

pub(crate) fn truncate(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

pub(super) const MAX_VALUE_CHARS: usize = 60;
const MAX_NAME_CHARS: usize = 100;
const MAX_LIST_CHARS: usize = 400;
