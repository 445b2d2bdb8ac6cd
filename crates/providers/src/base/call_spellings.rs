//! Markers that decoding adds for omissions in the spelling of a call or a result.

/// All omissions.
pub(crate) const ALL_SPELLINGS: &[&str] = &[
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
/// All omissions except a null call id of a result.
pub(crate) const ALL_BUT_NULL_CALL: &[&str] = &[
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
/// All omissions except blank ids.
pub(crate) const ALL_BUT_BLANK_IDS: &[&str] = &[
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
/// All omissions except empty ids; null ids are rejected, as null is anywhere in a message.
pub(crate) const ALL_BUT_EMPTY_IDS: &[&str] = &[
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
/// Only values of a wrong type, and results without their call id or name.
pub(crate) const LENIENT_SPELLINGS: &[&str] =
    &["null arguments", "object arguments", "other arguments", "no call", "empty call", "no name"];
pub(crate) const MORE_LENIENT_SPELLINGS: &[&str] =
    &["null arguments", "object arguments", "other arguments", "no call", "no name"];
