//! xAI.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    model_patterns: &["grok-*"],
    otel_name: Some("x_ai"),
    variants: &[Variant {
        profile: |p| {
            // A legacy function message requires a name, and only user messages may have one.
            p.calls = CallProfile { legacy_results: false, ..calls::LENIENT };
            p.fields = openai_chat_fields::XAI;
            p.settings = settings::GROK;
            p.roles.allows_empty_user = false;
            p.roles.allows_empty_assistant = false;
            p.roles.allows_empty_last_assistant = false;
            p.texts.min_text = TextMinimum::NonEmpty;
            p.texts.checks_whole_message = true;
            p.texts.reasoning_only_turn = ReasoningOnlyTurn::Rejected;
            p.texts.missing_content = MissingContent::EmptyAssistantRejected;
            p.reasoning.configurable = false;
            p.reasoning.request_fields = reasoning::EFFORT_FIELD;
            p.reasoning.ignored_fields = reasoning::IGNORED_THINKING_FIELDS;
        },
        models: &[
            (&["grok-2*", "grok-3*", "*non-reasoning*"], |p| p.settings = settings::COMPATIBLE),
            (
                &["grok-3-mini*", "grok-4.3*", "grok-4.5*", "grok-4.6*", "grok-4.20-multi-agent*"],
                |p| {
                    p.settings = settings::GROK;
                    p.reasoning = reasoning::UNRESTRICTED;
                },
            ),
        ],
        ..Variant::chat(&SPELLING)
    }],
    ..openai_chat_preset("xai", "xai", "https://api.x.ai/v1", &["XAI_API_KEY"])
};

/// "Argument not supported on this model: presencePenalty", even when its value is 0.
const SPELLING: Flavor = Flavor {
    name: "xai",
    effort_aliases: &[("minimal", "low"), ("xhigh", "high"), ("max", "high"), ("ultra", "high")],
    capabilities: &[
        Capability::NonJsonArguments,
        Capability::ParallelToolCalls,
        Capability::StreamOptions,
        Capability::MultipleChoices,
        Capability::Seed,
        Capability::User,
    ],
    ..GENERIC
};
