//! `DeepInfra`, which hosts models of others.
//! <https://deepinfra.com/docs/advanced/function_calling>

use super::generic;
use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    variants: &[Variant {
        profile: |p| {
            generic::profile(p);
            // Its documentation has the choices `auto` and `none` only.
            // <https://github.com/BerriAI/litellm/issues/4655>
            p.settings.tool_choice.forced_call = ForcedCall::Never;
            // <https://docs.deepinfra.com/chat/reasoning>
            p.reasoning.efforts = Some(reasoning::NONE_TO_XHIGH);
            p.reasoning.off_mode = OffMode::EffortNone;
            p.reasoning.budget = BudgetSupport::EffortInstead;
        },
        ..Variant::chat(&Flavor {
            name: "deepinfra",
            supports_user_parts: false,
            effort_aliases: &[("minimal", "low"), ("max", "xhigh"), ("ultra", "xhigh")],
            ..GENERIC
        })
    }],
    ..openai_chat_preset(
        "deepinfra",
        "deepinfra",
        "https://api.deepinfra.com/v1/openai",
        &["DEEPINFRA_API_KEY"],
    )
};
