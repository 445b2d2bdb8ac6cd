//! GLM, by Z.ai.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    model_patterns: &["glm-*"],
    variants: &[Variant {
        profile: |p| {
            p.calls.unique_ids = UniqueIds::Conversation;
            p.calls.id_format = calls::NON_EMPTY_ID;
            p.calls.argument_form = ArgumentForm::Json;
            p.calls.accepts_empty_list = true;
            p.calls.legacy_results = false;
            p.media.cross_dialect = media::VIDEO_CONTAINERS;
            p.settings.stop_sequences = settings::FOUR_STOPS;
            p.settings.tool_choice = settings::NESTED_CHOICE;
            p.settings.response_format.cross_dialect_json_schema = false;
            p.roles.has_developer_role = false;
            p.roles.empty_conversation = EmptyConversation::UserRequired;
            p.reasoning = reasoning::SWITCH_ONLY;
        },
        ..Variant::chat(&SPELLING)
    }],
    ..openai_chat_preset("glm", "glm", "https://api.z.ai/api/paas/v4", &["ZAI_API_KEY"])
};

const SPELLING: Flavor = Flavor {
    name: "glm",
    reasoning_history: ReasoningHistory::Field("reasoning_content"),
    reasoning_control: ReasoningControl::Thinking,
    cache_breakpoint: CacheBreakpointSpelling::CacheControl,
    capabilities: &[
        Capability::SystemParts,
        Capability::StreamOptions,
        Capability::VideoParts,
        Capability::User,
    ],
    ..GENERIC
};
