//! Words of the native dialect for the model's closed sets, each both ways.

use interlingua_model::{
    Blame, DialectId, FailureKind, Form, MediaKind, ReasoningMode, Role, StopReason,
};
use interlingua_wire::Node;

/// A closed set and its words.
pub(super) type Words<T> = &'static [(T, &'static str)];

pub(super) fn word<T: Copy + PartialEq>(words: Words<T>, value: T) -> &'static str {
    words.iter().find(|(known, _)| *known == value).map_or("", |(_, word)| word)
}

pub(super) fn value<T: Copy>(words: Words<T>, node: Option<Node<'_>>) -> Option<T> {
    let word = node?.word();
    words.iter().find(|(_, known)| *known == word).map(|(value, _)| *value)
}

/// A dialect of the registry by its name.
pub(super) fn dialect(name: &str) -> Option<DialectId> {
    crate::find(name).map(crate::Dialect::id)
}

pub(super) const ROLES: Words<Role> = &[
    (Role::User, "user"),
    (Role::Assistant, "assistant"),
    (Role::System, "system"),
    (Role::Developer, "developer"),
];

pub(super) const FORMS: Words<Form> =
    &[(Form::Full, "full"), (Form::Summary, "summary"), (Form::Redacted, "redacted")];

pub(super) const MEDIA: Words<MediaKind> = &[
    (MediaKind::Image, "image"),
    (MediaKind::Document, "document"),
    (MediaKind::Audio, "audio"),
    (MediaKind::Video, "video"),
];

pub(super) const MODES: Words<ReasoningMode> = &[
    (ReasoningMode::Off, "off"),
    (ReasoningMode::On, "on"),
    (ReasoningMode::Adaptive, "adaptive"),
    (ReasoningMode::BetweenTools, "between-tools"),
];

pub(super) const STOPS: Words<StopReason> = &[
    (StopReason::End, "end"),
    (StopReason::Sequence, "sequence"),
    (StopReason::MaxTokens, "max-tokens"),
    (StopReason::ToolUse, "tool-use"),
    (StopReason::ContextFull, "context-full"),
    (StopReason::Refusal, "refusal"),
    (StopReason::Pause, "pause"),
    (StopReason::MalformedCall, "malformed-call"),
    (StopReason::Error, "error"),
    (StopReason::Other, "other"),
];

pub(super) const KINDS: Words<FailureKind> = &[
    (FailureKind::Shape, "shape"),
    (FailureKind::Auth, "auth"),
    (FailureKind::Permission, "permission"),
    (FailureKind::NotFound, "not-found"),
    (FailureKind::Billing, "billing"),
    (FailureKind::RateLimit, "rate-limit"),
    (FailureKind::Overloaded, "overloaded"),
    (FailureKind::ContextOverflow, "context-overflow"),
    (FailureKind::TooLarge, "too-large"),
    (FailureKind::Filtered, "filtered"),
    (FailureKind::Timeout, "timeout"),
    (FailureKind::Upstream, "upstream"),
];

pub(super) const BLAMES: Words<Blame> =
    &[(Blame::Client, "client"), (Blame::Upstream, "upstream"), (Blame::Gateway, "gateway")];
