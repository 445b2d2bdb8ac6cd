//! Nebius Token Factory, which hosts models of others.
//! <https://docs.tokenfactory.nebius.com/api-reference/inference/create-chat-completion>

use super::generic;
use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    variants: &[Variant {
        profile: |p| {
            generic::profile(p);
            p.reasoning.efforts = Some(reasoning::LOW_TO_HIGH);
            p.reasoning.budget = BudgetSupport::EffortInstead;
            p.reasoning.off_mode = OffMode::Unsupported;
        },
        ..Variant::chat(&Flavor {
            name: "nebius",
            supports_user_parts: false,
            effort_aliases: &[
                ("minimal", "low"),
                ("xhigh", "high"),
                ("max", "high"),
                ("ultra", "high"),
            ],
            ..GENERIC
        })
    }],
    ..openai_chat_preset(
        "nebius",
        "nebius",
        "https://api.tokenfactory.nebius.com/v1",
        &["NEBIUS_API_KEY"],
    )
};
