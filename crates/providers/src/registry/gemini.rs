//! Gemini in AI Studio, and its copy of Chat Completions.

use crate::prelude::*;
use crate::relays::GEMINI_IN_CHAT;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    name: "gemini",
    otel_name: Some("gcp.gemini"),
    dialect: "gemini",
    flavor: Some("ai-studio"),
    base_url: "https://generativelanguage.googleapis.com",
    auth: AuthScheme::GoogApiKey,
    key_vars: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    model_patterns: &["gemini-*"],
    variants: &[
        Variant::vendor("gemini", "ai-studio"),
        Variant {
            vendors: GEMINI_IN_CHAT,
            profile: |p| {
                p.calls.rejected_spellings = LENIENT_SPELLINGS;
                p.settings.renamed_fields = &["frequency_penalty", "seed", "random_seed"];
                if p.reasoning.call_sealing != CallSealing::NotRequired {
                    p.reasoning.call_sealing = CallSealing::FirstCallInMessage;
                }
                p.tools.schema.rejected_keywords = tool_lists::NOT_IN_GEMINI;
                p.tools.schema.restricted = true;
            },
            ..Variant::chat(&SPELLING)
        },
    ],
    ..PRESET_DEFAULTS
};

// "Unknown name \"frequency_penalty\": Cannot find field."
const SPELLING: Flavor = Flavor {
    name: "gemini-compat",
    content_without_text: ContentWithoutText::Null,
    reasoning_history: ReasoningHistory::None,
    effort_aliases: &[("xhigh", "high"), ("max", "high"), ("ultra", "high")],
    capabilities: &[
        Capability::ToolMessageName,
        Capability::ParallelToolCalls,
        Capability::StreamOptions,
        Capability::GoogleSignature,
        Capability::MultipleChoices,
        Capability::PresencePenalty,
    ],
    ..GENERIC
};
