//! Anthropic.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    name: "anthropic",
    dialect: "anthropic",
    base_url: "https://api.anthropic.com",
    auth: AuthScheme::XApiKey,
    key_vars: &["ANTHROPIC_API_KEY"],
    model_patterns: &["claude-*"],
    ..PRESET_DEFAULTS
};
