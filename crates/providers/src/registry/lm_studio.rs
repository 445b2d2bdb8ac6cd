//! LM Studio.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    variants: &[Variant {
        profile: |p| {
            p.calls = CallProfile {
                rejected_spellings: MORE_LENIENT_SPELLINGS,
                legacy_results: false,
                ..calls::LENIENT
            };
            p.fields = openai_chat_fields::LM_STUDIO;
            p.media.same_dialect = MediaByContainer {
                instructions: media_parts::ALL_BUT_IMAGES,
                assistant: media_parts::ALL_BUT_IMAGES,
                result: media_parts::ALL_BUT_IMAGES,
                user: media_parts::EVERYTHING,
            };
            p.settings.response_format.json_object = false;
            p.settings.tool_choice.by_name = false;
            p.settings.tool_choice.cross_dialect_by_name = false;
            p.roles = roles::CHAT_TEMPLATE;
            p.texts.string_content = StringContent::Instructions;
        },
        ..Variant::chat(&SPELLING)
    }],
    ..openai_chat_preset("lm-studio", "lm-studio", "http://127.0.0.1:1234/v1", &[])
};

// "Invalid tool_choice type: 'object'"; "'response_format.type' must be 'json_schema' or 'text'".
const SPELLING: Flavor = Flavor {
    name: "lm-studio",
    reasoning_history: ReasoningHistory::None,
    capabilities: &[
        Capability::StreamOptions,
        Capability::ThinkTags,
        Capability::TopK,
        Capability::Seed,
        Capability::Penalties,
    ],
    ..GENERIC
};
