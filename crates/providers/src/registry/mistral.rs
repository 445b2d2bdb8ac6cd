//! Mistral.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    model_patterns: &["mistral-*", "codestral-*", "devstral-*", "magistral-*", "ministral-*"],
    otel_name: Some("mistral_ai"),
    variants: &[Variant {
        profile,
        models: &[
            (
                &[
                    "*open-mistral*",
                    "*open-mixtral*",
                    "*mistral-tiny*",
                    "*-2402*",
                    "*-2403*",
                    "*-2405*",
                    "*-2407*",
                    "*-2409*",
                    "*-2410*",
                    "*-2411*",
                    "*-2501*",
                    "*-2503*",
                    "*-2505*",
                    "*pixtral*",
                    "*codestral-mamba*",
                ],
                |p| {
                    // "Conversation must start with a user message or system message"
                    p.roles.first_role = FirstRole::NotAssistant;
                    // "Unexpected role 'user' after role 'tool'"
                    p.roles.allows_user_after_results = false;
                },
            ),
            (&["open-mistral*", "open-mixtral*", "mistral-tiny*", "*-2402*", "*-2403*"], |p| {
                p.roles.allows_text_with_calls = false;
            }),
        ],
        ..Variant::chat(&SPELLING)
    }],
    ..openai_chat_preset("mistral", "mistral", "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"])
};

fn profile(p: &mut Profile) {
    p.calls = CallProfile {
        one_result_per_call: true,
        unique_ids: UniqueIds::Turn,
        legacy_calls: false,
        legacy_results: false,
        // The newest tokenizers take any id, the API does not, whatever the model:
        // <https://github.com/editor-code-assistant/eca/issues/233>,
        // <https://github.com/karthink/gptel/issues/1203>, <https://github.com/nearai/ironclaw/issues/1241>
        id_format: calls::NINE_ALPHANUMERIC,
        accepts_empty_list: true,
        rejected_spellings: SpellingSet::new(&[
            Spelling::NoId,
            Spelling::EmptyId,
            Spelling::NullArguments,
            Spelling::OtherArguments,
            Spelling::NoCallId,
            Spelling::EmptyCallId,
            Spelling::NullCallId,
        ]),
        ..calls::CHAT
    };
    p.fields = openai_chat_fields::MISTRAL;
    // Older models reject user turns right after results.
    p.media.cross_dialect =
        MediaByContainer { user: media::IMAGES_AND_AUDIO, ..media_parts::NOWHERE };
    p.settings.renamed_fields = settings::MISTRAL_UNKNOWN_FIELDS;
    p.roles = roles::MISTRAL;
    p.texts.missing_content = MissingContent::EmptyAssistantRejected;
    p.texts.reasoning_in_content = true;
    p.reasoning.rejected_fields = reasoning::REASONING_FIELDS;
    p.tools.name_format = tools::ASCII_64;
    p.tools.called_name_format = tools::ASCII_64;
    p.tools.shapes = &tool_shapes::CHAT_UNTYPED;
    // "Field required" <https://github.com/Mirascope/mirascope/issues/961>
    p.tools.schema.root = SchemaRoot::Required;
    p.tools.schema.draft = SchemaDraft::Draft7;
}

/// Answers 422 `extra_forbidden` to unknown fields, including `stream_options`.
const SPELLING: Flavor = Flavor {
    name: "mistral",
    // "Unexpected role 'user' after role 'tool'"
    tool_to_user_filler: Some("Done."),
    seed_field: "random_seed",
    required_choice: "any",
    reasoning_history: ReasoningHistory::ThinkingParts,
    reasoning_control: ReasoningControl::None,
    capabilities: &[
        Capability::AssistantParts,
        Capability::ToolMessageName,
        Capability::NonJsonArguments,
        Capability::ParallelToolCalls,
        Capability::MultipleChoices,
        Capability::Seed,
        Capability::Penalties,
    ],
    ..GENERIC
};
