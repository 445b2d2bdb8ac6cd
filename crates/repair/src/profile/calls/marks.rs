//! What a call or a result may lack in how it was written, by the marks of what does.

/// Everything that a call or a result may lack.
pub(super) const ALL_MARKS: &[&str] = &[
    "no id",
    "empty id",
    "no type",
    "no tool",
    "no arguments",
    "null arguments",
    "object arguments",
    "other arguments",
    "no call",
    "empty call",
    "null call",
    "no name",
];
/// All but that the call of a result is null.
pub(super) const NULL_TAKEN: &[&str] = &[
    "no id",
    "empty id",
    "no type",
    "no tool",
    "no arguments",
    "null arguments",
    "object arguments",
    "other arguments",
    "no call",
    "empty call",
    "no name",
];
/// Takes ids that say nothing.
pub(super) const MOST_MARKS: &[&str] = &[
    "no id",
    "no type",
    "no tool",
    "no arguments",
    "null arguments",
    "object arguments",
    "other arguments",
    "no call",
    "no name",
];
/// As these, but nothing in a message may be null.
pub(super) const NO_NULLS: &[&str] = &[
    "no id",
    "no type",
    "no tool",
    "no arguments",
    "null arguments",
    "object arguments",
    "other arguments",
    "no call",
    "null call",
    "no name",
];
/// Asks for nothing in particular in a call, but for a string where one should be.
pub(super) const LOOSE: &[&str] =
    &["null arguments", "object arguments", "other arguments", "no call", "empty call", "no name"];
pub(super) const LOOSER: &[&str] =
    &["null arguments", "object arguments", "other arguments", "no call", "no name"];
