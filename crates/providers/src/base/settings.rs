//! What the vendors' own APIs, and careful copies, accept of settings.

use super::setting_fields as fields;
use crate::profile::settings::{
    ChoiceWithoutTools, ConflictCondition, FieldConflict, ForcedCall, MaxTokensLimits,
    MetadataLimits, NumberFormat, ResponseFormatSupport, SamplingRanges, SettingsProfile,
    StopSequenceLimits, ToolChoiceSupport, ValueRange,
};

pub(crate) const CLAUDE_NO_FORCED_CALL: SettingsProfile = SettingsProfile {
    tool_choice: ToolChoiceSupport { forced_call: ForcedCall::Never, ..CLAUDE_CHOICE },
    ..CLAUDE_FIXED_SAMPLING
};
/// Sampling settings are fixed since Claude 4.7.
pub(crate) const CLAUDE_FIXED_SAMPLING: SettingsProfile = SettingsProfile {
    max_tokens: MaxTokensLimits { max: 128_000, ..CLAUDE_BASE.max_tokens },
    sampling: SamplingRanges {
        temperature: ValueRange::ONE,
        top_p: ValueRange::ONE,
        top_k: ValueRange::NEVER,
        penalties: ValueRange::ANY,
    },
    sampling_while_reasoning: SamplingRanges::ANY,
    ..CLAUDE_BASE
};
pub(crate) const CLAUDE_BASE: SettingsProfile = SettingsProfile {
    max_tokens: MaxTokensLimits {
        required: true,
        min: 0,
        max: 64_000,
        accepts_negative: false,
        zero_prewarms_cache: true,
    },
    sampling: SamplingRanges {
        temperature: UNIT_RANGE,
        top_p: UNIT_RANGE,
        top_k: ValueRange::new(0.0, f64::INFINITY),
        penalties: ValueRange::ANY,
    },
    sampling_while_reasoning: SamplingRanges {
        temperature: ValueRange::ONE,
        top_p: ValueRange::new(0.95, 1.0),
        top_k: ValueRange::NEVER,
        penalties: ValueRange::ANY,
    },
    number_format: NumberFormat::Numbers,
    checks_all_numbers: true,
    stop_sequences: StopSequenceLimits { allows_blank: false, allows_empty: false, ..ANY_STOPS },
    tool_choice: CLAUDE_CHOICE,
    response_format: ResponseFormatSupport { closed_objects: true, ..JSON_BY_INSTRUCTION },
    service_tiers: Some(&["auto", "standard_only"]),
    reasoning_displays: Some(&["summarized", "omitted"]),
    beta_display: Some(("updates", "thinking-display-updates-")),
    user_id_may_be_email: false,
    fields: fields::ANTHROPIC,
    conflicts: &[CONTAINER_WITHOUT_CODE_TOOL],
    ..COMPATIBLE
};
/// "Container identifier can only be provided when using the code execution tool"
pub(crate) const CONTAINER_WITHOUT_CODE_TOOL: FieldConflict = FieldConflict {
    field: "container",
    list_item: None,
    condition: ConflictCondition::HostedToolMissing("code_execution_"),
};
pub(crate) const CLAUDE_CHOICE: ToolChoiceSupport = ToolChoiceSupport {
    without_tools: ChoiceWithoutTools::Unforced,
    forced_call: ForcedCall::NotWithBudget,
    cross_dialect_lists: true,
    ..ANY_CHOICE
};

/// Any model on Converse.
pub(crate) const CONVERSE: SettingsProfile = SettingsProfile {
    max_tokens: MaxTokensLimits { min: 1, ..ANY_MAX_TOKENS },
    sampling: SamplingRanges { temperature: UNIT_RANGE, top_p: UNIT_RANGE, ..SamplingRanges::ANY },
    ignores_between_tools: true,
    // Additional model fields are not checked by Converse itself.
    checks_all_numbers: false,
    ..CONVERSE_FIELDS
};
pub(crate) const CONVERSE_FIELDS: SettingsProfile = SettingsProfile {
    number_format: NumberFormat::Numbers,
    checks_all_numbers: true,
    stop_sequences: StopSequenceLimits { allows_empty: false, max_count: 2_500, ..ANY_STOPS },
    metadata: Some(MetadataLimits {
        min_pairs: 1,
        max_pairs: 16,
        max_key_chars: 256,
        max_value_chars: 256,
    }),
    service_tiers: Some(&["priority", "default", "flex", "reserved"]),
    tool_choice: ToolChoiceSupport { ascii_names: true, cross_dialect_lists: true, ..ANY_CHOICE },
    response_format: JSON_BY_INSTRUCTION,
    fields: fields::BEDROCK,
    ..COMPATIBLE
};

/// Servers that copy Chat Completions; they accept nearly everything.
pub(crate) const COMPATIBLE: SettingsProfile = SettingsProfile {
    max_tokens: ANY_MAX_TOKENS,
    sampling: SamplingRanges::ANY,
    sampling_while_reasoning: SamplingRanges::ANY,
    temperature_with_top_p: true,
    number_format: NumberFormat::PlainIntegers,
    checks_all_numbers: false,
    stop_sequences: ANY_STOPS,
    tool_choice: ANY_CHOICE,
    response_format: ANY_FORMAT,
    required_stream: None,
    reasoning_requires_stream: false,
    required_store: None,
    metadata: None,
    service_tiers: None,
    verbosities: None,
    reasoning_displays: None,
    beta_display: None,
    body_betas: None,
    ignores_between_tools: false,
    max_user_id_chars: usize::MAX,
    user_id_may_be_email: true,
    max_cache_key_chars: usize::MAX,
    renamed_fields: &[],
    fields: fields::CHAT,
    supports_store: true,
    stored_state_fields: &[],
    conflicts: &[],
};
pub(crate) const ANY_MAX_TOKENS: MaxTokensLimits = MaxTokensLimits {
    required: false,
    min: 0,
    max: u64::MAX,
    accepts_negative: false,
    zero_prewarms_cache: false,
};
pub(crate) const ANY_STOPS: StopSequenceLimits = StopSequenceLimits {
    supported: true,
    allows_blank: true,
    allows_empty: true,
    max_count: usize::MAX,
};
pub(crate) const FOUR_STOPS: StopSequenceLimits = StopSequenceLimits { max_count: 4, ..ANY_STOPS };
pub(crate) const ANY_CHOICE: ToolChoiceSupport = ToolChoiceSupport {
    without_tools: ChoiceWithoutTools::Any,
    forced_call: ForcedCall::Allowed,
    names_must_exist: false,
    parallel_setting: true,
    single_name_must_exist: false,
    by_name: true,
    cross_dialect_by_name: true,
    cross_dialect_lists: false,
    nested_function: None,
    parallel_without_tools: true,
    functions_only: false,
    ascii_names: false,
    tool_bringing_fields: &[],
    reads_legacy_choice: false,
};
/// Only functions are named in an object.
pub(crate) const NESTED_CHOICE: ToolChoiceSupport =
    ToolChoiceSupport { nested_function: Some(&[]), ..ANY_CHOICE };
pub(crate) const ANY_FORMAT: ResponseFormatSupport = ResponseFormatSupport {
    json_object: true,
    cross_dialect_json_object: true,
    json_by_instruction: false,
    needs_json_word: false,
    json_word_in_system: true,
    json_while_reasoning: true,
    json_with_tools: true,
    json_trigger: None,
    json_schema: true,
    cross_dialect_json_schema: true,
    closed_objects: false,
    ascii_schema_name: false,
};
/// JSON without a schema can only be requested in the instructions.
pub(crate) const JSON_BY_INSTRUCTION: ResponseFormatSupport =
    ResponseFormatSupport { json_by_instruction: true, ..ANY_FORMAT };

pub(crate) const CHAT_RANGES: SamplingRanges = SamplingRanges {
    temperature: ValueRange::new(0.0, 2.0),
    top_p: UNIT_RANGE,
    top_k: ValueRange::ANY,
    penalties: ValueRange::new(-2.0, 2.0),
};
pub(crate) const OPENAI_CHAT: SettingsProfile = SettingsProfile {
    max_tokens: MaxTokensLimits { min: 1, ..ANY_MAX_TOKENS },
    sampling: CHAT_RANGES,
    stop_sequences: FOUR_STOPS,
    tool_choice: ToolChoiceSupport {
        without_tools: ChoiceWithoutTools::Rejected,
        single_name_must_exist: true,
        nested_function: Some(&["allowed_tools", "custom"]),
        parallel_without_tools: false,
        reads_legacy_choice: true,
        cross_dialect_lists: true,
        ..ANY_CHOICE
    },
    response_format: ResponseFormatSupport { needs_json_word: true, ..ANY_FORMAT },
    metadata: Some(MetadataLimits {
        min_pairs: 0,
        max_pairs: 16,
        max_key_chars: 64,
        max_value_chars: 512,
    }),
    max_user_id_chars: 128,
    conflicts: &[
        STREAM_OPTIONS_WITHOUT_STREAM,
        TOP_LOGPROBS_RANGE,
        TOP_LOGPROBS_WITHOUT_LOGPROBS,
        BOTH_MAX_TOKENS,
    ],
    renamed_fields: UNKNOWN_FIELDS,
    fields: fields::OPENAI_CHAT,
    ..COMPATIBLE
};
pub(crate) const OPENAI_CHAT_REASONING: SettingsProfile = SettingsProfile {
    sampling_while_reasoning: RESPONSES_API.sampling_while_reasoning,
    stop_sequences: StopSequenceLimits { supported: false, ..ANY_STOPS },
    conflicts: &[
        STREAM_OPTIONS_WITHOUT_STREAM,
        TOP_LOGPROBS_RANGE,
        // Checked before `top_logprobs`, which requires it.
        FieldConflict {
            field: "logprobs",
            list_item: None,
            condition: ConflictCondition::TrueWhileReasoning,
        },
        FieldConflict {
            field: "logit_bias",
            list_item: None,
            condition: ConflictCondition::WhileReasoning,
        },
        TOP_LOGPROBS_WITHOUT_LOGPROBS,
        BOTH_MAX_TOKENS,
    ],
    renamed_fields: REASONING_UNKNOWN_FIELDS,
    ..OPENAI_CHAT
};
/// A relay with `OpenAI`'s own checks.
pub(crate) const OPENROUTER: SettingsProfile = SettingsProfile {
    sampling: CHAT_RANGES,
    response_format: ResponseFormatSupport { needs_json_word: true, ..ANY_FORMAT },
    max_user_id_chars: 128,
    conflicts: &[
        TOP_LOGPROBS_RANGE,
        FieldConflict {
            field: "session_id",
            list_item: None,
            condition: ConflictCondition::LongerThan(256),
        },
    ],
    fields: fields::OPENAI_CHAT,
    ..COMPATIBLE
};
pub(crate) const GROK: SettingsProfile = SettingsProfile {
    sampling: SamplingRanges { penalties: ValueRange::NEVER, ..SamplingRanges::ANY },
    stop_sequences: StopSequenceLimits { supported: false, ..ANY_STOPS },
    renamed_fields: &["stop"],
    ..COMPATIBLE
};

pub(crate) const RESPONSES_API: SettingsProfile = SettingsProfile {
    checks_all_numbers: true,
    max_tokens: MaxTokensLimits { min: 16, ..ANY_MAX_TOKENS },
    sampling: CHAT_RANGES,
    sampling_while_reasoning: SamplingRanges {
        temperature: ValueRange::ONE,
        top_p: ValueRange::ONE,
        top_k: ValueRange::ANY,
        penalties: ValueRange::new(0.0, 0.0),
    },
    tool_choice: ToolChoiceSupport {
        without_tools: ChoiceWithoutTools::Unforced,
        names_must_exist: true,
        tool_bringing_fields: &["prompt"],
        cross_dialect_lists: true,
        ..ANY_CHOICE
    },
    response_format: ResponseFormatSupport {
        needs_json_word: true,
        json_word_in_system: false,
        ascii_schema_name: true,
        ..ANY_FORMAT
    },
    metadata: Some(MetadataLimits {
        min_pairs: 0,
        max_pairs: 16,
        max_key_chars: usize::MAX,
        max_value_chars: 512,
    }),
    service_tiers: Some(&["auto", "default", "fast", "flex", "priority", "scale", "ultrafast"]),
    verbosities: Some(&["low", "medium", "high"]),
    max_user_id_chars: 128,
    max_cache_key_chars: 64,
    fields: fields::RESPONSES,
    stored_state_fields: &["previous_response_id", "conversation", "prompt"],
    conflicts: &[
        TOP_LOGPROBS_RANGE,
        FieldConflict {
            field: "conversation",
            list_item: None,
            condition: ConflictCondition::FieldPresent("previous_response_id"),
        },
        FieldConflict {
            field: "max_tool_calls",
            list_item: None,
            condition: ConflictCondition::OutOfRange(ValueRange::new(1.0, f64::INFINITY)),
        },
        FieldConflict {
            field: "top_logprobs",
            list_item: None,
            condition: ConflictCondition::OutOfRangeWhileReasoning(ValueRange::new(0.0, 0.0)),
        },
        LOGPROBS_WHILE_REASONING,
        ENCRYPTED_REASONING_UNSUPPORTED,
    ],
    ..COMPATIBLE
};

/// The backend of `ChatGPT` subscriptions.
pub(crate) const CODEX: SettingsProfile = SettingsProfile {
    max_tokens: MaxTokensLimits { min: 1, max: 0, ..ANY_MAX_TOKENS },
    sampling: SamplingRanges {
        temperature: ValueRange::NEVER,
        top_p: ValueRange::NEVER,
        penalties: ValueRange::NEVER,
        ..RESPONSES_API.sampling
    },
    required_stream: Some(true),
    required_store: Some(false),
    metadata: Some(MetadataLimits {
        min_pairs: 1,
        max_pairs: 0,
        max_key_chars: 0,
        max_value_chars: 0,
    }),
    max_user_id_chars: 0,
    stored_state_fields: &["conversation", "prompt"],
    conflicts: &[
        USER_AND_SAFETY_IDENTIFIER,
        LOGPROBS_WHILE_REASONING,
        ENCRYPTED_REASONING_UNSUPPORTED,
    ],
    ..RESPONSES_API
};
/// "Unsupported value: 'low' is not supported with the 'gpt-5.2-codex-2026-01-14' model. Supported values
/// are: 'medium'."
pub(crate) const MEDIUM_VERBOSITY: Option<&[&str]> = Some(&["medium"]);
pub(crate) const LOGPROBS_WHILE_REASONING: FieldConflict = FieldConflict {
    field: "include",
    list_item: Some("message.output_text.logprobs"),
    condition: ConflictCondition::WhileReasoning,
};
pub(crate) const ENCRYPTED_REASONING_UNSUPPORTED: FieldConflict = FieldConflict {
    field: "include",
    list_item: Some("reasoning.encrypted_content"),
    condition: ConflictCondition::ModelNeverReasons,
};
/// `user` is the older name of `safety_identifier`; both together are rejected.
pub(crate) const USER_AND_SAFETY_IDENTIFIER: FieldConflict = FieldConflict {
    field: "user",
    list_item: None,
    condition: ConflictCondition::FieldPresent("safety_identifier"),
};
pub(crate) const STREAM_OPTIONS_WITHOUT_STREAM: FieldConflict = FieldConflict {
    field: "stream_options",
    list_item: None,
    condition: ConflictCondition::NotStreamed,
};
pub(crate) const TOP_LOGPROBS_RANGE: FieldConflict = FieldConflict {
    field: "top_logprobs",
    list_item: None,
    condition: ConflictCondition::OutOfRange(ValueRange::new(0.0, 20.0)),
};
pub(crate) const TOP_LOGPROBS_WITHOUT_LOGPROBS: FieldConflict = FieldConflict {
    field: "top_logprobs",
    list_item: None,
    condition: ConflictCondition::FieldNotTrue("logprobs"),
};
/// Only one of the two names of the output limit may be set.
pub(crate) const BOTH_MAX_TOKENS: FieldConflict = FieldConflict {
    field: "max_tokens",
    list_item: None,
    condition: ConflictCondition::FieldPresent("max_completion_tokens"),
};
pub(crate) const LOGPROBS_WITH_TOOLS: FieldConflict = FieldConflict {
    field: "logprobs",
    list_item: None,
    condition: ConflictCondition::TrueWithToolsAndStream,
};

pub(crate) const UNIT_RANGE: ValueRange = ValueRange::new(0.0, 1.0);
pub(crate) const UNKNOWN_FIELDS: &[&str] =
    &["top_k", "random_seed", "thinking", "enable_thinking", "thinking_budget", "reasoning"];
pub(crate) const REASONING_UNKNOWN_FIELDS: &[&str] = &[
    "max_tokens",
    "stop",
    "top_k",
    "random_seed",
    "thinking",
    "enable_thinking",
    "thinking_budget",
    "reasoning",
];
pub(crate) const GROQ_UNKNOWN_FIELDS: &[&str] = &[
    "top_k",
    "random_seed",
    "thinking",
    "enable_thinking",
    "thinking_budget",
    "reasoning",
    "verbosity",
    "safety_identifier",
    "prompt_cache_key",
];
pub(crate) const MISTRAL_UNKNOWN_FIELDS: &[&str] = &[
    "max_completion_tokens",
    "top_k",
    "seed",
    "thinking",
    "enable_thinking",
    "thinking_budget",
    "reasoning",
    "verbosity",
    "user",
    "safety_identifier",
    "store",
    "stream_options",
    "service_tier",
    "function_call",
];
