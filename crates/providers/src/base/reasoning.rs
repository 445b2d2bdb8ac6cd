//! What the vendors' own APIs, and careful copies, accept of reasoning.

use interlingua_wire::JsonKind;

use crate::profile::reasoning::{
    BudgetSupport, CallSealing, EffortWithTools, OffMode, ReasoningEcho, ReasoningMeasure,
    ReasoningProfile, ReasoningReplay,
};

/// Accepts everything.
pub(crate) const UNRESTRICTED: ReasoningProfile = ReasoningProfile {
    reasons_by_default: false,
    always_reasons: false,
    only_switch_disables: false,
    never_reasons: false,
    effort_enables: false,
    configurable: true,
    request_fields: &[],
    ignored_fields: &[],
    any_setting_enables: false,
    effort_only: false,
    effort_only_cross_dialect: false,
    budget: BudgetSupport::Any,
    unbounded_budget_beta: "",
    adaptive: true,
    off_mode: OffMode::Supported,
    efforts: None,
    limits_effort_when_off: false,
    exclusive_measure: None,
    effort_with_tools: EffortWithTools::Any,
    replay: ReasoningReplay::All,
    seal_issuers: &[],
    rejects_other_seals: false,
    base64_seals: false,
    call_sealing: CallSealing::NotRequired,
    checks_placement: false,
    seals_bind_loop: false,
    must_come_first: false,
    must_open_loop: false,
    echo: ReasoningEcho::NotRequired,
    echo_field: "",
    rejected_fields: &[],
    formats_needing_seal: &[],
    conflicting_effort_fields: None,
    is_item: false,
};

pub(crate) const fn budget_range(least: u64, most: u64) -> BudgetSupport {
    BudgetSupport::Range { min: least, max: most, below_max_tokens: false }
}

pub(crate) const fn always_reasoning(efforts: &'static [&'static str]) -> ReasoningProfile {
    ReasoningProfile { reasons_by_default: true, efforts: Some(efforts), ..RESPONSES_ITEMS }
}

pub(crate) const FABLE_5: ReasoningProfile =
    ReasoningProfile { reasons_by_default: true, off_mode: OffMode::Unsupported, ..OPUS_4_7 };
pub(crate) const OPUS_4_7: ReasoningProfile = ReasoningProfile {
    budget: BudgetSupport::EffortInstead,
    adaptive: true,
    efforts: Some(&["low", "medium", "high", "xhigh", "max"]),
    must_come_first: false,
    ..CLAUDE_4_5
};
/// The base row for Claude 4.5, from which the other generations differ.
pub(crate) const CLAUDE_4_5: ReasoningProfile = ReasoningProfile {
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
pub(crate) const CLAUDE_BUDGET: BudgetSupport =
    BudgetSupport::Range { min: 1024, max: u64::MAX, below_max_tokens: true };
/// Converse models of other vendors.
pub(crate) const BEDROCK_OTHERS_ROW: ReasoningProfile = ReasoningProfile {
    replay: ReasoningReplay::SealedOrSameDialect,
    seal_issuers: &["anthropic"],
    effort_only_cross_dialect: true,
    ..UNRESTRICTED
};

pub(crate) const OPENROUTER_OPENAI_FORMATS: &[&str] =
    &["openai-responses-v1", "azure-openai-responses-v1", "bedrock-openai-responses-v1"];
/// Accepts no reasoning of the history.
pub(crate) const NO_REPLAY: ReasoningProfile =
    ReasoningProfile { replay: ReasoningReplay::Dropped, ..UNRESTRICTED };
pub(crate) const GPT: ReasoningProfile = ReasoningProfile {
    reasons_by_default: true,
    request_fields: EFFORT_FIELD,
    ignored_fields: IGNORED_THINKING_FIELDS,
    budget: BudgetSupport::EffortInstead,
    off_mode: OffMode::EffortNone,
    ..NO_REPLAY
};
/// Reasons only if the request has an effort.
pub(crate) const GPT_OFF_BY_DEFAULT: ReasoningProfile =
    ReasoningProfile { reasons_by_default: false, effort_enables: true, ..GPT };
pub(crate) const GPT_WITHOUT_REASONING: ReasoningProfile =
    ReasoningProfile { reasons_by_default: false, configurable: false, ..GPT };
pub(crate) const DEEPSEEK: ReasoningProfile = ReasoningProfile {
    reasons_by_default: true,
    echo: ReasoningEcho::MayBeEmpty,
    echo_field: "reasoning_content",
    ..SWITCH_ONLY
};
/// Reasoning is only switched on or off.
pub(crate) const SWITCH_ONLY: ReasoningProfile = ReasoningProfile {
    request_fields: SWITCH_FIELDS,
    ignored_fields: IGNORED_EFFORT_FIELDS,
    any_setting_enables: true,
    ..UNRESTRICTED
};

pub(crate) const RESPONSES_ITEMS: ReasoningProfile = ReasoningProfile {
    efforts: Some(ALL_EFFORTS),
    effort_enables: true,
    budget: BudgetSupport::EffortInstead,
    off_mode: OffMode::EffortNone,
    replay: ReasoningReplay::SealedOrStored,
    seal_issuers: &["openai", "xai"],
    is_item: true,
    ..UNRESTRICTED
};
pub(crate) const RESPONSES_WITHOUT_REASONING: ReasoningProfile =
    ReasoningProfile { configurable: false, ..RESPONSES_ITEMS };

pub(crate) const GEMINI_3: ReasoningProfile = ReasoningProfile {
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
pub(crate) const UNSPECIFIED: &str = "thinking_level_unspecified";
pub(crate) const GEMINI_2: ReasoningProfile = ReasoningProfile {
    off_mode: OffMode::Supported,
    budget: budget_range(0, 24_576),
    efforts: Some(&[]),
    exclusive_measure: Some(ReasoningMeasure::Budget),
    call_sealing: CallSealing::NotRequired,
    ..GEMINI_3
};

pub(crate) const EFFORT_FIELD: &[(&str, JsonKind)] = &[("reasoning_effort", JsonKind::String)];
pub(crate) const IGNORED_THINKING_FIELDS: &[&str] =
    &["thinking", "enable_thinking", "thinking_budget", "reasoning"];
pub(crate) const SWITCH_FIELDS: &[(&str, JsonKind)] =
    &[("thinking", JsonKind::Object), ("enable_thinking", JsonKind::Bool)];
pub(crate) const IGNORED_EFFORT_FIELDS: &[&str] =
    &["reasoning_effort", "reasoning", "thinking_budget"];

pub(crate) const ALL_EFFORTS: &[&str] =
    &["none", "minimal", "low", "medium", "high", "xhigh", "max"];
pub(crate) const NONE_TO_XHIGH: &[&str] = &["none", "low", "medium", "high", "xhigh"];
pub(crate) const NONE_TO_MAX: &[&str] = &["none", "low", "medium", "high", "xhigh", "max"];
pub(crate) const NONE_TO_HIGH: &[&str] = &["none", "low", "medium", "high"];
pub(crate) const MINIMAL_TO_HIGH: &[&str] = &["minimal", "low", "medium", "high"];
pub(crate) const LOW_TO_HIGH: &[&str] = &["low", "medium", "high"];
pub(crate) const REASONING_FIELDS: &[&str] =
    &["reasoning_content", "reasoning", "reasoning_details"];
