//! Describes which reasoning and seals each target accepts.

use crate::facts::{facts, words};
use interlingua_wire::JsonKind;

facts! {
#[derive(Clone, Copy, Debug)]
pub struct ReasoningProfile {
    /// The model reasons if the request does not specify it.
    pub reasons_by_default: bool,
    /// The model reasons whatever the request specifies.
    pub always_reasons: bool,
    /// Only the switch disables reasoning, neither a budget nor an effort does.
    pub only_switch_disables: bool,
    /// The model never reasons.
    pub never_reasons: bool,
    /// An effort other than `none` enables reasoning.
    pub effort_enables: bool,
    /// Reasoning can be configured in the request.
    pub configurable: bool,
    /// Fields that configure reasoning; empty where the dialect has only one way.
    pub request_fields: &'static [(&'static str, JsonKind)],
    /// Fields for the same purpose on other servers, which this target ignores.
    pub ignored_fields: &'static [&'static str],
    /// Any reasoning setting from another dialect, except off, enables reasoning here.
    pub any_setting_enables: bool,
    /// Only an effort can be configured.
    pub effort_only: bool,
    /// From other dialects only an effort can be converted.
    pub effort_only_cross_dialect: bool,
    pub budget: BudgetSupport,
    /// Prefix of a beta that removes the upper limit of budgets.
    pub unbounded_budget_beta: &'static str,
    /// The model can decide by itself whether to reason.
    pub adaptive: bool,
    pub off_mode: OffMode,
    /// Supported efforts; empty if none, `None` if unchecked.
    pub efforts: Option<&'static [&'static str]>,
    /// The highest efforts are rejected while reasoning is off.
    pub limits_effort_when_off: bool,
    /// The setting to keep, where a budget and an effort exclude each other.
    pub exclusive_measure: Option<ReasoningMeasure>,
    /// Restriction of efforts in requests with functions.
    pub effort_with_tools: EffortWithTools,
    pub replay: ReasoningReplay,
    /// Issuers of the seals that the target accepts.
    pub seal_issuers: &'static [&'static str],
    /// Seals of other issuers are removed even from reasoning that is accepted.
    pub rejects_other_seals: bool,
    /// Seals must be base64.
    pub base64_seals: bool,
    pub call_sealing: CallSealing,
    /// Reasoning must be in assistant turns, and not at their end.
    pub checks_placement: bool,
    /// Seals depend on the position in a tool loop: user text would end the loop.
    pub seals_bind_loop: bool,
    /// An assistant turn with reasoning must begin with it.
    pub must_come_first: bool,
    /// With a budget, an open tool loop must begin with reasoning.
    pub must_open_loop: bool,
    /// Reasoning that an assistant turn with calls must have while the model reasons.
    pub echo: ReasoningEcho,
    /// The field of that reasoning.
    pub echo_field: &'static str,
    /// Reasoning fields of other servers that the target rejects.
    pub rejected_fields: &'static [&'static str],
    /// Formats of reasoning entries that require a seal.
    pub formats_needing_seal: &'static [&'static str],
    /// Two fields for an effort that must not differ.
    pub conflicting_effort_fields: Option<(&'static str, &'static str)>,
    /// Reasoning is an item that is sent back with the items that followed it.
    pub is_item: bool,
}
}

words! {
/// Accepted budgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetSupport {
    Unsupported,
    Any,
    Range {
        min: u64,
        max: u64,
        /// The budget must be less than the limit of output tokens.
        below_max_tokens: bool,
    },
    /// No budget; an effort is sent instead.
    EffortInstead,
}
}

words! {
/// How reasoning is disabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffMode {
    Supported,
    /// It cannot be disabled; the setting is left out.
    Unsupported,
    /// The model reasons between tools instead.
    BetweenTools,
    /// With the effort `none`, where it is supported.
    EffortNone,
    /// It cannot be disabled; the lowest effort is sent.
    LowestEffort,
}
}

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningMeasure {
    Budget,
    Effort,
}
}

words! {
/// Whether functions and an effort can be combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffortWithTools {
    Any,
    /// Only without an effort.
    NoEffort,
    /// Only with the effort `none`.
    EffortNone,
}
}

words! {
/// Which reasoning of the history is sent back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningReplay {
    /// None is sent back.
    Dropped,
    /// Reasoning sealed by an issuer of the target.
    Sealed,
    /// Also unsealed reasoning that came in the target's own dialect.
    SealedOrSameDialect,
    /// Also reasoning that the provider stores under an id.
    SealedOrStored,
    /// Redacted reasoning.
    Redacted,
    /// Full reasoning texts that came in the target's own dialect.
    FullText,
    /// All reasoning.
    All,
}
}

words! {
/// Whether calls of the current turn need a seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallSealing {
    NotRequired,
    /// The first call of each step.
    FirstCall,
    /// The first call of each step, with the seal in a field of the call in its message.
    FirstCallInMessage,
    /// The first call of each step, or the reasoning before it.
    CallOrReasoning,
}
}

words! {
/// Reasoning that must be sent back with the calls that followed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningEcho {
    NotRequired,
    /// Required, may be empty.
    MayBeEmpty,
    /// Required in turns with calls, may be empty.
    WithCallsMayBeEmpty,
    /// Required, must not be empty.
    NonEmpty,
}
}
