//! The path to a value in a body: a list that is linked on the stack, and formatted only for errors.

use std::fmt::{self, Write as _};

#[derive(Clone, Copy)]
pub(crate) struct FieldPath<'p> {
    parent: Option<&'p FieldPath<'p>>,
    segment: PathSegment<'p>,
}

#[derive(Clone, Copy)]
enum PathSegment<'p> {
    Root,
    Key(&'p str),
    Index(usize),
    /// The value of a map's entry.
    MapValue(usize),
}

impl FieldPath<'_> {
    pub(crate) const ROOT: FieldPath<'static> =
        FieldPath { parent: None, segment: PathSegment::Root };

    pub(crate) fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Formats the path as `contents.0.parts.1`.
    pub(crate) fn dotted(&self) -> String {
        self.format_with(&|out, index| write!(out, ".{index}"))
    }

    /// Formats the path as `contents[0].parts[1]`.
    pub(crate) fn bracketed(&self) -> String {
        self.format_with(&|out, index| write!(out, "[{index}]"))
    }

    /// Formats the path with an index as `index` writes it, behind the list's name.
    pub(crate) fn format_with(&self, index: &dyn Fn(&mut String, usize) -> fmt::Result) -> String {
        let Some(parent) = self.parent else { return String::new() };
        let mut path = parent.format_with(index);
        if !path.is_empty() && matches!(self.segment, PathSegment::Key(_)) {
            path.push('.');
        }
        // Writing to a string does not fail.
        let _ = match self.segment {
            PathSegment::Root => Ok(()),
            PathSegment::Key(key) => path.write_str(key),
            PathSegment::Index(at) => index(&mut path, at),
            PathSegment::MapValue(at) => {
                index(&mut path, at).and_then(|()| path.write_str(".value"))
            }
        };
        path
    }
}

impl<'p> FieldPath<'p> {
    pub(crate) fn key(&'p self, key: &'p str) -> Self {
        Self { parent: Some(self), segment: PathSegment::Key(key) }
    }

    pub(crate) fn index(&'p self, index: usize) -> Self {
        Self { parent: Some(self), segment: PathSegment::Index(index) }
    }

    pub(crate) fn map_value(&'p self, index: usize) -> Self {
        Self { parent: Some(self), segment: PathSegment::MapValue(index) }
    }
}

/// `contents[0].parts[1]`
impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.bracketed())
    }
}
