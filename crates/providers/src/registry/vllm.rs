//! vLLM.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    variants: &[Variant {
        profile: |p| {
            p.calls = CallProfile {
                argument_form: ArgumentForm::JsonOrNothing,
                legacy_results: false,
                rejected_spellings: SpellingSet::new(&[
                    Spelling::ObjectArguments,
                    Spelling::OtherArguments,
                    Spelling::NoCallId,
                ]),
                ..calls::LENIENT
            };
            p.fields = openai_chat_fields::VLLM;
            p.media.cross_dialect = media::VIDEO_CONTAINERS;
            p.settings.max_tokens.min = 1;
            p.settings.tool_choice = ToolChoiceSupport {
                without_tools: ChoiceWithoutTools::OnlyNone,
                single_name_must_exist: true,
                ..settings::NESTED_CHOICE
            };
            p.settings.conflicts = &[settings::STREAM_OPTIONS_WITHOUT_STREAM];
            p.roles = roles::CHAT_TEMPLATE;
            p.texts.string_content = StringContent::Instructions;
            p.tools.accepts_empty_list = false;
        },
        ..Variant::chat(&SPELLING)
    }],
    ..openai_chat_preset("vllm", "vllm", "http://127.0.0.1:8000/v1", &[])
};

/// The server parses replayed arguments: a string that is not JSON raises an exception.
const SPELLING: Flavor = Flavor {
    name: "vllm",
    content_without_text: ContentWithoutText::Null,
    reasoning_history: ReasoningHistory::Field("reasoning"),
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
