//! Describes as data which fields an object may have, and which values a field.

use crate::facts::{facts, words};

facts! {
/// A field that an object may have.
#[derive(Clone, Copy, Debug)]
pub struct FieldSpec {
    pub name: &'static str,
    pub shape: Shape,
    /// Prefix of the beta header value that enables the field; empty if none is needed.
    pub beta: &'static str,
    /// Without the field the whole object is dropped.
    pub required: bool,
}
}

words! {
/// Constraint on a JSON value.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Any,
    Text,
    Integer,
    Number,
    Bool,
    AnyObject,
    /// An object; a string with the JSON text of an object is parsed.
    ObjectOrJsonText,
    AnyList,
    OneOf(&'static [&'static str]),
    /// Anything but this string.
    NotWord(&'static str),
    /// One of these strings in any case, or a number.
    OneOfIgnoreCase(&'static [&'static str]),
    ListOf(&'static Shape),
    TextOr(&'static Shape),
    /// A list of strings.
    TextList,
    /// A list of betas without these prefixes.
    BetaList(&'static [&'static str]),
    /// Values other than objects are accepted, too.
    IfObject(&'static Shape),
    Closed(&'static [FieldSpec]),
    /// These fields, and any others.
    Open(&'static [FieldSpec]),
    /// Exactly one of these fields; other fields are not checked.
    ExactlyOneField(&'static [FieldSpec]),
    /// The first shape that matches unchanged; otherwise the first to which the value can be
    /// converted.
    FirstOf(&'static [Shape]),
    /// A list with at least one item, each of this shape.
    NonEmptyListOf(&'static Shape),
    NonEmptyText,
    /// 1 to 200 letters, digits, these characters and single blanks.
    Title(&'static str),
    True,
    /// 1 to 64 letters, digits and these characters.
    Identifier(&'static str),
    /// An object with fields that depend on its `type`.
    Tagged(&'static [(&'static str, &'static [FieldSpec])]),
    /// As `Tagged`, with any other fields.
    TaggedOpen(&'static [(&'static str, &'static [FieldSpec])]),
    /// A string in base64, in either alphabet.
    Base64,
    /// The value may be null even where the field is required.
    Nullable(&'static Shape),
    /// No value but null.
    Forbidden,
    /// No value at all.
    Absent,
}
}

pub const fn optional(name: &'static str, kind: Shape) -> FieldSpec {
    FieldSpec { name, shape: kind, beta: "", required: false }
}

pub const fn required(name: &'static str, kind: Shape) -> FieldSpec {
    FieldSpec { name, shape: kind, beta: "", required: true }
}

pub const fn optional_with_beta(name: &'static str, kind: Shape, beta: &'static str) -> FieldSpec {
    FieldSpec { name, shape: kind, beta, required: false }
}
