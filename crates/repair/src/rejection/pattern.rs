//! What a pattern for error texts consists of.

use interlingua_model::{MediaKind, ReasoningConstraint};

/// Wording of one rejection.
#[derive(Debug)]
pub struct RejectionPattern {
    /// Dialects with this wording; any if empty.
    pub dialects: &'static [&'static str],
    /// A substring of the message. Captures in braces: `path`, `name` (of a field there),
    /// `instead`, `most`, and `any` for anything.
    pub pattern: &'static str,
    pub meaning: Meaning,
    pub path_source: PathSource,
}

/// What a matching message means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    EmptyText,
    Seal,
    ModifiedReasoning,
    ModifiedPrefix,
    Reasoning(ReasoningConstraint),
    Field,
    ImageSize,
    ImageSide,
    ManyImagesSide,
    MaxTokens,
    RoleOrder,
    WebSearch,
    Media(Option<MediaKind>),
}

/// Source of the field path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathSource {
    Absent,
    /// Captured in the message.
    Message,
    /// A field of the error body.
    Body,
    /// Always this path.
    Fixed(&'static str),
}
