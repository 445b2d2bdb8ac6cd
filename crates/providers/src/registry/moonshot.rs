//! Moonshot.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    model_patterns: &["kimi-*", "moonshot-*"],
    otel_name: Some("moonshot_ai"),
    variants: &[Variant {
        profile: |p| {
            p.calls.id_format = calls::NON_EMPTY_ID;
            p.calls.accepts_empty_list = true;
            p.calls.legacy_results = false;
            p.settings.sampling.temperature = settings::UNIT_RANGE;
            p.settings.sampling_while_reasoning.temperature = ValueRange::ONE;
            p.settings.response_format.cross_dialect_json_schema = false;
            p.settings.fields = setting_fields::KIMI;
            p.roles.has_developer_role = false;
            p.roles.allows_empty_assistant = false;
            p.roles.allows_empty_last_assistant = false;
            p.texts.reasoning_only_turn = ReasoningOnlyTurn::Rejected;
            p.texts.missing_content = MissingContent::EmptyAssistantRejected;
            p.reasoning = ReasoningProfile { echo: ReasoningEcho::NonEmpty, ..reasoning::DEEPSEEK };
            p.tools.schema.root = SchemaRoot::ObjectIfPresent;
            p.tools.schema.references_stand_alone = true;
        },
        models: &[(&["moonshot-v1*", "kimi-k2-0*", "kimi-k2-turbo*", "kimi-latest*"], |p| {
            p.settings.tool_choice.forced_call = ForcedCall::NamedOnly;
            p.settings.sampling_while_reasoning = SamplingRanges::ANY;
            p.reasoning = reasoning::SWITCH_ONLY;
        })],
        ..Variant::chat(&SPELLING)
    }],
    ..openai_chat_preset(
        "moonshot",
        "moonshot",
        "https://api.moonshot.ai/v1",
        &["MOONSHOT_API_KEY"],
    )
};

const SPELLING: Flavor = Flavor {
    name: "moonshot",
    reasoning_history: ReasoningHistory::Field("reasoning_content"),
    reasoning_control: ReasoningControl::Thinking,
    capabilities: &[
        Capability::StreamOptions,
        Capability::MultipleChoices,
        Capability::Penalties,
        Capability::PromptCacheKey,
        Capability::User,
    ],
    ..GENERIC
};
