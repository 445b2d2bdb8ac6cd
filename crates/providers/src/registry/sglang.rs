//! `SGLang`.
//! <https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/entrypoints/openai/protocol.py>

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    variants: &[Variant {
        profile: |p| {
            p.calls = CallProfile {
                argument_form: ArgumentForm::JsonOrNothing,
                legacy_calls: false,
                legacy_results: false,
                ..calls::LENIENT
            };
            p.media.cross_dialect = media::VIDEO_CONTAINERS;
            // "Tools cannot be empty if tool choice is set to required."
            p.settings.tool_choice = ToolChoiceSupport {
                without_tools: ChoiceWithoutTools::Unforced,
                ..settings::NESTED_CHOICE
            };
            p.settings.conflicts = &[settings::STREAM_OPTIONS_WITHOUT_STREAM];
            p.roles = roles::CHAT_TEMPLATE;
            p.texts.string_content = StringContent::Instructions;
            p.reasoning.efforts = Some(reasoning::ALL_EFFORTS);
        },
        ..Variant::chat(&SPELLING)
    }],
    ..openai_chat_preset("sglang", "sglang", "http://127.0.0.1:30000/v1", &[])
};

const SPELLING: Flavor = Flavor {
    name: "sglang",
    content_without_text: ContentWithoutText::Null,
    reasoning_history: ReasoningHistory::Field("reasoning_content"),
    effort_aliases: &[("ultra", "max")],
    capabilities: &[
        Capability::ParallelToolCalls,
        Capability::StreamOptions,
        Capability::VideoParts,
        Capability::ThinkTags,
        Capability::MultipleChoices,
        Capability::TopK,
        Capability::Seed,
        Capability::Penalties,
        Capability::User,
    ],
    ..GENERIC
};
