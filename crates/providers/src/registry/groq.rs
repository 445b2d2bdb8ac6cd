//! Groq.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    variants: &[Variant {
        profile: |p| {
            p.calls = CallProfile { rejected_spellings: ALL_BUT_EMPTY_IDS, ..calls::LENIENT };
            p.fields = openai_chat_fields::GROQ;
            p.settings.stop_sequences = settings::FOUR_STOPS;
            p.settings.renamed_fields = settings::GROQ_UNKNOWN_FIELDS;
            p.settings.conflicts = const {
                &[unsupported("logprobs"), unsupported("top_logprobs"), unsupported("logit_bias")]
            };
            p.texts.missing_content = MissingContent::NullOnlyFromAssistant;
            p.texts.rejects_null_fields = true;
            p.reasoning.rejected_fields = &["reasoning_content", "reasoning_details"];
        },
        models: &[
            (NON_REASONING_MODELS, |p| {
                p.fields = openai_chat_fields::GROQ_NON_REASONING;
                p.reasoning.configurable = false;
                p.reasoning.rejected_fields = reasoning::REASONING_FIELDS;
            }),
            (&["qwen3*"], |p| only_efforts(p, &["none", "default"])),
            (&["gpt-oss*"], |p| only_efforts(p, reasoning::LOW_TO_HIGH)),
        ],
        ..Variant::chat(&SPELLING)
    }],
    ..openai_chat_preset("groq", "groq", "https://api.groq.com/openai/v1", &["GROQ_API_KEY"])
};

const fn unsupported(field: &'static str) -> FieldConflict {
    FieldConflict { field, list_item: None, condition: ConflictCondition::Always }
}

fn only_efforts(p: &mut Profile, efforts: &'static [&'static str]) {
    p.reasoning.efforts = Some(efforts);
    p.reasoning.budget = BudgetSupport::EffortInstead;
    p.reasoning.off_mode = OffMode::EffortNone;
}

const NON_REASONING_MODELS: &[&str] =
    &["llama*", "meta-llama*", "gemma*", "mixtral*", "mistral*", "allam*", "kimi-k2-instruct*"];

// "property 'reasoning_content' is unsupported", and for most models "reasoning is not supported with this
// model"; null values are rejected.
const SPELLING: Flavor = Flavor {
    name: "groq",
    max_tokens_field: "max_completion_tokens",
    content_without_text: ContentWithoutText::Omitted,
    effort_aliases: &[("minimal", "low"), ("xhigh", "high"), ("max", "high"), ("ultra", "high")],
    capabilities: &[
        Capability::NonJsonArguments,
        Capability::ParallelToolCalls,
        Capability::StreamOptions,
        Capability::Seed,
        Capability::Penalties,
        Capability::User,
        Capability::ServiceTier,
    ],
    ..GENERIC
};
