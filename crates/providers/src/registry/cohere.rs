//! Cohere's Compatibility API.
//! <https://docs.cohere.com/docs/compatibility-api>

use super::generic;
use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    model_patterns: &["command-*", "c4ai-*"],
    variants: &[Variant {
        profile: |p| {
            generic::profile(p);
            // The documentation's examples have instructions in this role.
            p.roles.has_developer_role = true;
            p.settings.renamed_fields = UNSUPPORTED_FIELDS;
            // "Only \"none\" and \"high\" are currently supported."
            p.reasoning.efforts = Some(&["none", "high"]);
            p.reasoning.budget = BudgetSupport::EffortInstead;
            p.reasoning.off_mode = OffMode::EffortNone;
        },
        ..Variant::chat(&SPELLING)
    }],
    ..openai_chat_preset(
        "cohere",
        "cohere",
        "https://api.cohere.ai/compatibility/v1",
        &["COHERE_API_KEY", "CO_API_KEY"],
    )
};

/// "The following parameters are not supported in the Compatibility API", and those of other servers.
const UNSUPPORTED_FIELDS: &[&str] = &[
    "store",
    "metadata",
    "logit_bias",
    "top_logprobs",
    "n",
    "modalities",
    "prediction",
    "audio",
    "service_tier",
    "parallel_tool_calls",
    "top_k",
    "random_seed",
    "thinking",
    "enable_thinking",
    "thinking_budget",
    "reasoning",
];

const SPELLING: Flavor = Flavor {
    name: "cohere",
    supports_user_parts: false,
    effort_aliases: &[
        ("minimal", "high"),
        ("low", "high"),
        ("medium", "high"),
        ("xhigh", "high"),
        ("max", "high"),
        ("ultra", "high"),
    ],
    capabilities: &[
        Capability::DeveloperRole,
        Capability::StreamOptions,
        Capability::ThinkTags,
        Capability::Seed,
        Capability::Penalties,
    ],
    ..GENERIC
};
