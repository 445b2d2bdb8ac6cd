//! llama.cpp.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    variants: &[
        Variant { profile: chat, ..Variant::chat(&SPELLING) },
        Variant { profile: responses, ..Variant::copy("openai-responses", "llama.cpp") },
    ],
    ..openai_chat_preset("llama.cpp", "llama.cpp", "http://127.0.0.1:8080/v1", &[])
};

fn chat(p: &mut Profile) {
    p.calls = CallProfile {
        rejected_spellings: SpellingSet::new(&[
            Spelling::NoType,
            Spelling::NullArguments,
            Spelling::OtherArguments,
        ]),
        ..calls::LENIENT
    };
    p.fields = openai_chat_fields::LLAMA_CPP;
    p.media.same_dialect = MediaByContainer {
        user: media_parts::IMAGES_AND_AUDIO_ANY_SOURCE,
        instructions: media_parts::IMAGES_AND_AUDIO_ANY_SOURCE,
        assistant: media_parts::IMAGES_AND_AUDIO_ANY_SOURCE,
        result: media_parts::IMAGES_AND_AUDIO_ANY_SOURCE,
    };
    p.settings.tool_choice.cross_dialect_by_name = false;
    p.settings.conflicts = &[
        FieldConflict {
            field: "grammar",
            list_item: None,
            condition: ConflictCondition::ToolsPresent,
        },
        settings::LOGPROBS_WITH_TOOLS,
    ];
    p.roles = RoleProfile {
        merge_policy: MergePolicy::AtEnd,
        accepts_any_role: true,
        has_developer_role: true,
        ..roles::CHAT_TEMPLATE
    };
    p.texts.string_content = StringContent::Instructions;
    p.texts.missing_content = MissingContent::AbsentRejected;
    p.tools.shapes = &tool_shapes::ANYTHING;
}

fn responses(p: &mut Profile) {
    p.calls.result_placement = ResultPlacement::Anywhere;
    p.calls.orphan_results = OrphanResults::Accepted;
    p.calls.unique_ids = UniqueIds::NotRequired;
    p.calls.legacy_calls = false;
    p.calls.legacy_results = false;
    p.calls.id_format = calls::ANY_ID;
    p.calls.freeform = false;
    p.calls.checks_roles = false;
    p.calls.item_id_format = None;
    p.calls.stored_state_fields = &[];
    p.calls.foreign_pairs = &[];
    p.fields = openai_responses_fields::LLAMA_CPP;
    p.media = MediaProfile {
        same_dialect: MediaByContainer {
            instructions: media::IMAGES_ONLY,
            user: media::IMAGES_ONLY,
            assistant: media_parts::EVERYTHING,
            ..media_parts::NOWHERE
        },
        cross_dialect: MediaByContainer { user: media::IMAGES_ONLY, ..media_parts::NOWHERE },
        ..media_parts::UNRESTRICTED
    };
    p.settings = SettingsProfile {
        conflicts: &[FieldConflict {
            field: "previous_response_id",
            list_item: None,
            condition: ConflictCondition::NonEmptyText,
        }],
        tool_choice: ToolChoiceSupport { cross_dialect_lists: true, ..settings::ANY_CHOICE },
        number_format: NumberFormat::Unchecked,
        fields: &[],
        ..settings::COMPATIBLE
    };
    p.roles = RoleProfile {
        separate_leading_instructions: true,
        messages_field: "input",
        has_items: true,
        ..roles::BASE
    };
    p.texts.string_content = StringContent::Instructions;
    p.reasoning = ReasoningProfile {
        replay: ReasoningReplay::FullText,
        budget: BudgetSupport::EffortInstead,
        off_mode: OffMode::EffortNone,
        ..reasoning::UNRESTRICTED
    };
    // "'tools' must be an array of objects"
    p.tools = ToolProfile {
        shapes: &tool_shapes::IGNORES_NON_TOOLS,
        has_namespaces: true,
        accepts_null_list: false,
        ..tools::COMPATIBLE
    };
}

const SPELLING: Flavor = Flavor {
    name: "llama.cpp",
    content_without_text: ContentWithoutText::Null,
    reasoning_history: ReasoningHistory::Field("reasoning_content"),
    capabilities: &[
        Capability::ParallelToolCalls,
        Capability::StreamOptions,
        Capability::ThinkTags,
        Capability::MultipleChoices,
        Capability::TopK,
        Capability::Seed,
        Capability::Penalties,
    ],
    ..GENERIC
};
