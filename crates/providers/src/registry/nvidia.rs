//! NVIDIA's hosted NIM, with models of others.
//! <https://docs.api.nvidia.com/nim/reference/llm-apis>

use super::generic;
use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    variants: &[Variant {
        profile: |p| {
            generic::profile(p);
            p.settings.renamed_fields = UNSUPPORTED_FIELDS;
        },
        ..Variant::chat(&Flavor { name: "nvidia", supports_user_parts: false, ..GENERIC })
    }],
    ..openai_chat_preset(
        "nvidia",
        "nvidia",
        "https://integrate.api.nvidia.com/v1",
        &["NVIDIA_API_KEY", "NVIDIA_NIM_API_KEY"],
    )
};

/// "Validation: Unsupported parameter(s): `prompt_cache_key`", and fields of other servers.
/// <https://github.com/MoonshotAI/kimi-cli/issues/2534>
const UNSUPPORTED_FIELDS: &[&str] = &[
    "prompt_cache_key",
    "top_k",
    "random_seed",
    "thinking",
    "enable_thinking",
    "thinking_budget",
    "reasoning",
];
