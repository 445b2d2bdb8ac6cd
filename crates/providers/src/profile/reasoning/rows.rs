//! The rows about reasoning, by dialect, flavor and model.

use interlingua_wire::JsonKind;

use super::{
    BudgetSupport, CallSealing, EffortWithTools, OffMode, ReasoningEcho, ReasoningMeasure,
    ReasoningProfile, ReasoningReplay,
};
use crate::profile::TargetSelector;
use crate::profile::reasoning::base::UNRESTRICTED;
use crate::profile::reasoning::efforts::{
    ALL_EFFORTS, GEMINI_UNSIGNED_MODELS, GROK_EFFORT_MODELS, LOW_TO_HIGH, MINIMAL_TO_HIGH,
    NONE_TO_HIGH, NONE_TO_MAX, NONE_TO_XHIGH, OLLAMA_EFFORTS, QWEN_THINKING_MODELS,
    REASONING_FIELDS,
};
use crate::profile::reasoning::other_messages_servers;
use crate::profile::selector::{
    BEDROCK_OTHER_VENDORS, CHAT_TUNED_MODELS, CLAUDE, FIRST_PARTY, GROQ_NON_REASONING_MODELS,
};

const CHAT: &str = "openai-chat";
const RESPONSES: &str = "openai-responses";

pub(in crate::profile) static ROWS: &[(TargetSelector, ReasoningProfile)] = &[
    (
        TargetSelector::flavors("anthropic", &["deepseek"]),
        other_messages_servers::DEEPSEEK_MESSAGES,
    ),
    // Converse models other than Claude.
    (
        TargetSelector::models("bedrock", &["claude-3-haiku", "claude-3-sonnet", "claude-3-opus"]),
        CLAUDE_WITHOUT_REASONING,
    ),
    (TargetSelector::models("bedrock", &["claude-3-5"]), CLAUDE_WITHOUT_REASONING),
    (
        TargetSelector::models("bedrock", &["amazon.nova"]),
        ReasoningProfile { effort_only: true, ..BEDROCK_OTHERS_ROW },
    ),
    (
        TargetSelector::models("bedrock", &["openai.gpt-5"]),
        ReasoningProfile {
            replay: ReasoningReplay::Redacted,
            effort_only: true,
            ..BEDROCK_OTHERS_ROW
        },
    ),
    (
        TargetSelector::models("bedrock", &["openai.", "deepseek.r1"]),
        ReasoningProfile { effort_only: true, ..BEDROCK_OTHERS_ROW },
    ),
    (TargetSelector::models("bedrock", BEDROCK_OTHER_VENDORS), BEDROCK_OTHERS_ROW),
    // Claude, the newest models first.
    (claude_models(&["fable-5-2", "mythos-5-2", "fable-5-1", "mythos-5-1"]), FABLE_5),
    (claude_models(&["opus-5-5"]), FABLE_5),
    (
        claude_models(&["sonnet-5-5"]),
        ReasoningProfile {
            off_mode: OffMode::BetweenTools,
            limits_effort_when_off: true,
            ..FABLE_5
        },
    ),
    (
        claude_models(&["haiku-5-5"]),
        ReasoningProfile { off_mode: OffMode::Supported, limits_effort_when_off: true, ..FABLE_5 },
    ),
    (claude_models(&["mythos-preview", "fable-5", "mythos-5"]), FABLE_5),
    (
        claude_models(&["opus-5"]),
        ReasoningProfile { off_mode: OffMode::Supported, limits_effort_when_off: true, ..FABLE_5 },
    ),
    (claude_models(&["sonnet-5"]), ReasoningProfile { off_mode: OffMode::Supported, ..FABLE_5 }),
    (claude_models(&["opus-4-8", "opus-4-7"]), OPUS_4_7),
    (
        claude_models(&["opus-4-6", "sonnet-4-6"]),
        ReasoningProfile {
            budget: CLAUDE_BUDGET,
            efforts: Some(&["low", "medium", "high", "max"]),
            must_come_first: true,
            ..OPUS_4_7
        },
    ),
    (
        claude_models(&["opus-4-5"]),
        ReasoningProfile { efforts: Some(&["low", "medium", "high"]), ..CLAUDE_4_5 },
    ),
    (
        claude_models(&["sonnet-4-5", "haiku-4-5", "opus-4", "4-opus", "sonnet-4", "4-sonnet"]),
        CLAUDE_4_5,
    ),
    (claude_models(&["3-7-sonnet", "3-5-sonnet", "3-5-haiku", "claude-3-"]), CLAUDE_4_5),
    (claude_models(&[]), FABLE_5),
    // Chat Completions at OpenAI.
    (first_party(CHAT_TUNED_MODELS), GPT_WITHOUT_REASONING),
    (
        first_party(&["^gpt-5.6!", "^gpt-5.7!", "^gpt-5.8!", "^gpt-5.9!", "^gpt-6", "^gpt-7"]),
        ReasoningProfile {
            efforts: Some(&["none", "minimal", "low", "medium", "high", "xhigh", "max"]),
            effort_with_tools: EffortWithTools::EffortNone,
            ..GPT
        },
    ),
    (
        first_party(&["^gpt-5.5!"]),
        ReasoningProfile {
            efforts: Some(NONE_TO_XHIGH),
            effort_with_tools: EffortWithTools::NoEffort,
            ..GPT
        },
    ),
    (
        first_party(&["^gpt-5.4!"]),
        ReasoningProfile {
            efforts: Some(NONE_TO_XHIGH),
            effort_with_tools: EffortWithTools::NoEffort,
            ..GPT_OFF_BY_DEFAULT
        },
    ),
    (
        first_party(&["^gpt-5.2!", "^gpt-5.3!"]),
        ReasoningProfile { efforts: Some(NONE_TO_XHIGH), ..GPT_OFF_BY_DEFAULT },
    ),
    (
        first_party(&["^gpt-5.1!"]),
        ReasoningProfile { efforts: Some(NONE_TO_HIGH), ..GPT_OFF_BY_DEFAULT },
    ),
    (first_party(&["^gpt-5!"]), ReasoningProfile { efforts: Some(MINIMAL_TO_HIGH), ..GPT }),
    (first_party(&["^gpt-0", "^gpt-1", "^gpt-2", "^gpt-3", "^gpt-4"]), GPT_WITHOUT_REASONING),
    (first_party(&["^o1", "^o3", "^o4"]), ReasoningProfile { efforts: Some(LOW_TO_HIGH), ..GPT }),
    (TargetSelector::flavors(CHAT, FIRST_PARTY), ReasoningProfile { ..NO_REPLAY }),
    // Chat Completions on other servers.
    (
        TargetSelector::flavors(CHAT, &["generic"]),
        ReasoningProfile { rejected_fields: REASONING_FIELDS, ..NO_REPLAY },
    ),
    (
        TargetSelector::flavors(CHAT, &["cerebras"]),
        ReasoningProfile { rejected_fields: REASONING_FIELDS, ..UNRESTRICTED },
    ),
    (
        TargetSelector::new(CHAT, &["deepseek"], &["^deepseek-chat", "^deepseek-v3"]),
        ReasoningProfile { reasons_by_default: false, ..DEEPSEEK },
    ),
    (TargetSelector::flavors(CHAT, &["deepseek"]), DEEPSEEK),
    (
        TargetSelector::flavors(CHAT, &["mistral"]),
        ReasoningProfile {
            replay: ReasoningReplay::All,
            rejected_fields: REASONING_FIELDS,
            ..NO_REPLAY
        },
    ),
    (
        TargetSelector::new(CHAT, &["groq"], GROQ_NON_REASONING_MODELS),
        ReasoningProfile { configurable: false, rejected_fields: REASONING_FIELDS, ..UNRESTRICTED },
    ),
    (
        TargetSelector::new(CHAT, &["groq"], &["^qwen3"]),
        ReasoningProfile {
            efforts: Some(&["none", "default"]),
            budget: BudgetSupport::EffortInstead,
            off_mode: OffMode::EffortNone,
            ..GROQ
        },
    ),
    (
        TargetSelector::new(CHAT, &["groq"], &["^gpt-oss"]),
        ReasoningProfile {
            efforts: Some(LOW_TO_HIGH),
            budget: BudgetSupport::EffortInstead,
            off_mode: OffMode::EffortNone,
            ..GROQ
        },
    ),
    (TargetSelector::flavors(CHAT, &["groq"]), GROQ),
    (
        TargetSelector::new(
            CHAT,
            &["moonshot"],
            &["^moonshot-v1", "^kimi-k2-0", "^kimi-k2-turbo", "^kimi-latest"],
        ),
        SWITCH_ONLY,
    ),
    (
        TargetSelector::flavors(CHAT, &["moonshot"]),
        ReasoningProfile { echo: ReasoningEcho::NonEmpty, ..DEEPSEEK },
    ),
    (
        TargetSelector::new(CHAT, &["qwen"], &["-instruct", "^qwen3-coder"]),
        ReasoningProfile { never_reasons: true, ..SWITCH_ONLY },
    ),
    (
        TargetSelector::new(CHAT, &["qwen"], QWEN_THINKING_MODELS),
        ReasoningProfile { reasons_by_default: true, ..SWITCH_ONLY },
    ),
    (TargetSelector::flavors(CHAT, &["qwen", "glm"]), SWITCH_ONLY),
    (
        TargetSelector::flavors(CHAT, &["ollama"]),
        ReasoningProfile {
            efforts: Some(OLLAMA_EFFORTS),
            off_mode: OffMode::EffortNone,
            request_fields: EFFORT_FIELD,
            ignored_fields: IGNORED_THINKING_FIELDS,
            ..UNRESTRICTED
        },
    ),
    (TargetSelector::new(CHAT, &["xai"], GROK_EFFORT_MODELS), UNRESTRICTED),
    (
        TargetSelector::flavors(CHAT, &["xai"]),
        ReasoningProfile {
            configurable: false,
            request_fields: EFFORT_FIELD,
            ignored_fields: IGNORED_THINKING_FIELDS,
            ..UNRESTRICTED
        },
    ),
    (TargetSelector::new(CHAT, &["gemini-compat"], GEMINI_UNSIGNED_MODELS), UNRESTRICTED),
    (
        TargetSelector::new(CHAT, &["openrouter"], GEMINI_UNSIGNED_MODELS),
        ReasoningProfile {
            formats_needing_seal: &["google-gemini-v1"],
            seal_issuers: &["google"],
            ..OPENROUTER
        },
    ),
    (
        TargetSelector::flavors(CHAT, &["gemini-compat"]),
        ReasoningProfile { call_sealing: CallSealing::FirstCallInMessage, ..UNRESTRICTED },
    ),
    (
        TargetSelector::new(CHAT, &["openrouter"], &["google/"]),
        ReasoningProfile {
            call_sealing: CallSealing::CallOrReasoning,
            formats_needing_seal: &["google-gemini-v1"],
            seal_issuers: &["google"],
            ..OPENROUTER
        },
    ),
    (
        TargetSelector::new(CHAT, &["openrouter"], &["anthropic/"]),
        ReasoningProfile {
            formats_needing_seal: &["anthropic-claude-v1"],
            seal_issuers: &["anthropic"],
            ..OPENROUTER
        },
    ),
    (
        TargetSelector::new(CHAT, &["openrouter"], &["openai/"]),
        ReasoningProfile {
            formats_needing_seal: OPENROUTER_OPENAI_FORMATS,
            seal_issuers: &["openai"],
            ..OPENROUTER
        },
    ),
    (
        TargetSelector::new(CHAT, &["openrouter"], &["x-ai/"]),
        ReasoningProfile {
            formats_needing_seal: OPENROUTER_OPENAI_FORMATS,
            seal_issuers: &["xai"],
            ..OPENROUTER
        },
    ),
    (
        TargetSelector::flavors(CHAT, &["openrouter"]),
        ReasoningProfile { formats_needing_seal: OPENROUTER_OPENAI_FORMATS, ..OPENROUTER },
    ),
    (TargetSelector::dialect(CHAT), UNRESTRICTED),
    // Responses API.
    (
        TargetSelector::flavors(RESPONSES, &["llama.cpp"]),
        ReasoningProfile {
            replay: ReasoningReplay::FullText,
            budget: BudgetSupport::EffortInstead,
            off_mode: OffMode::EffortNone,
            ..UNRESTRICTED
        },
    ),
    (
        responses_models(&["^gpt-3.5!", "^gpt-4!", "^gpt-4.1!", "^gpt-4.5!", "^chatgpt-4o!"]),
        RESPONSES_WITHOUT_REASONING,
    ),
    (responses_models(&["^gpt-5-chat!"]), RESPONSES_WITHOUT_REASONING),
    (
        responses_models(&["^gpt-5-codex!", "^gpt-5.5-pro!"]),
        ReasoningProfile { always_reasons: true, ..RESPONSES_ITEMS },
    ),
    (responses_models(&["^gpt-5-pro!"]), always_reasoning(&["high"])),
    (responses_models(&["^gpt-5!"]), always_reasoning(MINIMAL_TO_HIGH)),
    (
        responses_models(&["^gpt-5.1-chat!", "^gpt-5.2-chat!", "^gpt-5.3-chat!"]),
        always_reasoning(&["medium"]),
    ),
    (responses_models(&["^gpt-5.1-codex!"]), RESPONSES_ITEMS),
    (
        responses_models(&["^gpt-5.1!"]),
        ReasoningProfile { efforts: Some(NONE_TO_HIGH), ..RESPONSES_ITEMS },
    ),
    (
        responses_models(&["^gpt-5.2-pro!", "^gpt-5.4-pro!"]),
        always_reasoning(&["medium", "high", "xhigh"]),
    ),
    (
        responses_models(&["^gpt-5.2!", "^gpt-5.3!", "^gpt-5.4!"]),
        ReasoningProfile { efforts: Some(NONE_TO_XHIGH), ..RESPONSES_ITEMS },
    ),
    (
        responses_models(&["^gpt-5.5!"]),
        ReasoningProfile { reasons_by_default: true, ..RESPONSES_ITEMS },
    ),
    (
        responses_models(&["^gpt-6-astra!"]),
        always_reasoning(&["low", "medium", "high", "xhigh", "max"]),
    ),
    (responses_models(&["^gpt-5.6!", "^gpt-6!"]), always_reasoning(NONE_TO_MAX)),
    (responses_models(&["^o1!", "^o3!", "^o4!"]), always_reasoning(LOW_TO_HIGH)),
    // For an unknown model, an effort may or may not enable reasoning.
    (
        TargetSelector::dialect(RESPONSES),
        ReasoningProfile { effort_enables: false, ..RESPONSES_ITEMS },
    ),
    // Gemini.
    (
        TargetSelector::models("gemini", &["gemini-3-pro-image", "gemini-3.1-flash-image"]),
        ReasoningProfile { call_sealing: CallSealing::NotRequired, ..GEMINI_3 },
    ),
    (
        TargetSelector::models("gemini", &["gemini-3.1-pro-image"]),
        ReasoningProfile { call_sealing: CallSealing::NotRequired, ..GEMINI_3 },
    ),
    (
        TargetSelector::models("gemini", &["gemini-3.7-flash-lite", "gemini-3.8-flash-lite"]),
        GEMINI_3,
    ),
    (
        TargetSelector::models(
            "gemini",
            &["gemini-3.1-pro", "gemini-3.7-flash", "gemini-3.8-flash"],
        ),
        ReasoningProfile { efforts: Some(&["low", "medium", "high", UNSPECIFIED]), ..GEMINI_3 },
    ),
    (
        TargetSelector::models("gemini", &["gemini-3-pro"]),
        ReasoningProfile { efforts: Some(&["low", "high", UNSPECIFIED]), ..GEMINI_3 },
    ),
    (
        TargetSelector::models("gemini", &["gemini-2.5-pro"]),
        ReasoningProfile {
            off_mode: OffMode::LowestEffort,
            budget: budget_range(128, 32_768),
            ..GEMINI_2
        },
    ),
    (
        TargetSelector::models("gemini", &["gemini-2.5-flash-lite"]),
        ReasoningProfile { budget: budget_range(512, 24_576), ..GEMINI_2 },
    ),
    (TargetSelector::models("gemini", &["gemini-2.5"]), GEMINI_2),
    (
        TargetSelector::models("gemini", &["flash-thinking"]),
        ReasoningProfile { budget: BudgetSupport::Any, ..GEMINI_2 },
    ),
    (
        TargetSelector::models(
            "gemini",
            &["gemini-2", "gemini-1", "gemini-pro-vision", "gemini-exp", "learnlm"],
        ),
        ReasoningProfile { configurable: false, budget: BudgetSupport::Any, ..GEMINI_2 },
    ),
    (
        TargetSelector::models("gemini", &["gemma"]),
        ReasoningProfile {
            call_sealing: CallSealing::NotRequired,
            off_mode: OffMode::Supported,
            ..GEMINI_3
        },
    ),
    (TargetSelector::dialect("gemini"), GEMINI_3),
];

const fn claude_models(models: &'static [&'static str]) -> TargetSelector {
    TargetSelector::models(CLAUDE, models)
}

const fn first_party(models: &'static [&'static str]) -> TargetSelector {
    TargetSelector::new(CHAT, FIRST_PARTY, models)
}

const fn responses_models(models: &'static [&'static str]) -> TargetSelector {
    TargetSelector::models(RESPONSES, models)
}

const fn budget_range(least: u64, most: u64) -> BudgetSupport {
    BudgetSupport::Range { min: least, max: most, below_max_tokens: false }
}

const fn always_reasoning(efforts: &'static [&'static str]) -> ReasoningProfile {
    ReasoningProfile { reasons_by_default: true, efforts: Some(efforts), ..RESPONSES_ITEMS }
}

const FABLE_5: ReasoningProfile =
    ReasoningProfile { reasons_by_default: true, off_mode: OffMode::Unsupported, ..OPUS_4_7 };
const OPUS_4_7: ReasoningProfile = ReasoningProfile {
    budget: BudgetSupport::EffortInstead,
    adaptive: true,
    efforts: Some(&["low", "medium", "high", "xhigh", "max"]),
    must_come_first: false,
    ..CLAUDE_4_5
};
/// The base row for Claude 4.5, from which the other generations differ.
const CLAUDE_4_5: ReasoningProfile = ReasoningProfile {
    budget: CLAUDE_BUDGET,
    unbounded_budget_beta: "interleaved-thinking-",
    adaptive: false,
    efforts: Some(&[]),
    replay: ReasoningReplay::Sealed,
    seal_issuers: &["anthropic"],
    checks_placement: true,
    seals_bind_loop: true,
    must_come_first: true,
    must_open_loop: true,
    ..UNRESTRICTED
};
/// Models without reasoning, which reject additional fields.
const CLAUDE_WITHOUT_REASONING: ReasoningProfile =
    ReasoningProfile { configurable: false, ..CLAUDE_4_5 };
const CLAUDE_BUDGET: BudgetSupport =
    BudgetSupport::Range { min: 1024, max: u64::MAX, below_max_tokens: true };
/// Converse models of other vendors.
const BEDROCK_OTHERS_ROW: ReasoningProfile = ReasoningProfile {
    replay: ReasoningReplay::SealedOrSameDialect,
    seal_issuers: &["anthropic"],
    effort_only_cross_dialect: true,
    ..UNRESTRICTED
};

/// A relay, which passes on entries of any provider; a model accepts those of its own vendor.
const OPENROUTER: ReasoningProfile = ReasoningProfile {
    conflicting_effort_fields: Some(("reasoning_effort", "reasoning")),
    rejects_other_seals: true,
    seals_bind_loop: true,
    ..UNRESTRICTED
};
const OPENROUTER_OPENAI_FORMATS: &[&str] =
    &["openai-responses-v1", "azure-openai-responses-v1", "bedrock-openai-responses-v1"];
/// Accepts no reasoning of the history.
const NO_REPLAY: ReasoningProfile =
    ReasoningProfile { replay: ReasoningReplay::Dropped, ..UNRESTRICTED };
const GROQ: ReasoningProfile = ReasoningProfile {
    replay: ReasoningReplay::All,
    rejected_fields: &["reasoning_content", "reasoning_details"],
    ..NO_REPLAY
};
const GPT: ReasoningProfile = ReasoningProfile {
    reasons_by_default: true,
    request_fields: EFFORT_FIELD,
    ignored_fields: IGNORED_THINKING_FIELDS,
    budget: BudgetSupport::EffortInstead,
    off_mode: OffMode::EffortNone,
    ..NO_REPLAY
};
/// Reasons only if the request has an effort.
const GPT_OFF_BY_DEFAULT: ReasoningProfile =
    ReasoningProfile { reasons_by_default: false, effort_enables: true, ..GPT };
const GPT_WITHOUT_REASONING: ReasoningProfile =
    ReasoningProfile { reasons_by_default: false, configurable: false, ..GPT };
const DEEPSEEK: ReasoningProfile = ReasoningProfile {
    reasons_by_default: true,
    echo: ReasoningEcho::MayBeEmpty,
    echo_field: "reasoning_content",
    ..SWITCH_ONLY
};
/// Reasoning is only switched on or off.
const SWITCH_ONLY: ReasoningProfile = ReasoningProfile {
    request_fields: SWITCH_FIELDS,
    ignored_fields: IGNORED_EFFORT_FIELDS,
    any_setting_enables: true,
    ..UNRESTRICTED
};

const RESPONSES_ITEMS: ReasoningProfile = ReasoningProfile {
    efforts: Some(ALL_EFFORTS),
    effort_enables: true,
    budget: BudgetSupport::EffortInstead,
    off_mode: OffMode::EffortNone,
    replay: ReasoningReplay::SealedOrStored,
    seal_issuers: &["openai", "xai"],
    is_item: true,
    ..UNRESTRICTED
};
const RESPONSES_WITHOUT_REASONING: ReasoningProfile =
    ReasoningProfile { configurable: false, ..RESPONSES_ITEMS };

const GEMINI_3: ReasoningProfile = ReasoningProfile {
    reasons_by_default: true,
    off_mode: OffMode::LowestEffort,
    efforts: Some(&["minimal", "low", "medium", "high", UNSPECIFIED]),
    exclusive_measure: Some(ReasoningMeasure::Effort),
    replay: ReasoningReplay::SealedOrSameDialect,
    seal_issuers: &["google"],
    base64_seals: true,
    call_sealing: CallSealing::FirstCall,
    ..UNRESTRICTED
};
const UNSPECIFIED: &str = "thinking_level_unspecified";
const GEMINI_2: ReasoningProfile = ReasoningProfile {
    off_mode: OffMode::Supported,
    budget: budget_range(0, 24_576),
    efforts: Some(&[]),
    exclusive_measure: Some(ReasoningMeasure::Budget),
    call_sealing: CallSealing::NotRequired,
    ..GEMINI_3
};

const EFFORT_FIELD: &[(&str, JsonKind)] = &[("reasoning_effort", JsonKind::String)];
const IGNORED_THINKING_FIELDS: &[&str] =
    &["thinking", "enable_thinking", "thinking_budget", "reasoning"];
const SWITCH_FIELDS: &[(&str, JsonKind)] =
    &[("thinking", JsonKind::Object), ("enable_thinking", JsonKind::Bool)];
const IGNORED_EFFORT_FIELDS: &[&str] = &["reasoning_effort", "reasoning", "thinking_budget"];
