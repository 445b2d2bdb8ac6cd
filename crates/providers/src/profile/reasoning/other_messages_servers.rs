//! Rows for other servers of the Messages API.

use super::{ReasoningEcho, ReasoningProfile};
use crate::profile::reasoning::base::UNRESTRICTED;

/// Reasons unless it is switched off, ignores signatures, and requires reasoning before calls.
pub(super) const DEEPSEEK_MESSAGES: ReasoningProfile = ReasoningProfile {
    reasons_by_default: true,
    only_switch_disables: true,
    efforts: Some(&["low", "medium", "high", "xhigh", "max"]),
    rejects_other_seals: true,
    echo: ReasoningEcho::WithCallsMayBeEmpty,
    ..UNRESTRICTED
};
