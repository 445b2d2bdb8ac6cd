//! The native dialect's names for the model's enums, in both directions.

use interlingua_model::{
    ApiErrorKind, DialectId, ErrorOrigin, MediaKind, ReasoningForm, ReasoningMode, Role, StopReason,
};
use interlingua_wire::JsonNode;

use super::id::ID;
use crate::dialect::Dialect;
use crate::registry;

/// The values of an enum with their names.
pub(super) type NameTable<T> = &'static [(T, &'static str)];

pub(super) fn name_of<T: Copy + PartialEq>(table: NameTable<T>, value: T) -> &'static str {
    table.iter().find(|(entry, _)| *entry == value).map_or("", |(_, name)| name)
}

pub(super) fn parse_name<T: Copy>(table: NameTable<T>, node: Option<JsonNode<'_>>) -> Option<T> {
    let name = node?.str_or_empty();
    table.iter().find(|(_, entry)| *entry == name).map(|(value, _)| *value)
}

pub(super) fn find_dialect(name: &str) -> Option<DialectId> {
    let provider = registry::find_provider_dialect(name).map(Dialect::id);
    provider.or_else(|| (name == ID.0).then_some(ID))
}

pub(super) const ROLES: NameTable<Role> = &[
    (Role::User, "user"),
    (Role::Assistant, "assistant"),
    (Role::System, "system"),
    (Role::Developer, "developer"),
];

pub(super) const REASONING_FORMS: NameTable<ReasoningForm> = &[
    (ReasoningForm::Full, "full"),
    (ReasoningForm::Summary, "summary"),
    (ReasoningForm::Redacted, "redacted"),
];

pub(super) const MEDIA_KINDS: NameTable<MediaKind> = &[
    (MediaKind::Image, "image"),
    (MediaKind::Document, "document"),
    (MediaKind::Audio, "audio"),
    (MediaKind::Video, "video"),
];

pub(super) const REASONING_MODES: NameTable<ReasoningMode> = &[
    (ReasoningMode::Off, "off"),
    (ReasoningMode::On, "on"),
    (ReasoningMode::Adaptive, "adaptive"),
    (ReasoningMode::BetweenTools, "between-tools"),
];

pub(super) const STOP_REASONS: NameTable<StopReason> = &[
    (StopReason::EndTurn, "end"),
    (StopReason::StopSequence, "sequence"),
    (StopReason::MaxTokens, "max-tokens"),
    (StopReason::ToolUse, "tool-use"),
    (StopReason::ContextFull, "context-full"),
    (StopReason::Refusal, "refusal"),
    (StopReason::Pause, "pause"),
    (StopReason::MalformedCall, "malformed-call"),
    (StopReason::Error, "error"),
    (StopReason::Other, "other"),
];

pub(super) const ERROR_KINDS: NameTable<ApiErrorKind> = &[
    (ApiErrorKind::InvalidRequest, "shape"),
    (ApiErrorKind::Authentication, "auth"),
    (ApiErrorKind::Permission, "permission"),
    (ApiErrorKind::NotFound, "not-found"),
    (ApiErrorKind::Billing, "billing"),
    (ApiErrorKind::RateLimit, "rate-limit"),
    (ApiErrorKind::Overloaded, "overloaded"),
    (ApiErrorKind::ContextOverflow, "context-overflow"),
    (ApiErrorKind::RequestTooLarge, "too-large"),
    (ApiErrorKind::ContentFiltered, "filtered"),
    (ApiErrorKind::Timeout, "timeout"),
    (ApiErrorKind::ServerError, "upstream"),
];

pub(super) const ERROR_ORIGINS: NameTable<ErrorOrigin> = &[
    (ErrorOrigin::Client, "client"),
    (ErrorOrigin::Upstream, "upstream"),
    (ErrorOrigin::Gateway, "gateway"),
];
