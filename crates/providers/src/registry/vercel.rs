//! Vercel's AI Gateway, a relay to many providers.
//! <https://vercel.com/docs/ai-gateway/sdks-and-apis/openai-chat-completions/reasoning>

use super::generic;
use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    variants: &[Variant {
        profile: |p| {
            generic::profile(p);
            p.fields = openai_chat_fields::DEFAULT;
            p.settings.renamed_fields =
                &["top_k", "random_seed", "thinking", "enable_thinking", "thinking_budget"];
        },
        ..Variant::chat(&Flavor {
            name: "vercel",
            supports_user_parts: false,
            // `reasoning` has `enabled`, `effort` and `max_tokens`.
            reasoning_control: ReasoningControl::Object,
            ..GENERIC
        })
    }],
    ..openai_chat_preset(
        "vercel",
        "vercel",
        "https://ai-gateway.vercel.sh/v1",
        &["AI_GATEWAY_API_KEY", "VERCEL_AI_GATEWAY_API_KEY"],
    )
};
