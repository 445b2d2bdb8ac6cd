//! Perplexity's Sonar models.
//! <https://docs.perplexity.ai/api-reference/chat-completions-post>

use super::generic;
use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    model_patterns: &["sonar", "sonar-*"],
    variants: &[Variant {
        profile: |p| {
            generic::profile(p);
            // "After the (optional) system message(s), user and assistant roles should be alternating."
            p.roles.merge_policy = MergePolicy::All;
            p.roles.first_role = FirstRole::NotAssistant;
            // "Last message must have role `user`."
            p.roles.last_role = LastRole::User;
        },
        ..Variant::chat(&Flavor { name: "perplexity", supports_user_parts: false, ..GENERIC })
    }],
    ..openai_chat_preset(
        "perplexity",
        "perplexity",
        "https://api.perplexity.ai",
        &["PERPLEXITY_API_KEY", "PERPLEXITYAI_API_KEY"],
    )
};
