//! The base row for reasoning, from which other rows differ.

use super::{
    BudgetSupport, CallSealing, EffortWithTools, OffMode, ReasoningEcho, ReasoningProfile,
    ReasoningReplay,
};

/// Accepts everything.
pub(super) const UNRESTRICTED: ReasoningProfile = ReasoningProfile {
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
