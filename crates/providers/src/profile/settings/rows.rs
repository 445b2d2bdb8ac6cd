//! The rows about settings, by dialect, flavor and model.

use super::{
    ChoiceWithoutTools, ConflictCondition, FieldConflict, ForcedCall, MaxTokensLimits,
    NumberFormat, ResponseFormatSupport, SamplingRanges, SettingsProfile, StopSequenceLimits,
    ToolChoiceSupport, ValueRange,
};
use crate::profile::TargetSelector;
use crate::profile::selector::{BEDROCK_OTHER_VENDORS, CHAT_TUNED_MODELS, FIRST_PARTY};
use crate::profile::settings::base::{
    ANY_CHOICE, ANY_FORMAT, ANY_MAX_TOKENS, CHAT_RANGES, CLAUDE_BASE, CLAUDE_FIXED_SAMPLING,
    CLAUDE_NO_FORCED_CALL, CLAUDE_TEMPERATURE_OR_TOP_P, CODEX, COMPATIBLE, CONVERSE,
    CONVERSE_FIELDS, FOUR_STOPS, GROK, GROK_REASONING_MODELS, GROQ_UNKNOWN_FIELDS,
    JSON_BY_INSTRUCTION, LOGPROBS_WITH_TOOLS, MEDIUM_VERBOSITY, MEDIUM_VERBOSITY_MODELS,
    MISTRAL_UNKNOWN_FIELDS, NESTED_CHOICE, OLD_KIMI_MODELS, OPENAI_CHAT, OPENAI_CHAT_REASONING,
    OPENROUTER, RESPONSES_API, STREAM_OPTIONS_WITHOUT_STREAM, TOP_LOGPROBS_RANGE, UNIT_RANGE,
    UNKNOWN_FIELDS,
};
use crate::profile::settings::base_gemini::{
    OLD_GEMINI_MODELS, OLD_VERTEX, STUDIO, VERTEX, VERTEX_2_5,
};
use crate::profile::settings::fields;

const CHAT: &str = "openai-chat";
const RESPONSES: &str = "openai-responses";

pub(in crate::profile) static ROWS: &[(TargetSelector, SettingsProfile)] = &[
    // Converse models other than Claude.
    (
        TargetSelector::models("bedrock", &["amazon.nova"]),
        SettingsProfile {
            sampling: SamplingRanges { top_k: ValueRange::NEVER, ..CONVERSE.sampling },
            fields: fields::BEDROCK_NOVA,
            ..CONVERSE
        },
    ),
    (
        TargetSelector::models("bedrock", &["openai."]),
        SettingsProfile {
            sampling: SamplingRanges { top_k: ValueRange::NEVER, ..CONVERSE.sampling },
            ..CONVERSE
        },
    ),
    (TargetSelector::models("bedrock", BEDROCK_OTHER_VENDORS), CONVERSE),
    (
        TargetSelector::models("bedrock", &["claude-3-5"]),
        SettingsProfile {
            fields: fields::BEDROCK_OLD_CLAUDE,
            body_betas: NO_BETAS,
            ..on_bedrock(with_max_tokens(CLAUDE_BASE, 8_192))
        },
    ),
    (
        TargetSelector::models("bedrock", &["claude-3-haiku", "claude-3-sonnet", "claude-3-opus"]),
        SettingsProfile {
            fields: fields::BEDROCK_OLD_CLAUDE,
            body_betas: NO_BETAS,
            ..on_bedrock(with_max_tokens(CLAUDE_BASE, 4_096))
        },
    ),
    (
        TargetSelector::models("bedrock", &["fable-5-2", "mythos-5-2", "fable-5-1"]),
        on_bedrock(CLAUDE_NO_FORCED_CALL),
    ),
    (
        TargetSelector::models("bedrock", &["mythos-5-1", "opus-5-5", "sonnet-5-5"]),
        on_bedrock(CLAUDE_NO_FORCED_CALL),
    ),
    (TargetSelector::models("bedrock", &["haiku-5-5"]), on_bedrock(CLAUDE_FIXED_SAMPLING)),
    (TargetSelector::models("bedrock", &["mythos-preview"]), on_bedrock(CLAUDE_NO_FORCED_CALL)),
    (
        TargetSelector::models("bedrock", &["fable-5", "mythos-5", "opus-5", "sonnet-5"]),
        on_bedrock(CLAUDE_FIXED_SAMPLING),
    ),
    (
        TargetSelector::models("bedrock", &["opus-4-8", "opus-4-7"]),
        on_bedrock(CLAUDE_FIXED_SAMPLING),
    ),
    (
        TargetSelector::models("bedrock", &["opus-4-6", "sonnet-4-6"]),
        on_bedrock(with_max_tokens(CLAUDE_TEMPERATURE_OR_TOP_P, 128_000)),
    ),
    (
        TargetSelector::models("bedrock", &["opus-4-5", "sonnet-4-5", "haiku-4-5"]),
        on_bedrock(CLAUDE_TEMPERATURE_OR_TOP_P),
    ),
    (
        TargetSelector::models("bedrock", &["opus-4", "4-opus"]),
        on_bedrock(with_max_tokens(CLAUDE_BASE, 32_000)),
    ),
    (
        TargetSelector::models("bedrock", &["3-7-sonnet"]),
        SettingsProfile { body_betas: BETAS_3_7, ..on_bedrock(CLAUDE_BASE) },
    ),
    (TargetSelector::models("bedrock", &["sonnet-4", "4-sonnet"]), on_bedrock(CLAUDE_BASE)),
    (
        TargetSelector::models("bedrock", &["3-5-sonnet", "3-5-haiku"]),
        SettingsProfile { body_betas: NO_BETAS, ..on_bedrock(with_max_tokens(CLAUDE_BASE, 8_192)) },
    ),
    (
        TargetSelector::models("bedrock", &["claude-3-"]),
        SettingsProfile { body_betas: NO_BETAS, ..on_bedrock(with_max_tokens(CLAUDE_BASE, 4_096)) },
    ),
    (TargetSelector::dialect("bedrock"), on_bedrock(CLAUDE_NO_FORCED_CALL)),
    // Another server of the Messages API.
    (
        TargetSelector::flavors("anthropic", &["deepseek"]),
        SettingsProfile {
            max_tokens: MaxTokensLimits {
                required: true,
                accepts_negative: true,
                ..ANY_MAX_TOKENS
            },
            tool_choice: ToolChoiceSupport {
                forced_call: ForcedCall::NotForcedWhileReasoning,
                ..ANY_CHOICE
            },
            response_format: JSON_BY_INSTRUCTION,
            ignores_between_tools: true,
            number_format: NumberFormat::Numbers,
            checks_all_numbers: true,
            service_tiers: CLAUDE_BASE.service_tiers,
            fields: fields::DEEPSEEK,
            ..COMPATIBLE
        },
    ),
    // Claude, the newest models first.
    (claude_models(&["fable-5-2", "mythos-5-2", "fable-5-1", "mythos-5-1"]), CLAUDE_NO_FORCED_CALL),
    (claude_models(&["opus-5-5", "sonnet-5-5"]), CLAUDE_NO_FORCED_CALL),
    (claude_models(&["haiku-5-5"]), CLAUDE_FIXED_SAMPLING),
    (claude_models(&["mythos-preview"]), CLAUDE_NO_FORCED_CALL),
    (
        claude_models(&["fable-5", "mythos-5", "opus-5", "sonnet-5", "opus-4-8", "opus-4-7"]),
        CLAUDE_FIXED_SAMPLING,
    ),
    (
        claude_models(&["opus-4-6", "sonnet-4-6"]),
        with_max_tokens(CLAUDE_TEMPERATURE_OR_TOP_P, 128_000),
    ),
    (claude_models(&["opus-4-5", "sonnet-4-5", "haiku-4-5"]), CLAUDE_TEMPERATURE_OR_TOP_P),
    (claude_models(&["opus-4", "4-opus"]), with_max_tokens(CLAUDE_BASE, 32_000)),
    (claude_models(&["sonnet-4", "4-sonnet", "3-7-sonnet"]), CLAUDE_BASE),
    (claude_models(&["3-5-sonnet", "3-5-haiku"]), with_max_tokens(CLAUDE_BASE, 8_192)),
    (claude_models(&["claude-3-"]), with_max_tokens(CLAUDE_BASE, 4_096)),
    (TargetSelector::dialect("anthropic"), CLAUDE_NO_FORCED_CALL),
    // Chat Completions at OpenAI.
    (first_party(MODELS_WITH_4096_TOKENS), with_max_tokens(OPENAI_CHAT_NON_REASONING, 4_096)),
    (first_party(&["^gpt-4o"]), with_max_tokens(OPENAI_CHAT_NON_REASONING, 16_384)),
    (first_party(&["^gpt-4.1"]), with_max_tokens(OPENAI_CHAT_NON_REASONING, 32_768)),
    (first_party(&["^gpt-3", "^gpt-4", "^gpt-5-chat"]), OPENAI_CHAT_NON_REASONING),
    (first_party(CHAT_TUNED_MODELS), OPENAI_CHAT),
    (first_party(&["^gpt-5", "^gpt-6", "^gpt-7", "^gpt-8", "^gpt-9"]), OPENAI_CHAT_REASONING),
    (first_party(&["^gpt-"]), OPENAI_CHAT),
    (
        first_party(&["^o1", "^o3", "^o4"]),
        SettingsProfile {
            sampling: SamplingRanges {
                temperature: ValueRange::NEVER,
                ..OPENAI_CHAT_REASONING.sampling
            },
            tool_choice: ToolChoiceSupport {
                parallel_setting: false,
                ..OPENAI_CHAT_REASONING.tool_choice
            },
            ..OPENAI_CHAT_REASONING
        },
    ),
    (TargetSelector::flavors(CHAT, FIRST_PARTY), OPENAI_CHAT),
    // Chat Completions on other servers.
    (
        TargetSelector::flavors(CHAT, &["generic"]),
        SettingsProfile {
            tool_choice: ToolChoiceSupport {
                without_tools: ChoiceWithoutTools::OnlyNone,
                by_name: false,
                ..ANY_CHOICE
            },
            response_format: ResponseFormatSupport { json_object: false, ..ANY_FORMAT },
            sampling: CHAT_RANGES,
            max_user_id_chars: 128,
            conflicts: &[STREAM_OPTIONS_WITHOUT_STREAM, TOP_LOGPROBS_RANGE, LOGPROBS_WITH_TOOLS],
            renamed_fields: UNKNOWN_FIELDS,
            fields: fields::OPENAI_CHAT,
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::new(CHAT, &["openrouter"], &["anthropic/", "google/"]),
        SettingsProfile { fields: fields::OPENAI_CHAT, ..COMPATIBLE },
    ),
    // Open-weight models on other servers.
    (TargetSelector::new(CHAT, &["openrouter"], &["openai/gpt-oss"]), OPENROUTER),
    (
        TargetSelector::new(CHAT, &["openrouter"], &["openai/"]),
        SettingsProfile { max_tokens: RESPONSES_API.max_tokens, ..OPENROUTER },
    ),
    (TargetSelector::flavors(CHAT, &["openrouter"]), OPENROUTER),
    (
        TargetSelector::flavors(CHAT, &["deepseek"]),
        SettingsProfile {
            tool_choice: ToolChoiceSupport {
                forced_call: ForcedCall::NoObjectWhileReasoning,
                ..ANY_CHOICE
            },
            response_format: ResponseFormatSupport {
                needs_json_word: true,
                json_schema: false,
                ..ANY_FORMAT
            },
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors(CHAT, &["mistral"]),
        SettingsProfile { renamed_fields: MISTRAL_UNKNOWN_FIELDS, ..COMPATIBLE },
    ),
    (
        TargetSelector::flavors(CHAT, &["groq"]),
        SettingsProfile {
            stop_sequences: FOUR_STOPS,
            renamed_fields: GROQ_UNKNOWN_FIELDS,
            conflicts: &[
                FieldConflict {
                    field: "logprobs",
                    list_item: None,
                    condition: ConflictCondition::Always,
                },
                FieldConflict {
                    field: "top_logprobs",
                    list_item: None,
                    condition: ConflictCondition::Always,
                },
                FieldConflict {
                    field: "logit_bias",
                    list_item: None,
                    condition: ConflictCondition::Always,
                },
            ],
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors(CHAT, &["glm"]),
        SettingsProfile { stop_sequences: FOUR_STOPS, tool_choice: NESTED_CHOICE, ..COMPATIBLE },
    ),
    (
        TargetSelector::new(CHAT, &["moonshot"], OLD_KIMI_MODELS),
        SettingsProfile {
            tool_choice: ToolChoiceSupport { forced_call: ForcedCall::NamedOnly, ..ANY_CHOICE },
            sampling: SamplingRanges { temperature: UNIT_RANGE, ..SamplingRanges::ANY },
            fields: fields::KIMI,
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors(CHAT, &["moonshot"]),
        SettingsProfile {
            sampling: SamplingRanges { temperature: UNIT_RANGE, ..SamplingRanges::ANY },
            sampling_while_reasoning: SamplingRanges {
                temperature: ValueRange::ONE,
                ..SamplingRanges::ANY
            },
            fields: fields::KIMI,
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors(CHAT, &["qwen"]),
        SettingsProfile {
            tool_choice: ToolChoiceSupport {
                forced_call: ForcedCall::NoObjectWhileReasoning,
                ..NESTED_CHOICE
            },
            response_format: ResponseFormatSupport {
                needs_json_word: true,
                json_while_reasoning: false,
                ..ANY_FORMAT
            },
            reasoning_requires_stream: true,
            ..COMPATIBLE
        },
    ),
    (TargetSelector::new(CHAT, &["xai"], GROK_REASONING_MODELS), GROK),
    (TargetSelector::new(CHAT, &["xai"], &["^grok-2", "^grok-3", "non-reasoning"]), COMPATIBLE),
    (TargetSelector::flavors(CHAT, &["xai"]), GROK),
    (
        TargetSelector::flavors(CHAT, &["gemini-compat"]),
        SettingsProfile {
            renamed_fields: &["frequency_penalty", "seed", "random_seed"],
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors(CHAT, &["vllm"]),
        SettingsProfile {
            max_tokens: MaxTokensLimits { min: 1, ..ANY_MAX_TOKENS },
            tool_choice: ToolChoiceSupport {
                without_tools: ChoiceWithoutTools::OnlyNone,
                single_name_must_exist: true,
                ..NESTED_CHOICE
            },
            conflicts: &[STREAM_OPTIONS_WITHOUT_STREAM],
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors(CHAT, &["lm-studio"]),
        SettingsProfile {
            response_format: ResponseFormatSupport { json_object: false, ..ANY_FORMAT },
            tool_choice: ToolChoiceSupport { by_name: false, ..ANY_CHOICE },
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::flavors(CHAT, &["llama.cpp"]),
        SettingsProfile {
            conflicts: &[
                FieldConflict {
                    field: "grammar",
                    list_item: None,
                    condition: ConflictCondition::ToolsPresent,
                },
                LOGPROBS_WITH_TOOLS,
            ],
            ..COMPATIBLE
        },
    ),
    (TargetSelector::dialect(CHAT), COMPATIBLE),
    // Responses API.
    (
        TargetSelector::flavors(RESPONSES, &["llama.cpp"]),
        SettingsProfile {
            conflicts: &[FieldConflict {
                field: "previous_response_id",
                list_item: None,
                condition: ConflictCondition::NonEmptyText,
            }],
            number_format: NumberFormat::Unchecked,
            fields: &[],
            ..COMPATIBLE
        },
    ),
    (
        TargetSelector::new(RESPONSES, &["codex"], MEDIUM_VERBOSITY_MODELS),
        SettingsProfile { verbosities: MEDIUM_VERBOSITY, ..CODEX },
    ),
    (TargetSelector::flavors(RESPONSES, &["codex"]), CODEX),
    (
        TargetSelector::models(RESPONSES, MEDIUM_VERBOSITY_MODELS),
        SettingsProfile { verbosities: MEDIUM_VERBOSITY, ..RESPONSES_API },
    ),
    (TargetSelector::dialect(RESPONSES), RESPONSES_API),
    // Gemini.
    (
        TargetSelector::new("gemini", &["vertex"], &["gemini-2.5", "flash-thinking"]),
        SettingsProfile { response_format: GEMINI_FORMAT, ..VERTEX_2_5 },
    ),
    (
        TargetSelector::new("gemini", &["vertex"], OLD_GEMINI_MODELS),
        SettingsProfile { response_format: GEMINI_FORMAT, ..OLD_VERTEX },
    ),
    (TargetSelector::flavors("gemini", &["vertex"]), VERTEX),
    (
        TargetSelector::models("gemini", OLD_GEMINI_MODELS),
        SettingsProfile { response_format: GEMINI_FORMAT, ..STUDIO },
    ),
    (TargetSelector::dialect("gemini"), STUDIO),
];

const GEMINI_FORMAT: ResponseFormatSupport = ResponseFormatSupport {
    json_with_tools: false,
    json_trigger: Some(("generationConfig", "responseMimeType", "application/json")),
    ..ANY_FORMAT
};

/// Models that do not reason and support one verbosity only.
const OPENAI_CHAT_NON_REASONING: SettingsProfile =
    SettingsProfile { verbosities: MEDIUM_VERBOSITY, ..OPENAI_CHAT };
/// Models with an output limit of 4096 tokens.
const MODELS_WITH_4096_TOKENS: &[&str] = &[
    "^gpt-4o-2024-05-13",
    "^gpt-4-turbo",
    "^gpt-4-1106",
    "^gpt-4-0125",
    "^gpt-3.5-turbo-1106",
    "^gpt-3.5-turbo-0125",
];

const fn claude_models(models: &'static [&'static str]) -> TargetSelector {
    TargetSelector::models("anthropic", models)
}

const fn first_party(models: &'static [&'static str]) -> TargetSelector {
    TargetSelector::new(CHAT, FIRST_PARTY, models)
}

#[expect(clippy::large_types_passed_by_value, reason = "evaluated at compile time")]
const fn with_max_tokens(row: SettingsProfile, max_tokens: u64) -> SettingsProfile {
    SettingsProfile { max_tokens: MaxTokensLimits { max: max_tokens, ..row.max_tokens }, ..row }
}

/// The row of a Claude model on Converse: no field is required, and Converse has fields of its own.
#[expect(clippy::large_types_passed_by_value, reason = "evaluated at compile time")]
const fn on_bedrock(row: SettingsProfile) -> SettingsProfile {
    let max_tokens =
        MaxTokensLimits { required: false, min: 1, zero_prewarms_cache: false, ..row.max_tokens };
    let choice = ToolChoiceSupport {
        without_tools: ChoiceWithoutTools::Any,
        ascii_names: true,
        ..row.tool_choice
    };
    let (shapes, betas) = (fields::BEDROCK_CLAUDE, BETAS);
    SettingsProfile {
        max_tokens,
        tool_choice: choice,
        body_betas: betas,
        fields: shapes,
        ..CONVERSE_FIELDS.with_model_limits(row)
    }
}

/// Betas that Converse accepts in the body and that concern a field it has.
/// <https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html>
/// lists them; the last one is in
/// <https://github.com/BerriAI/litellm/blob/main/litellm/anthropic_beta_headers_config.json>.
const BETAS: Option<&[&str]> = Some(&[
    "interleaved-thinking-2025-05-14",
    "context-1m-2025-08-07",
    "effort-2025-11-24",
    "thinking-display-updates-2026-08-18",
]);
const BETAS_3_7: Option<&[&str]> =
    Some(&["token-efficient-tools-2025-02-19", "output-128k-2025-02-19"]);
const NO_BETAS: Option<&[&str]> = Some(&[]);

impl SettingsProfile {
    /// This row with the limits of a model.
    const fn with_model_limits(self, model: Self) -> Self {
        Self {
            sampling: model.sampling,
            sampling_while_reasoning: model.sampling_while_reasoning,
            temperature_with_top_p: model.temperature_with_top_p,
            stop_sequences: StopSequenceLimits { allows_blank: false, ..self.stop_sequences },
            reasoning_displays: model.reasoning_displays,
            beta_display: model.beta_display,
            ignores_between_tools: model.ignores_between_tools,
            ..self
        }
    }
}
