//! Models and types that the rows about media speak of.

use super::Scope;

pub(super) const COMMON: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];

pub(super) const INVENTOR: &[&str] = &["", "openai", "azure"];

pub(super) const LARGE_CONTEXT: &[&str] = &["opus-4-6", "sonnet-4-6", "opus-4-7", "opus-4-8"];

pub(super) const SMALL_CONTEXT: &[&str] =
    &["opus-4", "sonnet-4", "haiku-4", "4-opus", "4-sonnet", "3-7-sonnet", "3-5-", "claude-3-"];

/// Its models that only talk, and older ones whose date looks like a generation.
pub(super) const OLD_NAMES: Scope =
    Scope { dialect: "openai-chat", flavors: INVENTOR, models: &["-chat", "gpt-5-20"] };
