//! Cerebras.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    variants: &[Variant {
        profile: |p| {
            p.calls = CallProfile { legacy_calls: false, ..calls::LENIENT };
            p.fields = openai_chat_fields::CEREBRAS;
            p.settings.tool_choice.cross_dialect_by_name = false;
            p.settings.response_format.cross_dialect_json_object = false;
            p.reasoning.rejected_fields = reasoning::REASONING_FIELDS;
            p.tools.strict = StrictMode::AllOrNone;
        },
        ..Variant::chat(&SPELLING)
    }],
    ..openai_chat_preset(
        "cerebras",
        "cerebras",
        "https://api.cerebras.ai/v1",
        &["CEREBRAS_API_KEY"],
    )
};

const SPELLING: Flavor = Flavor {
    name: "cerebras",
    capabilities: &[
        Capability::DeveloperRole,
        Capability::ParallelToolCalls,
        Capability::StreamOptions,
        Capability::ThinkTags,
        Capability::MultipleChoices,
        Capability::Seed,
        Capability::Penalties,
        Capability::User,
    ],
    ..GENERIC
};
