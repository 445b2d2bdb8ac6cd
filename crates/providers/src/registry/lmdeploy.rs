//! `LMDeploy`.
//! <https://github.com/InternLM/lmdeploy/blob/main/lmdeploy/serve/openai/protocol.py>

use super::generic;
use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    variants: &[Variant {
        profile: |p| {
            generic::profile(p);
            // "The temperature 3.0 must be in [0, 2]"
            p.settings.sampling.temperature = ValueRange::new(0.0, 2.0);
            // `reasoning_effort: Literal['low', 'medium', 'high', 'max']`
            p.reasoning.efforts = Some(&["low", "medium", "high", "max"]);
            p.reasoning.off_mode = OffMode::Unsupported;
            p.reasoning.budget = BudgetSupport::EffortInstead;
        },
        ..Variant::chat(&Flavor {
            name: "lmdeploy",
            supports_user_parts: false,
            effort_aliases: &[("minimal", "low"), ("xhigh", "max"), ("ultra", "max")],
            ..GENERIC
        })
    }],
    ..openai_chat_preset("lmdeploy", "lmdeploy", "http://127.0.0.1:23333/v1", &[])
};
